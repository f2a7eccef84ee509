// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "core/base/json.h"
#include "core/kernel/kernelfile.h"
#include "core/spec/catalogue.h"
#include "judge.h"
#include "report.h"

#include <cstdio>

namespace rooftree::app {

namespace {

Json intervalJson(const measure::Interval& interval)
{
    return { { "value", interval.value }, { "lo", interval.lo }, { "hi", interval.hi } };
}

measure::CacheMode cacheMode(const std::string& name)
{
    return name == "cold" ? measure::CacheMode::Cold : measure::CacheMode::Warm;
}

int fault(const Error& error, bool json)
{
    fail(error, json);
    return exitCodeOf(error);
}

Speedups speedupsOver(
    const std::map<std::string, measure::Evaluation>& baselines, const measure::Evaluation& evaluation)
{
    Speedups speedups;
    for (const auto& [name, baseline] : baselines) {
        if (const auto speedup = measure::speedupOver(baseline, evaluation))
            speedups[name] = *speedup;
    }
    return speedups;
}

void printEvaluation(
    const measure::Evaluation& evaluation, const Speedups& speedups, const std::vector<std::string>& notes, bool json)
{
    if (!json) {
        std::fputs(evaluationText(evaluation).c_str(), stdout);
        if (!speedups.empty())
            std::printf("speedup: %s\n", speedupText(speedups).c_str());
        for (const auto& note : notes)
            std::printf("note: %s\n", note.c_str());
        return;
    }
    Json document = measure::toJson(evaluation);
    document["schema"] = 1;
    document["speedup"] = Json::object();
    for (const auto& [name, interval] : speedups)
        document["speedup"][name] = intervalJson(interval);
    document["notes"] = notes;
    std::printf("%s\n", document.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

} // namespace

int evalKernel(const EvalOptions& options)
{
    const auto op = spec::findOperator(options.operatorName);
    if (!op)
        return fault(op.error(), options.json);
    const auto candidate = kernel::readKernel(options.kernel, op->name);
    if (!candidate)
        return fault(candidate.error(), options.json);
    Judge judge;
    if (const auto hello = judge.start(); !hello)
        return fault(hello.error(), options.json);
    if (const auto known = judge.setOperator(*op); !known)
        return fault(known.error(), options.json);
    worker::EvaluateRequest request;
    request.candidate = *candidate;
    request.seed = options.seed;
    request.timeHeldOut = true;
    request.timing.cache = cacheMode(options.cache);
    const auto evaluation = judge.evaluate(request);
    if (!evaluation)
        return fault(evaluation.error(), options.json);
    std::vector<std::string> notes;
    Speedups speedups;
    if (evaluation->passed() && options.baselines) {
        const auto baselines = judge.baselines(*op, options.seed, request.timing.cache, notes);
        if (!baselines)
            return fault(baselines.error(), options.json);
        speedups = speedupsOver(*baselines, *evaluation);
    }
    printEvaluation(*evaluation, speedups, notes, options.json);
    return evaluation->passed() ? 0 : 1;
}

int compareKernels(const CompareOptions& options)
{
    const auto op = spec::findOperator(options.operatorName);
    if (!op)
        return fault(op.error(), options.json);
    worker::DuelRequest duel;
    for (auto [path, into] :
        { std::pair(&options.kernelA, &duel.candidate), std::pair(&options.kernelB, &duel.incumbent) }) {
        auto candidate = kernel::readKernel(*path, op->name);
        if (!candidate)
            return fault(candidate.error(), options.json);
        *into = std::move(*candidate);
    }
    Judge judge;
    if (const auto hello = judge.start(); !hello)
        return fault(hello.error(), options.json);
    if (const auto known = judge.setOperator(*op); !known)
        return fault(known.error(), options.json);
    for (const auto* candidate : { &duel.candidate, &duel.incumbent }) {
        worker::EvaluateRequest request;
        request.candidate = *candidate;
        request.seed = options.seed;
        request.time = false;
        const auto evaluation = judge.evaluate(request);
        if (!evaluation)
            return fault(evaluation.error(), options.json);
        if (!evaluation->passed()) {
            const auto& path = candidate == &duel.candidate ? options.kernelA : options.kernelB;
            return fail({ ErrorCode::Failed,
                            path + " cannot take part: " + std::string(measure::statusName(evaluation->status)) + ", "
                                + evaluation->reason,
                            {} },
                options.json);
        }
    }
    duel.seed = options.seed;
    duel.margin = options.margin;
    duel.processes = options.processes;
    duel.pairsPerProcess = options.pairs;
    duel.timing.cache = cacheMode(options.cache);
    const auto result = judge.duel(duel);
    if (!result)
        return fault(result.error(), options.json);
    if (options.json) {
        Json document = measure::toJson(*result);
        document["schema"] = 1;
        std::printf("%s\n", document.dump(2).c_str());
    } else {
        std::fputs(duelText(*result).c_str(), stdout);
    }
    return 0;
}

} // namespace rooftree::app
