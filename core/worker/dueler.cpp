// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/dueler.h"

#include <algorithm>
#include <optional>

namespace rooftree::worker {

namespace {

constexpr int fewestPairs = 3;
constexpr double warmCallNs = 20e6; // slower kernels carry their own warm-up: the first part of the call
constexpr std::array<const char*, 2> sideNames{ "candidate", "incumbent" };

Status stepStatus(const StepOutcome& step, std::size_t side)
{
    if (step.done())
        return success();
    if (const auto fault = faultOf(step))
        return *fault;
    return Error{ ErrorCode::Failed, std::string("The ") + sideNames[side] + " failed in the duel: " + step.reason,
        {} };
}

double msSince(int64_t startNs)
{
    return static_cast<double>(Clock::system().monotonicNs() - startNs) / 1e6;
}

} // namespace

struct Dueler::Arena {
    // One side in one case.
    struct Corner {
        int64_t innerCalls = 1;
        double callNs = 0;
        double sampleMs() const
        {
            return callNs * (static_cast<double>(innerCalls) + (callNs < warmCallNs ? 1 : 0)) / 1e6;
        }
    };
    // Both sides work on the same memory: pages of their own, good or bad for the caches, would favour one of them.
    struct Ring {
        BoundCase bound;
        std::array<Corner, sides> corners;
    };
    const DuelRequest& request;
    std::vector<Subject> subjects; // one per side
    std::vector<Ring> cases;
    std::vector<measure::DuelCase> results;
    int64_t flushBytes = 0;

