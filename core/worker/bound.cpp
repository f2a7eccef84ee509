// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/bound.h"
#include "core/base/text.h"
#include "core/target/roofline.h"

#include <cmath>

namespace rooftree::worker {

void diagnoseBound(const spec::Operator& op, const target::Device& device, measure::Evaluation& evaluation)
{
    constexpr double closeToCeiling = 0.5;
    double logSum = 0;
    int timed = 0;
    int memory = 0;
    for (const auto& result : evaluation.cases) {
        if (!result.timing || result.floorNs <= 0 || result.timing->medianNs <= 0)
            continue;
        logSum += std::log(result.floorNs / result.timing->medianNs);
        memory += target::rooflineFloor(op, result.axes, device).memoryBound ? 1 : 0;
        ++timed;
    }
    if (timed == 0)
        return;
    evaluation.rooflineFraction = std::exp(logSum / timed);
    const char* ceiling = 2 * memory >= timed ? "memory" : "compute";
    const bool close = evaluation.rooflineFraction >= closeToCeiling;
    evaluation.bound = close ? ceiling : "latency";
    const auto percent = std::to_string(static_cast<int>(std::lround(100 * evaluation.rooflineFraction)));
    evaluation.boundEvidence = "It reaches " + percent + " % of the roofline, whose floor is made by "
        + (2 * memory >= timed ? "memory bandwidth" : "arithmetic")
        + (close ? "." : "; neither bandwidth nor arithmetic is exhausted.");
}

} // namespace rooftree::worker
