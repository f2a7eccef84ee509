// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/sampleevents.h"

#include "core/kernel/tunables.h"
#include "core/spec/operatorreader.h"

namespace rooftree::store {

namespace {

const char* const operatorToml = R"(name = "copy"
axes = { n = "var" }
[[inputs]]
name = "x"
shape = ["n"]
dtype = "float32"
[[outputs]]
name = "y"
shape = ["n"]
dtype = "float32"
[reference]
file = "reference.cpp"
[cost]
bytes = "8 * n"
[[cases]]
axes = { n = 1000 }
)";

kernel::Candidate sampleCandidate(int64_t salt)
{
    std::string source = "// kernel " + std::to_string(salt) + "\n";
    for (int i = 0; i < 40; ++i)
        source += "void helper" + std::to_string(i)
            + "(float* x, long n) { for (long i = 0; i < n; ++i) x[i] += " + std::to_string(salt) + "; }\n";
    return { kernel::Language::Cpp, "copy", { { "kernel.cpp", source }, { "detail/helper.h", "#pragma once\n" } } };
}

measure::DuelResult sampleDuel()
{
    measure::DuelResult duel{ measure::Verdict::Faster, { 1.5, 1.4, 1.6 }, 0.03, 2, {} };
    duel.cases.push_back({ { { "n", 1000 } }, { { 0, 10.5, 15.25 }, { 1, 11, 16 } }, { 1.5, 1.4, 1.6 } });
    return duel;
}

search::Selection sampleSelection(int64_t parent)
{
    search::Selection selection;
    selection.parent = NodeId{ parent };
    selection.proposer = "transform";
    selection.memory = search::MemoryMode::Siblings;
    selection.record = { "mcts", { { NodeId{ parent }, 0.5, { { "mean", 0.25 }, { "explore", 0.25 } } } },
        { { "transform", search::MemoryMode::Siblings, 0.75, { { "prior", 1 } } } }, "It looked best." };
    return selection;
}

NodeAdded sampleNode(int64_t id, std::vector<NodeId> parents)
{
    NodeAdded added;
    added.node = NodeId{ id };
    added.expansion = ExpansionId{ parents.empty() ? -1 : id };
    added.parents = std::move(parents);
    added.proposer = "transform";
    added.technique = "tile";
    added.title = "tile the loop by " + std::to_string(id);
    added.moveKey = "tile:" + std::to_string(id);
    added.candidate = sampleCandidate(id);
    added.sourceHash = kernel::sourceHash(added.candidate);
    added.structureHash = kernel::structureHash(added.candidate);
    return added;
}

} // namespace

SessionCreated sampleSession()
{
    SessionCreated created;
    created.session = "01JTESTSESSION000000000000";
    created.version = "0.1.0";
    created.op = *spec::parseOperator(
        operatorToml, "operator.toml", { { "reference.cpp", "void copy(const real* x, real* y, long n);" } });
    created.device.id = "cpu";
    created.device.kind = "cpu";
    created.device.name = "A machine";
    created.toolchains = { { "cpp", "g++", "/usr/bin/g++", "12.2.0", "0a1b", "it is too old" } };
    created.language = "cpp";
    created.policy = "mcts";
    created.proposers = { "library", "transform", "tune" };
    created.seed = 42;
    created.jobs = 3;
    created.budget.evaluations = 100;
    created.cache = "cold";
    return created;
}

measure::Evaluation sampleEvaluation(int64_t salt)
{
    measure::Evaluation evaluation;
    evaluation.status = measure::EvaluationStatus::Passed;
    evaluation.certificate = { { "compile", measure::RungStatus::Pass, "" },
        { "sanitizer", measure::RungStatus::NotRun, "not asked for" } };
    evaluation.suspicions = { "faster than the roofline" };
    evaluation.stages = { { "build", measure::StageStatus::Passed, 812.5, "a warning" },
        { "verify", measure::StageStatus::Passed, 30.25, "" }, { "time", measure::StageStatus::Passed, 100, "" } };
    measure::CaseResult result;
    result.axes = { { "n", 1000 } };
    result.correctness =
        measure::Correctness{ 1000, 0, 1e-7, 1e-6, 2, { 990, 8, 2 }, std::nullopt, std::nullopt, false, true };
    measure::Timing timing;
    timing.medianNs = 1000.0 + static_cast<double>(salt);
    timing.loNs = timing.medianNs - 1;
    timing.hiNs = timing.medianNs + 1;
    for (int i = 0; i < 30; ++i)
        timing.samplesNs.push_back(timing.medianNs + 0.1 * i);
    timing.cache = measure::CacheMode::Cold;
    timing.relativeError = 0.01;
    result.timing = timing;
    result.floorNs = 500;
    evaluation.cases = { result };
    evaluation.bound = "memory";
    evaluation.boundEvidence = "It moves many bytes.";
    evaluation.rooflineFraction = 0.5;
    evaluation.objectHash = "0123";
    evaluation.compiler = "g++ 12.2.0";
    evaluation.flags = "-O3";
    evaluation.environment = "2 threads";
    return evaluation;
}

std::vector<EventBody> rootEvents()
{
    return { sampleNode(0, {}), NodeEvaluated{ NodeId{ 0 }, sampleEvaluation(0), 0.0, { { "naive", { 1, 1, 1 } } } } };
}

std::vector<EventBody> nodeEvents(int64_t id, int64_t parent)
{
    std::vector<EventBody> events{ ExpansionSelected{ ExpansionId{ id }, sampleSelection(parent) },
        sampleNode(id, { NodeId{ parent } }) };
    if (id % 7 == 0) {
        events.emplace_back(NodeEvaluated{ NodeId{ id },
            measure::failedEvaluation(measure::EvaluationStatus::CompileError, "It does not compile."), std::nullopt,
            {} });
    } else {
        const double value = 0.1 * static_cast<double>(id % 13);
        events.emplace_back(
            NodeEvaluated{ NodeId{ id }, sampleEvaluation(id), value, { { "naive", { 1.5, 1.25, 1.75 } } } });
    }
    events.emplace_back(ExpansionEnded{ ExpansionId{ id }, "evaluated", NodeId{ id }, "" });
    return events;
}

std::vector<EventBody> oneOfEveryKind()
{
    search::Budget budget;
    budget.timeMs = 60000;
    auto selection = sampleSelection(0);
    selection.second = NodeId{ 0 };
    selection.memory = search::MemoryMode::Both;
    std::vector<EventBody> events{ sampleSession(), RunStarted{ budget, "sandbox full" },
        BaselineMeasured{ "vendor", "OpenBLAS", sampleEvaluation(7) } };
    for (auto& event : rootEvents())
        events.push_back(std::move(event));
    events.emplace_back(ExpansionSelected{ ExpansionId{ 1 }, selection });
    events.emplace_back(sampleNode(1, { NodeId{ 0 }, NodeId{ 0 } }));
    events.emplace_back(NodeLost{ NodeId{ 1 }, "its worker died twice" });
    events.emplace_back(ExpansionEnded{ ExpansionId{ 1 }, "lost", NodeId{ 1 }, "because" });
    events.emplace_back(DuelFought{ NodeId{ 1 }, NodeId{ 0 }, sampleDuel(), true });
    events.emplace_back(ChampionMeasured{ NodeId{ 1 }, "naive", sampleDuel() });
    events.emplace_back(Steered{ "pin", NodeId{ 0 }, "a good one" });
    events.emplace_back(RunStopped{ "time", 59000 });
    return events;
}

} // namespace rooftree::store
