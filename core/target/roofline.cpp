// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/roofline.h"

#include <algorithm>

namespace rooftree::target {

namespace {

// The fastest memory that holds these bytes; a level that was not measured counts as the next slower one.
double bandwidthFor(double bytes, const Device& device)
{
    const auto& peaks = device.peaks;
    const double ownCaches = static_cast<double>(std::max(device.l1Bytes, device.l2Bytes)) * device.threads;
    const double inLastLevel = std::max(peaks.cacheBandwidthGBs, peaks.bandwidthGBs);
    if (bytes <= ownCaches)
        return std::max(peaks.coreBandwidthGBs, inLastLevel);
    return bytes <= static_cast<double>(device.lastLevelCacheBytes) ? inLastLevel : peaks.bandwidthGBs;
}

bool computesInDoubles(const spec::Operator& op)
{
    const auto isDouble = [](const spec::Tensor& tensor) { return tensor.dtype == spec::DType::Float64; };
    return std::any_of(op.inputs.begin(), op.inputs.end(), isDouble)
        || std::any_of(op.outputs.begin(), op.outputs.end(), isDouble);
}

double costOf(const spec::Expression& expression, const spec::Axes& axes)
{
    const auto value = expression.evaluate(axes);
    return value && *value > 0 ? *value : 0;
}

} // namespace

Floor rooflineFloor(const spec::Operator& op, const spec::Axes& axes, const Device& device)
{
    const double bytes = costOf(op.bytes, axes);
    const double flops = costOf(op.flops, axes);
    const double bandwidth = bandwidthFor(bytes, device);
    const double gflops = computesInDoubles(op) ? device.peaks.gflops64 : device.peaks.gflops32;
    // GB/s and Gflop/s are bytes and flops per nanosecond.
    const double memoryNs = bandwidth > 0 ? bytes / bandwidth : 0;
    const double computeNs = gflops > 0 ? flops / gflops : 0;
    return { std::max(memoryNs, computeNs), memoryNs >= computeNs };
}

} // namespace rooftree::target
