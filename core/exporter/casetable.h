// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exporter/exporter.h"

#include <optional>

namespace rooftree::exporter {

// One timed case of the candidate beside its baselines.
struct TimedCase {
    const measure::CaseResult* result = nullptr;
    std::map<std::string, measure::Interval> speedups; // per baseline that timed the same case
    std::map<std::string, double> baselineNs;
};

// Pointers into the request.
std::vector<TimedCase> timedCases(const ExportRequest& request);

// Slower there than the plain source.
bool isRegression(const TimedCase& timed);

// The baseline that headlines name: the vendor's library where there is one, else the plain source.
std::optional<std::string> headlineBaseline(const ExportRequest& request);

std::string speedupText(const measure::Interval& speedup); // "1.73x [1.71, 1.75]"

} // namespace rooftree::exporter
