// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/encode.h"

#include <algorithm>
#include <cstring>

namespace rooftree::worker {

namespace {

template <typename T, typename From> std::vector<std::byte> packed(const std::vector<From>& values)
{
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const T value = static_cast<T>(values[i]);
        std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof value);
    }
    return bytes;
}

std::vector<std::byte> packedAs(
    spec::DType dtype, const std::vector<double>& floating, const std::vector<int64_t>& integers)
{
    switch (dtype) {
    case spec::DType::Float32:
        return packed<float>(floating);
    case spec::DType::Float64:
        return packed<double>(floating);
    case spec::DType::Int64:
        return packed<int64_t>(integers);
    case spec::DType::Int32:
        return packed<int32_t>(integers);
    case spec::DType::Int16:
        return packed<int16_t>(integers);
    case spec::DType::Int8:
        return packed<int8_t>(integers);
    case spec::DType::UInt8:
        break;
    }
    return packed<uint8_t>(integers);
}

} // namespace

EncodedOutputs encoded(const spec::Operator& op, const CaseTruth& truth, Precision precision)
{
    EncodedOutputs outputs;
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
        const auto dtype = op.outputs[i].dtype;
        auto values = truth.floating[i];
        if (precision == Precision::Lowered)
            std::transform(
                values.begin(), values.end(), values.begin(), [&](double v) { return loweredPrecision(v, dtype); });
        outputs.push_back(packedAs(dtype, values, truth.integers[i]));
    }
    return outputs;
}

EncodedOutputs constantOutputs(const spec::Operator& op, const EncodedOutputs& like, int value)
{
    EncodedOutputs outputs;
    for (std::size_t i = 0; i < like.size(); ++i) {
        const std::size_t count = like[i].size() / spec::dtypeSize(op.outputs[i].dtype);
        outputs.push_back(
            packedAs(op.outputs[i].dtype, std::vector<double>(count, value), std::vector<int64_t>(count, value)));
    }
    return outputs;
}

EncodedOutputs poisonedOutputs(const EncodedOutputs& like, int byte)
{
    EncodedOutputs outputs;
    for (const auto& output : like)
        outputs.emplace_back(output.size(), static_cast<std::byte>(byte));
    return outputs;
}

EncodedOutputs rotatedOutputs(const spec::Operator& op, const EncodedOutputs& outputs)
{
    EncodedOutputs rotated = outputs;
    for (std::size_t i = 0; i < rotated.size(); ++i) {
        const auto size = std::min(spec::dtypeSize(op.outputs[i].dtype), rotated[i].size());
        std::rotate(rotated[i].begin(), rotated[i].begin() + static_cast<std::ptrdiff_t>(size), rotated[i].end());
    }
    return rotated;
}

std::vector<std::span<const std::byte>> views(const EncodedOutputs& outputs)
{
    return { outputs.begin(), outputs.end() };
}

} // namespace rooftree::worker
