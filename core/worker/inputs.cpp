// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/inputs.h"
#include "core/worker/fills.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace rooftree::worker {

namespace {

Result<CaseInputs> emptyInputs(const spec::Operator& op, const spec::Axes& axes, ElementWidth width)
{
    auto bytes = tensorBytes(op.inputs, axes, width);
    if (!bytes)
        return bytes.error();
    CaseInputs inputs{ layoutOf(*bytes), MemoryFile::make(0).value() };
    auto file = MemoryFile::make(inputs.layout.fileBytes);
    if (!file)
        return file.error();
    inputs.file = std::move(file).value();
    return inputs;
}

float bfloat16(float value)
{
    if (!std::isfinite(value))
        return value;
    const auto bits = std::bit_cast<uint32_t>(value);
    const uint32_t halfAndTie = 0x7fffu + ((bits >> 16) & 1u); // to nearest, ties to even
    return std::bit_cast<float>((bits + halfAndTie) & 0xffff0000u);
}

template <typename T>
void widen(std::span<const std::byte> from, std::span<std::byte> to, spec::DType dtype, RealForm form)
{
    const auto* in = reinterpret_cast<const T*>(from.data());
    auto* out = reinterpret_cast<double*>(to.data());
    for (std::size_t i = 0; i < from.size() / sizeof(T); ++i) {
        const auto value = static_cast<double>(in[i]);
        out[i] = form == RealForm::Absolute ? std::fabs(value)
            : form == RealForm::Lowered     ? loweredPrecision(value, dtype)
                                            : value;
    }
}

} // namespace

double loweredPrecision(double value, spec::DType dtype)
{
    return dtype == spec::DType::Float64 ? static_cast<double>(static_cast<float>(value))
                                         : static_cast<double>(bfloat16(static_cast<float>(value)));
}

Result<CaseInputs> makeInputs(const spec::Operator& op, const spec::Axes& axes, uint64_t seed)
{
    auto inputs = emptyInputs(op, axes, ElementWidth::Native);
    if (!inputs)
        return inputs;
    fillCanaries(inputs->file.bytes(), inputs->layout);
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        auto status = fillTensor(op.inputs[i], axes, seed, i, inputs->layout.data(inputs->file.bytes(), i));
        if (!status)
            return status.error();
    }
    if (auto status = inputs->file.makeReadOnly(); !status)
        return status.error();
    return inputs;
}

Result<CaseInputs> realInputs(const spec::Operator& op, const spec::Axes& axes, const CaseInputs& native, RealForm form)
{
    auto inputs = emptyInputs(op, axes, ElementWidth::Real);
    if (!inputs)
        return inputs;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        const std::span<const std::byte> from = native.layout.data(native.file.bytes(), i);
        const auto to = inputs->layout.data(inputs->file.bytes(), i);
        const auto dtype = op.inputs[i].dtype;
        if (dtype == spec::DType::Float32)
            widen<float>(from, to, dtype, form);
        else if (dtype == spec::DType::Float64)
            widen<double>(from, to, dtype, form);
        else if (!from.empty())
            std::memcpy(to.data(), from.data(), from.size());
    }
    if (auto status = inputs->file.makeReadOnly(); !status)
        return status.error();
    return inputs;
}

std::vector<int64_t> axisValues(const spec::Operator& op, const spec::Axes& axes)
{
    std::vector<int64_t> values;
    for (const auto& axis : op.axes) {
        const auto it = axes.find(axis.name);
        values.push_back(it != axes.end() ? it->second : axis.constant);
    }
    return values;
}

std::vector<std::string> tensorNames(const spec::Operator& op)
{
    std::vector<std::string> names;
    for (const auto& tensor : op.inputs)
        names.push_back(tensor.name);
    for (const auto& tensor : op.outputs)
        names.push_back(tensor.name);
    return names;
}

} // namespace rooftree::worker
