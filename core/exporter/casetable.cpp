// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporter/casetable.h"

#include <algorithm>
#include <cstdio>

namespace rooftree::exporter {

namespace {

// An evaluation with this case alone, so that one case's interval follows the rule of all.
measure::Evaluation only(const measure::CaseResult& result)
{
    measure::Evaluation evaluation;
    evaluation.cases = { result };
    return evaluation;
}

std::string twoDigits(double number)
{
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.2f", number);
    return buffer;
}

} // namespace

std::vector<TimedCase> timedCases(const ExportRequest& request)
{
    std::vector<TimedCase> out;
    for (const auto& result : request.evaluation.cases) {
        if (!result.timing)
            continue;
        TimedCase timed{ &result, {}, {} };
        for (const auto& [name, baseline] : request.baselines) {
            const auto theirs = std::find_if(baseline.cases.begin(), baseline.cases.end(),
                [&](const measure::CaseResult& c) { return c.axes == result.axes; });
            if (theirs == baseline.cases.end())
                continue;
            if (const auto speedup = measure::speedupOver(only(*theirs), only(result))) {
                timed.speedups[name] = *speedup;
                timed.baselineNs[name] = theirs->timing->medianNs;
            }
        }
        out.push_back(std::move(timed));
    }
    return out;
}

bool isRegression(const TimedCase& timed)
{
    const auto it = timed.speedups.find("naive");
    return it != timed.speedups.end() && it->second.value < 1;
}

std::optional<std::string> headlineBaseline(const ExportRequest& request)
{
    for (const char* name : { "vendor", "naive" })
        if (request.speedups.contains(name))
            return name;
    if (!request.speedups.empty())
        return request.speedups.begin()->first;
    return std::nullopt;
}

std::string speedupText(const measure::Interval& speedup)
{
    return twoDigits(speedup.value) + "x [" + twoDigits(speedup.lo) + ", " + twoDigits(speedup.hi) + "]";
}

} // namespace rooftree::exporter
