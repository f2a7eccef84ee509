// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/timer.h"
#include "core/base/text.h"
#include "core/target/roofline.h"
#include "core/worker/judge.h"

#include <algorithm>
#include <cmath>

namespace rooftree::worker {

namespace {

using measure::CaseResult;
using measure::EvaluationStatus;

constexpr double believableShareOfFloor = 0.9;
constexpr double hiddenWorkNs = 5e6; // of a sample outside the clock, before anybody is suspicious

CaseResult* resultOf(std::vector<CaseResult>& results, const spec::Case& which)
{
    const auto it = std::find_if(results.begin(), results.end(),
        [&](const CaseResult& r) { return r.axes == which.axes && r.role == which.role; });
    return it == results.end() ? nullptr : &*it;
}

std::string inCase(const CaseResult& result, const std::string& text)
{
    return "Case " + spec::caseName({ result.axes, result.role }) + ": " + text;
}

} // namespace

void Timer::checkPlausible(const Sampled& sampled, const CaseResult& result, TimedRun& run) const
{
    const double ns = result.timing->medianNs;
    if (result.floorNs > 0 && ns < believableShareOfFloor * result.floorNs)
        run.suspicions.push_back(inCase(result,
            formatNs(ns) + " is less than the roofline's floor of " + formatNs(result.floorNs)
                + "; such a time is not believed."));
    const bool cold = result.timing->cache == measure::CacheMode::Cold;
    // The least of many samples: a busy machine delays some of them, hidden work all.
    const auto hidden = static_cast<double>(sampled.leastHiddenNs);
    if (!cold && hidden > hiddenWorkNs && hidden > 0.5 * ns * static_cast<double>(sampled.innerCalls))
        run.suspicions.push_back(
            inCase(result, "it worked for " + formatNs(hidden) + " outside the timed calls of each sample."));
}

Result<StepOutcome> Timer::timeCase(const Subject& subject, Runner& runner, const TimingOptions& options,
    CaseResult& result, TimedRun& run, JobContext& context)
{
    auto bound = BoundCase::make(m_store, subject, { result.axes, result.role }, context);
    if (!bound)
        return bound.error();
    const bool cold = options.cache == measure::CacheMode::Cold;
    const int64_t flushBytes = cold ? std::max<int64_t>(2 * m_machine.device.lastLevelCacheBytes, 1 << 20) : 0;
    const int64_t runMs = context.limitMs(subject.limits.runMs);
    Sampler sampler(runner, bound->outputs(), options, runMs, flushBytes);
    auto step = bound->mapInto(runner, runMs);
    if (step.done())
        step = sampler.warmUp();
    if (step.done() && (sampler.sampled().samplesNs.empty()))
        step = options.minSamples == 1 ? sampler.sampleOnce() : sampler.sampleUntilPrecise();
    if (step.done())
        step = sampler.callForRecheck();
    if (!step.done())
        return step;
    runner.freeze();
    const auto correctness =
        judgeOutputs(subject.op, outputViews(bound->outputs(), subject.op.outputs.size()), bound->truth());
    const auto damage = bound->outputs().damage(subject.op.outputs);
    runner.thaw();
    if (damage)
        return StepOutcome{ StepOutcome::End::Failed, EvaluationStatus::RuntimeError, *damage };
    if (correctness.wrong > 0)
        return StepOutcome{ StepOutcome::End::Failed, EvaluationStatus::IncorrectNumerical,
            "Right when verified, wrong when timed: " + describeWrong(correctness) };
    run.rechecked = true;
    result.timing = timingOf(sampler.sampled(), options.cache);
    result.floorNs = target::rooflineFloor(subject.op, result.axes, m_machine.device).ns;
    checkPlausible(sampler.sampled(), result, run);
    return step;
}

Result<TimedRun> Timer::time(const Subject& subject, const TimingOptions& options, Cases which,
    std::vector<CaseResult>& results, JobContext& context)
{
    TimedRun run;
    auto started = startRunner(m_machine, subject, context);
    if (!started)
        return started.error();
    run.status = started->outcome.status;
    run.reason = started->outcome.reason;
    std::vector<CaseResult*> wanted;
    for (const std::size_t index : casesBySize(subject.op)) {
        const auto& each = subject.op.cases[index];
        CaseResult* result = which == Cases::All || each.role == spec::Role::Tune ? resultOf(results, each) : nullptr;
        if (result)
            wanted.push_back(result);
    }
    TimingOptions effective = options;
    double logSum = 0;
    for (std::size_t i = 0; i < wanted.size() && started->outcome.done(); ++i) {
        context.report("time", static_cast<double>(i) / static_cast<double>(wanted.size()));
        auto step = timeCase(subject, *started->runner, effective, *wanted[i], run, context);
        if (!step)
            return step.error();
        if (const auto fault = faultOf(*step))
            return *fault;
        if (!step->done()) {
            run.status = wanted[i]->status = step->status;
            run.reason = wanted[i]->reason = inCase(*wanted[i], step->reason);
            break;
        }
        // The cases come in order of size: what is still to come takes at least as long as this one.
        const double logNs = std::log(wanted[i]->timing->medianNs);
        logSum += logNs;
        const double atLeast =
            (logSum + logNs * static_cast<double>(wanted.size() - i - 1)) / static_cast<double>(wanted.size());
        if (options.giveUpAbove > 0 && std::exp(atLeast) > options.giveUpAbove)
            effective.minSamples = effective.maxMs = 1;
    }
    run.log = started->runner->takeLog();
    return run;
}

} // namespace rooftree::worker
