// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/rng.h"
#include "core/measure/evaluation.h"

#include <span>
#include <vector>

// Pure functions on samples. Any thread.
namespace rooftree::measure {

double median(std::span<const double> samples); // 0 of nothing
double quantile(std::span<const double> samples, double p); // linear between order statistics (type 7)
double medianAbsoluteDeviation(std::span<const double> samples); // times 1.4826: consistent with sigma for normal data
double hodgesLehmann(std::span<const double> samples); // median of the pairwise means
double geometricMean(std::span<const double> samples);

// 95 % interval of the median from order statistics (binomial); the extremes below 6 samples.
Interval medianInterval(std::span<const double> samples);
// Half the width of that interval over the median: what the adaptive repetition brings below a wanted precision.
double relativeErrorOfMedian(std::span<const double> samples);

} // namespace rooftree::measure
