// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/spec/operator.h"

#include <cmath>

namespace rooftree::spec {

std::string_view dtypeName(DType dtype)
{
    switch (dtype) {
    case DType::Float32:
        return "float32";
    case DType::Float64:
        return "float64";
    case DType::Int64:
        return "int64";
    case DType::Int32:
        return "int32";
    case DType::Int16:
        return "int16";
    case DType::Int8:
        return "int8";
    case DType::UInt8:
        return "uint8";
    }
    return "";
}

std::string_view cType(DType dtype)
{
    switch (dtype) {
    case DType::Float32:
        return "float";
    case DType::Float64:
        return "double";
    case DType::Int64:
        return "int64_t";
    case DType::Int32:
        return "int32_t";
    case DType::Int16:
        return "int16_t";
    case DType::Int8:
        return "int8_t";
    case DType::UInt8:
        return "uint8_t";
    }
    return "";
}

std::size_t dtypeSize(DType dtype)
{
    switch (dtype) {
    case DType::Float64:
    case DType::Int64:
        return 8;
    case DType::Float32:
    case DType::Int32:
        return 4;
    case DType::Int16:
        return 2;
    case DType::Int8:
    case DType::UInt8:
        return 1;
    }
    return 1;
}

bool isFloat(DType dtype)
{
    return dtype == DType::Float32 || dtype == DType::Float64;
}

std::string_view roleName(Role role)
{
    return role == Role::HeldOut ? "held-out" : "tune";
}

std::string caseName(const Case& which)
{
    std::string name;
    for (const auto& [axis, size] : which.axes)
        name += (name.empty() ? "" : " ") + axis + "=" + std::to_string(size);
    return name;
}

Result<int64_t> elementCount(const Tensor& tensor, const Axes& axes)
{
    constexpr double limit = 0x1.0p40;
    const auto failure = [&](const std::string& what) {
        return Error{ ErrorCode::Parse, "Tensor '" + tensor.name + "': " + what };
    };
    double count = 1;
    for (const auto& extent : tensor.shape) {
        const auto size = extent.evaluate(axes);
        if (!size)
            return failure(size.error().text);
        if (*size <= 0 || *size != std::floor(*size)) {
            return failure("its extent \"" + extent.text() + "\" is not a positive whole number for "
                + caseName({ axes, Role::Tune }) + ".");
        }
        count *= *size;
        if (count > limit)
            return failure("it has more than 2^40 elements for " + caseName({ axes, Role::Tune }) + ".");
    }
    return static_cast<int64_t>(count);
}

std::string signature(const Operator& op, SignatureForm form)
{
    std::string parameters;
    const auto add = [&](const std::string& parameter) { parameters += (parameters.empty() ? "" : ", ") + parameter; };
    const auto pointer = [&](const Tensor& tensor) {
        const bool real = form == SignatureForm::Real && isFloat(tensor.dtype);
        return std::string(real ? "real" : cType(tensor.dtype)) + "* " + tensor.name;
    };
    for (const auto& input : op.inputs)
        add("const " + pointer(input));
    for (const auto& output : op.outputs)
        add(pointer(output));
    for (const auto& axis : op.axes)
        add("int64_t " + axis.name);
    return "extern \"C\" void " + op.name + "(" + parameters + ")";
}

} // namespace rooftree::spec
