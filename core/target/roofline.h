// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/spec/operator.h"
#include "core/target/device.h"

namespace rooftree::target {

// The least time an ideal kernel needs: max(bytes / bandwidth, flops / peak), in nanoseconds. The cache's bandwidth counts when the
// operator's bytes fit the last-level cache. memoryBound tells which of the two it is. 0 without peaks.
struct Floor {
    double ns = 0;
    bool memoryBound = true;
};
Floor rooflineFloor(const spec::Operator& op, const spec::Axes& axes, const Device& device);

} // namespace rooftree::target
