// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/verifier.h"
#include "core/worker/judge.h"

#include <algorithm>
#include <cstring>

namespace rooftree::worker {

namespace {

using measure::CaseResult;
using measure::EvaluationStatus;
using Poison = OutputBuffers::Poison;

// Beyond these a second call of a case would cost more than what it tells.
constexpr std::size_t repeatBytes = 16 << 20;
constexpr int64_t repeatNs = 100'000'000;

void fail(CaseResult& result, EvaluationStatus status, const std::string& reason)
{
    result.status = status;
    result.reason = "Case " + spec::caseName({ result.axes, result.role }) + ": " + reason;
}

// Damage beside the outputs, then their values.
void judge(const spec::Operator& op, BoundCase& bound, CaseResult& result)
{
    if (const auto damage = bound.outputs().damage(op.outputs))
        return fail(result, EvaluationStatus::RuntimeError, *damage);
    const auto deterministic = result.correctness ? result.correctness->deterministic : std::nullopt;
    auto correctness = judgeOutputs(op, outputViews(bound.outputs(), op.outputs.size()), bound.truth());
    correctness.deterministic = deterministic;
    if (correctness.wrong > 0)
        fail(result, EvaluationStatus::IncorrectNumerical, describeWrong(correctness));
    result.correctness = std::move(correctness);
}

std::vector<std::byte> snapshot(const OutputBuffers& outputs)
{
    const auto bytes = outputs.file().bytes();
    return { bytes.begin(), bytes.end() };
}

} // namespace

StepOutcome Verifier::repeatCall(
    const Subject& subject, Runner& runner, BoundCase& bound, CaseResult& result, JobContext& context)
{
    const auto first = snapshot(bound.outputs());
    bound.outputs().poison(Poison::Pattern);
    runner.thaw();
    auto step = runner.call(1, 0, context.limitMs(subject.limits.runMs));
    if (!step.done())
        return step;
    runner.freeze();
    const bool same = std::memcmp(first.data(), bound.outputs().file().bytes().data(), first.size()) == 0;
    result.correctness->deterministic = same;
    if (!same)
        judge(subject.op, bound, result);
    return step;
}

Result<CaseResult> Verifier::verifyCase(
    const Subject& subject, Runner& runner, const spec::Case& which, JobContext& context)
{
    CaseResult result;
    result.axes = which.axes;
    result.role = which.role;
    auto bound = BoundCase::make(m_store, subject, which, context);
    if (!bound)
        return bound.error();
    auto step = bound->mapInto(runner, context.limitMs(subject.limits.runMs));
    if (step.done())
        step = runner.call(1, 0, context.limitMs(subject.limits.runMs));
    if (step.done()) {
        const int64_t firstNs = step.insideNs;
        runner.freeze(); // nothing of the candidate runs on while its outputs are read
        judge(subject.op, *bound, result);
        if (result.status == EvaluationStatus::Passed && bound->outputs().bytes() <= repeatBytes && firstNs <= repeatNs)
            step = repeatCall(subject, runner, *bound, result, context);
        runner.thaw();
    }
    if (const auto fault = faultOf(step))
        return *fault;
    if (!step.done())
        fail(result, step.status, step.reason);
    return result;
}

Result<Verification> Verifier::verify(const Subject& subject, JobContext& context, Extent extent)
{
    Verification verification;
    auto started = startRunner(m_machine, subject, context);
    if (!started)
        return started.error();
    Runner& runner = *started->runner;
    verification.sandboxLevel = runner.sandboxLevel();
    verification.status = started->outcome.status;
    verification.reason = started->outcome.reason;
    const auto order = casesBySize(subject.op);
    std::vector<std::pair<std::size_t, CaseResult>> results;
    for (std::size_t i = 0; i < order.size() && started->outcome.done(); ++i) {
        context.report("verify", static_cast<double>(i) / static_cast<double>(order.size()));
        auto result = verifyCase(subject, runner, subject.op.cases[order[i]], context);
        if (!result)
            return result.error();
        verification.launched |= result->correctness.has_value();
        const bool failed = result->status != EvaluationStatus::Passed;
        if (failed && verification.status == EvaluationStatus::Passed) {
            verification.status = result->status;
            verification.reason = result->reason;
        }
        results.emplace_back(order[i], std::move(result).value());
        if (failed && extent == Extent::UntilFailure)
            break;
    }
    std::sort(results.begin(), results.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& result : results)
        verification.cases.push_back(std::move(result.second));
    verification.log = runner.takeLog();
    return verification;
}

} // namespace rooftree::worker
