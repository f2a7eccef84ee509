// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/hosts/recordedhost.h"
#include "core/hosts/workerhost.h"
#include "core/kernel/kernelfile.h"
#include "core/search/policy.h"
#include "core/spec/catalogue.h"
#include "searchrunner.h"

#include <algorithm>
#include <memory>

namespace rooftree::app {

namespace {

constexpr int64_t defaultTimeMs = 120'000; // without any limit

Result<search::Budget> budgetFrom(const RunOptions& options)
{
    search::Budget budget;
    budget.evaluations = options.evaluations;
    budget.stall = options.stall;
    budget.money = options.cost;
    budget.targetSpeedup = options.target;
    budget.rooflineFraction = options.roofline;
    if (!options.time.empty()) {
        const auto ms = parseDurationMs(options.time);
        if (!ms || *ms <= 0)
            return Error{ ErrorCode::Usage, "--time " + options.time + " is not a duration. Write 90s, 3m or 2h.", {} };
        budget.timeMs = *ms;
    }
    const bool unlimited = budget.evaluations == 0 && budget.timeMs == 0 && budget.stall == 0
        && budget.targetSpeedup == 0 && budget.rooflineFraction == 0;
    if (unlimited)
        budget.timeMs = defaultTimeMs;
    return budget;
}

std::string defaultSessionPath(const std::string& operatorName)
{
    std::string stamp = isoUtc(Clock::system().wallMs()); // 2026-12-01T12:00:00Z
    std::erase_if(stamp, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
    std::replace(stamp.begin(), stamp.end(), 'T', '-');
    return operatorName + "-" + stamp + ".rooftree";
}

Status checkNames(const RunOptions& options)
{
    if (options.device != "cpu")
        return Error{ ErrorCode::NotFound, "There is no device " + options.device + " here. This machine has: cpu.",
            {} };
    if (options.language != "cpp")
        return Error{ ErrorCode::NotFound,
            "There is no language " + options.language + " for this device. It has: cpp.", {} };
    if (const auto policy = search::makePolicy(options.policy, {}); !policy)
        return policy.error();
    for (const auto& name : options.proposers) {
        if (const auto proposer = synth::makeProposer(name); !proposer)
            return proposer.error();
    }
    return success();
}

// The evaluations of a recorded session instead of a machine.
Result<std::function<std::unique_ptr<hosts::Host>()>> replayFrom(const std::string& path)
{
    auto file = store::SessionFile::open(path, store::OpenMode::ReadOnly);
    if (!file)
        return file.error();
    auto functions = hosts::replayFunctions(**file);
    if (!functions)
        return functions.error();
    return std::function<std::unique_ptr<hosts::Host>()>(
        [functions = std::move(*functions)] { return std::make_unique<hosts::FunctionHost>(functions); });
}

Result<engine::EngineOptions> engineOptions(const RunOptions& options)
{
    if (const auto known = checkNames(options); !known)
        return known.error();
    auto op = spec::findOperator(options.operatorName);
    if (!op)
        return op.error();
    const auto budget = budgetFrom(options);
    if (!budget)
        return budget.error();
    engine::SearchSetup setup;
    setup.op = std::move(*op);
    setup.language = options.language;
    setup.policy = options.policy;
    setup.proposers = options.proposers;
    setup.seed = options.seed;
    setup.jobs = options.jobs;
    setup.cache = options.cache == "cold" ? measure::CacheMode::Cold : measure::CacheMode::Warm;
    if (!options.kernel.empty()) {
        auto kernel = kernel::readKernel(options.kernel, setup.op.name);
        if (!kernel)
            return kernel.error();
        setup.start = std::move(*kernel);
    }
    engine::EngineOptions result;
    result.path = options.session.empty() ? defaultSessionPath(setup.op.name) : options.session;
    result.create = std::move(setup);
    result.budget = *budget;
    result.makeHost = [] { return std::make_unique<hosts::WorkerHost>(); };
    if (!options.replay.empty()) {
        auto replay = replayFrom(options.replay);
        if (!replay)
            return replay.error();
        result.makeHost = std::move(*replay);
        result.admit = false;
    }
    return result;
}

} // namespace

int runSearch(const RunOptions& options)
{
    auto engine = engineOptions(options);
    if (!engine)
        return fail(engine.error(), options.json);
    return SearchRunner(std::move(*engine), options.json).run();
}

int resumeSearch(const ResumeOptions& options)
{
    engine::EngineOptions engine;
    engine.path = options.session;
    engine.makeHost = [] { return std::make_unique<hosts::WorkerHost>(); };
    if (options.evaluations > 0 || !options.time.empty()) {
        search::Budget budget;
        budget.evaluations = options.evaluations;
        if (!options.time.empty()) {
            const auto ms = parseDurationMs(options.time);
            if (!ms || *ms <= 0)
                return fail(
                    { ErrorCode::Usage, "--time " + options.time + " is not a duration. Write 90s, 3m or 2h.", {} },
                    options.json);
            budget.timeMs = *ms;
        }
        engine.budget = budget;
    }
    return SearchRunner(std::move(engine), options.json).run();
}

} // namespace rooftree::app
