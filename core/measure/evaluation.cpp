// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/evaluation.h"
#include "core/measure/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rooftree::measure {

namespace {

constexpr std::array<std::string_view, 8> statusNames{ "PASSED", "COMPILE_ERROR", "RUNTIME_ERROR", "INCORRECT_SHAPE",
    "INCORRECT_NUMERICAL", "INCORRECT_DTYPE", "TIMEOUT", "REJECTED" };

// A case that was timed: its logarithms, with a bound that is missing replaced by the median.
struct LogTime {
    double median = 0;
    double lo = 0;
    double hi = 0;
};

std::optional<LogTime> logTime(const CaseResult& result)
{
    if (!result.timing || !(result.timing->medianNs > 0) || !std::isfinite(result.timing->medianNs))
        return std::nullopt;
    const auto& timing = *result.timing;
    const auto bound = [&](double ns) { return std::log(ns > 0 && std::isfinite(ns) ? ns : timing.medianNs); };
    return LogTime{ std::log(timing.medianNs), bound(timing.loNs), bound(timing.hiNs) };
}

} // namespace

std::string_view statusName(EvaluationStatus status)
{
    return statusNames[static_cast<std::size_t>(status)];
}

std::optional<EvaluationStatus> statusFromName(std::string_view name)
{
    const auto it = std::find(statusNames.begin(), statusNames.end(), name);
    if (it == statusNames.end())
        return std::nullopt;
    return static_cast<EvaluationStatus>(it - statusNames.begin());
}

Evaluation failedEvaluation(EvaluationStatus status, std::string reason)
{
    Evaluation evaluation;
    evaluation.status = status;
    evaluation.reason = std::move(reason);
    return evaluation;
}

std::optional<Interval> speedupOver(const Evaluation& baseline, const Evaluation& candidate)
{
    double value = 0;
    double lo = 0;
    double hi = 0;
    int cases = 0;
    for (const auto& mine : candidate.cases) {
        const auto theirs = std::find_if(
            baseline.cases.begin(), baseline.cases.end(), [&](const CaseResult& c) { return c.axes == mine.axes; });
        if (theirs == baseline.cases.end())
            continue;
        const auto candidateTime = logTime(mine);
        const auto baselineTime = logTime(*theirs);
        if (!candidateTime || !baselineTime)
            continue;
        value += baselineTime->median - candidateTime->median;
        // Interval arithmetic: the noise of cases that were timed in one process is not independent.
        lo += baselineTime->lo - candidateTime->hi;
        hi += baselineTime->hi - candidateTime->lo;
        ++cases;
    }
    if (cases == 0)
        return std::nullopt;
    return Interval{ std::exp(value / cases), std::exp(lo / cases), std::exp(hi / cases) };
}

double geomeanNs(const Evaluation& evaluation)
{
    std::vector<double> medians;
    for (const auto& result : evaluation.cases)
        if (result.timing && result.timing->medianNs > 0)
            medians.push_back(result.timing->medianNs);
    return geometricMean(medians);
}

} // namespace rooftree::measure