    double pairMs() const
    {
        double sum = 0;
        for (const auto& ring : cases) {
            for (const auto& corner : ring.corners)
                sum += corner.sampleMs();
        }
        return sum;
    }
};

Result<std::shared_ptr<const Object>> Dueler::build(const char* who, const kernel::Candidate& candidate,
    Purpose purpose, const DuelRequest& request, const JobContext& context) const
{
    auto built = m_builder.build({ candidate, purpose, request.limits }, context);
    if (!built)
        return built.error();
    if (!built->object)
        return Error{ ErrorCode::Failed, std::string("The ") + who + " does not compile: " + built->reason,
            built->log };
    return built->object;
}

Result<Dueler::Arena> Dueler::prepare(const spec::Operator& op, const DuelRequest& request, JobContext& context)
{
    context.report("waiting");
    const auto pass = m_gate.enter(MachineLock::Mode::Work, context);
    context.report("build");
    Arena arena{ request, {}, {}, {}, 0 };
    if (request.timing.cache == measure::CacheMode::Cold)
        arena.flushBytes = std::max<int64_t>(2 * m_machine.device.lastLevelCacheBytes, 1 << 20);
    for (std::size_t side = 0; side < sides; ++side) {
        auto object = side == 0 ? build(sideNames[side], request.candidate, Purpose::Candidate, request, context)
                                : build(sideNames[side], request.incumbent, request.incumbentPurpose, request, context);
        if (!object)
            return object.error();
        arena.subjects.push_back({ op, *object, request.seed, request.limits, largestCaseBytes(op) });
    }
    for (const auto& which : op.cases) {
        if (which.role == spec::Role::HeldOut && !request.heldOut)
            continue;
        auto bound = BoundCase::make(m_store, arena.subjects.front(), which, context);
        if (!bound)
            return bound.error();
        arena.cases.push_back({ std::move(bound).value(), {} });
        arena.results.push_back({ which.axes, {}, {} });
    }
    return arena;
}

Result<std::array<std::unique_ptr<Runner>, Dueler::sides>> Dueler::startPair(
    const Arena& arena, const JobContext& context) const
{
    std::array<std::unique_ptr<Runner>, sides> runners;
    for (std::size_t side = 0; side < sides; ++side) {
        auto started = startRunner(m_machine, arena.subjects[side], context);
        if (!started)
            return started.error();
        if (auto status = stepStatus(started->outcome, side); !status)
            return status.error();
        runners[side] = std::move(started->runner);
        runners[side]->freeze();
    }
    return runners;
}

// How long a call of each side takes in each case, and how many of them make a sample.
Status Dueler::estimate(Arena& arena, JobContext& context) const
{
    auto runners = startPair(arena, context);
    if (!runners)
        return runners.error();
    const int64_t runMs = context.limitMs(arena.request.limits.runMs);
    for (auto& ring : arena.cases) {
        for (std::size_t side = 0; side < sides; ++side) {
            auto& corner = ring.corners[side];
            auto& runner = *(*runners)[side];
            runner.thaw();
            Sampler sampler(runner, ring.bound.outputs(), arena.request.timing, runMs, arena.flushBytes);
            auto step = ring.bound.mapInto(runner, runMs);
            if (step.done())
                step = sampler.warmUp();
            if (auto status = stepStatus(step, side); !status)
                return status;
            runner.freeze();
            corner.innerCalls = sampler.sampled().innerCalls;
            corner.callNs = sampler.callNs();
        }
    }
    return success();
}

Status Dueler::runBlock(Arena& arena, int process, int pairs, JobContext& context) const
{
    auto runners = startPair(arena, context);
    if (!runners)
        return runners.error();
    const int64_t runMs = context.limitMs(arena.request.limits.runMs);
    for (std::size_t index = 0; index < arena.cases.size(); ++index) {
        auto& [bound, corners] = arena.cases[index];
        std::vector<Sampler> samplers;
        for (std::size_t side = 0; side < sides; ++side) {
            auto& runner = *(*runners)[side];
            runner.thaw();
            if (auto status = stepStatus(bound.mapInto(runner, runMs), side); !status)
                return status;
            runner.freeze();
            samplers.emplace_back(runner, bound.outputs(), arena.request.timing, runMs, arena.flushBytes);
            samplers.back().adopt(corners[side].innerCalls, corners[side].callNs);
        }
        for (int pair = 0; pair < pairs; ++pair) {
            std::array<double, sides> ns{};
            for (std::size_t turn = 0; turn < sides; ++turn) {
                const std::size_t side = (static_cast<std::size_t>(process + pair) + turn) % sides;
                auto& runner = *(*runners)[side];
                runner.thaw();
                StepOutcome step;
                if (corners[side].callNs < warmCallNs && arena.flushBytes == 0)
                    step = runner.call(1, 0, runMs);
                if (step.done())
                    step = samplers[side].sampleOnce();
                runner.freeze();
                if (auto status = stepStatus(step, side); !status)
                    return status;
                ns[side] = samplers[side].sampled().samplesNs.back();
            }
            arena.results[index].pairs.push_back({ process, ns[0], ns[1] });
        }
    }
    return success();
}

Result<measure::DuelResult> Dueler::duel(const spec::Operator& op, const DuelRequest& request, JobContext& context)
{
    context.startBudget(request.limits.totalMs);
    auto prepared = prepare(op, request, context);
    if (!prepared)
        return prepared.error();
    Arena& arena = *prepared;
    context.report("waiting");
    const auto pass = m_gate.enter(MachineLock::Mode::Timing, context);
    const int64_t start = Clock::system().monotonicNs();
    if (auto status = estimate(arena, context); !status)
        return status.error();
    const auto maxMs = static_cast<double>(request.maxMs);
    int processes = request.processes;
    int pairs = request.pairsPerProcess;
    while (pairs > 1 && processes * pairs > fewestPairs && processes * pairs * arena.pairMs() > maxMs)
        --pairs;
    while (processes * pairs > fewestPairs && processes > 1 && processes * pairs * arena.pairMs() > maxMs)
        --processes;
    std::optional<measure::DuelResult> result;
    int block = 0;
    for (int round = 0; round < 2; ++round) {
        const int64_t roundStart = Clock::system().monotonicNs();
        for (int i = 0; i < processes; ++i) {
            context.report("duel", static_cast<double>(i) / processes);
            if (round > 0 && msSince(start) + msSince(roundStart) / std::max(1, i) > maxMs)
                break;
            if (auto status = runBlock(arena, block, pairs, context); !status)
                return status.error();
            ++block;
        }
        result = measure::judgeDuel(arena.results, request.margin, Rng(request.seed));
        if (result->verdict != measure::Verdict::Ambiguous || msSince(start) > maxMs)
            break;
    }
    return *std::move(result);
}

} // namespace rooftree::worker
