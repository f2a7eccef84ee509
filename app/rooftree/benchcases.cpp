// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "benchcases.h"

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/rng.h"
#include "core/engine/enginethread.h"
#include "core/engine/preparation.h"
#include "core/hosts/recordedhost.h"
#include "core/measure/statistics.h"
#include "core/spec/operatorreader.h"
#include "judge.h"

#include <QEventLoop>
#include <fmt/format.h>

#include <atomic>
#include <cmath>

namespace rooftree::app {

namespace {

constexpr int engineNodes = 10'000;
constexpr int writtenNodes = 10'000;
constexpr int openedNodes = 100'000;
constexpr int evaluatedKernels = 15;

double secondsSince(int64_t startNs)
{
    return static_cast<double>(Clock::system().monotonicNs() - startNs) / 1e9;
}

// A small operator of its own, so that the figures do not depend on the catalogue.
Result<spec::Operator> benchOperator()
{
    return spec::parseOperator(R"(
name = "scale"
family = "elementwise"
description = "Twice the input."
axes = { n = "var" }
[[inputs]]
name = "x"
shape = ["n"]
dtype = "float32"
fill = { kind = "normal" }
[[outputs]]
name = "y"
shape = ["n"]
dtype = "float32"
[reference]
language = "cpp"
file = "reference.cpp"
[cost]
flops = "n"
bytes = "8 * n"
[[cases]]
axes = { n = 4096 }
[[cases]]
axes = { n = 333 }
role = "held-out"
)",
        "bench.toml",
        { { "reference.cpp",
            "#include <cstdint>\nextern \"C\" void scale(const real* x, real* y, int64_t n)\n{\n"
            "    for (int64_t i = 0; i < n; ++i)\n        y[i] = x[i] + x[i];\n}\n" } });
}

kernel::Candidate variant(const spec::Operator& op, int64_t number)
{
    auto candidate = engine::operatorCandidate(op, op.naiveSource);
    candidate.files.front().content += fmt::format("// variant {}\n", number);
    return candidate;
}

measure::Evaluation someEvaluation(uint64_t salt)
{
    Rng rng(salt);
    measure::Evaluation evaluation;
    evaluation.status = rng.below(5) == 0 ? measure::EvaluationStatus::CompileError : measure::EvaluationStatus::Passed;
    evaluation.stages = { { "build", measure::StageStatus::Passed, 300, std::string(200, 'w') },
        { "verify", measure::StageStatus::Passed, 40, {} }, { "time", measure::StageStatus::Passed, 200, {} } };
    evaluation.bound = rng.below(2) ? "memory" : "compute";
    measure::CaseResult result;
    result.axes = { { "n", 4096 } };
    if (evaluation.passed()) {
        measure::Timing timing;
        timing.medianNs = 1e6 * std::exp(-rng.uniform());
        timing.loNs = timing.medianNs * 0.99;
        timing.hiNs = timing.medianNs * 1.01;
        timing.samplesNs.assign(20, timing.medianNs);
        result.timing = timing;
    }
    evaluation.cases = { result };
    return evaluation;
}

// Endless small changes, each a new source.
class VariantProposer : public synth::Proposer {
public:
    explicit VariantProposer(spec::Operator op)
        : m_op(std::move(op))
    {
    }
    std::string name() const override { return "bench"; }
    Result<std::vector<synth::Proposal>> propose(const synth::ProposalRequest&) override
    {
        const int64_t number = ++m_number;
        return std::vector<synth::Proposal>{ { variant(m_op, number), fmt::format("v{}", number),
            fmt::format("technique{}", number % 7), "a small change" } };
    }

private:
    spec::Operator m_op;
    std::atomic<int64_t> m_number{ 0 };
};

engine::EngineOptions nullSearch(const spec::Operator& op, const std::filesystem::path& path, const std::string& policy)
{
    engine::EngineOptions options;
    options.path = path;
    engine::SearchSetup setup;
    setup.op = op;
    setup.policy = policy;
    setup.proposers = { "bench" };
    options.create = setup;
    options.budget = search::Budget{ engineNodes };
    options.admit = false;
    options.measureChampion = false;
    options.makeProposer = [op](const std::string&) {
        return Result<std::unique_ptr<synth::Proposer>>(std::make_unique<VariantProposer>(op));
    };
    options.makeHost = []() -> std::unique_ptr<hosts::Host> {
        hosts::FunctionHost::Functions functions;
        functions.hello.devices = { target::Device{ "cpu", "cpu", "null device" } };
        functions.hello.toolchains = { { "cpp", "null", {}, {}, {}, {} } };
        functions.evaluate = [](const worker::EvaluateRequest& request) {
            auto evaluation = someEvaluation(static_cast<uint64_t>(request.job.value));
            if (request.purpose == worker::Purpose::Baseline)
                evaluation = someEvaluation(3);
            evaluation.status =
                request.purpose == worker::Purpose::Baseline ? measure::EvaluationStatus::Passed : evaluation.status;
            return hosts::Answer<measure::Evaluation>{ evaluation, {}, {} };
        };
        functions.duel = [](const worker::DuelRequest&) {
            measure::DuelResult result;
            result.verdict = measure::Verdict::Same;
            return hosts::Answer<measure::DuelResult>{ result, {}, {} };
        };
        return std::make_unique<hosts::FunctionHost>(functions);
    };
    return options;
}

std::vector<store::EventBody> nodeEvents(const spec::Operator& op, int64_t id)
{
    const auto candidate = variant(op, id);
    const NodeId node{ id };
    store::NodeAdded added;
    added.node = node;
    if (id > 0)
        added.parents = { NodeId{ (id - 1) / 2 } };
    added.expansion = ExpansionId{ id };
    added.proposer = "bench";
    added.sourceHash = kernel::sourceHash(candidate);
    added.structureHash = added.sourceHash;
    added.candidate = candidate;
    search::Selection selection;
    selection.parent = NodeId{ std::max<int64_t>(0, (id - 1) / 2) };
    selection.proposer = "bench";
    std::vector<store::EventBody> events;
    if (id > 0)
        events.emplace_back(store::ExpansionSelected{ ExpansionId{ id }, selection });
    events.emplace_back(added);
    events.emplace_back(store::NodeEvaluated{
        node, someEvaluation(static_cast<uint64_t>(id)), 0.1, { { "naive", { 1.1, 1.0, 1.2 } } } });
    if (id > 0)
        events.emplace_back(store::ExpansionEnded{ ExpansionId{ id }, "evaluated", node, {} });
    return events;
}

// batch: nodes in one transaction; a search writes one at a time.
Status writeSession(const std::filesystem::path& path, const spec::Operator& op, int nodes, int batch)
{
    auto file = store::SessionFile::open(path, store::OpenMode::Create);
    if (!file)
        return file.error();
    store::SessionCreated created;
    created.session = "00000000000000000000000000";
    created.op = op;
    if (auto written = (*file)->append(created, 0); !written)
        return written;
    std::vector<store::EventBody> events;
    for (int64_t id = 0; id < nodes; ++id) {
        for (auto& event : nodeEvents(op, id))
            events.push_back(std::move(event));
        if ((id + 1) % batch != 0)
            continue;
        if (auto written = (*file)->append(events, 0); !written)
            return written;
        events.clear();
    }
    return success();
}

// The time that the candidate's own calls took in the time stage, in seconds.
double runSeconds(const measure::Evaluation& evaluation)
{
    double ns = 0;
    for (const auto& result : evaluation.cases) {
        for (const double sample : result.timing ? result.timing->samplesNs : std::vector<double>{})
            ns += sample * static_cast<double>(result.timing->innerCalls);
    }
    return ns / 1e9;
}

} // namespace

Result<std::vector<BenchRow>> benchEngine()
{
    const auto op = benchOperator();
    if (!op)
        return op.error();
    std::vector<BenchRow> rows;
    for (const std::string policy : { "mcts", "evolve" }) {
        const auto dir = TemporaryDir::make("rooftree-bench");
        if (!dir)
            return dir.error();
        engine::EngineThread engine(nullSearch(*op, dir->path() / "bench.rooftree", policy));
        QEventLoop loop;
        int64_t nodes = 0;
        std::optional<Error> error;
        QObject::connect(&engine, &engine::EngineThread::updated, &loop, [&](const engine::EngineUpdatePtr& update) {
            nodes = update->status.nodes;
            error = update->status.error;
        });
        QObject::connect(&engine, &engine::EngineThread::finished, &loop, &QEventLoop::quit);
        const int64_t start = Clock::system().monotonicNs();
        engine.start();
        loop.exec();
        if (error)
            return *error;
        rows.push_back({ fmt::format("engine: per node over {} nodes, {}", nodes, policy),
            1e3 * secondsSince(start) / static_cast<double>(std::max<int64_t>(1, nodes)), "ms", 5 });
    }
    return rows;
}

Result<std::vector<BenchRow>> benchStore()
{
    const auto op = benchOperator();
    const auto dir = TemporaryDir::make("rooftree-bench");
    if (!op || !dir)
        return !op ? op.error() : dir.error();
    std::vector<BenchRow> rows;
    int64_t start = Clock::system().monotonicNs();
    if (const auto written = writeSession(dir->path() / "small.rooftree", *op, writtenNodes, 1); !written)
        return written.error();
    rows.push_back({ fmt::format("store: write {} nodes, one by one", writtenNodes), secondsSince(start), "s", 5 });
    if (const auto written = writeSession(dir->path() / "large.rooftree", *op, openedNodes, 1000); !written)
        return written.error();
    std::vector<double> opened;
    for (int i = 0; i < 3; ++i) {
        start = Clock::system().monotonicNs();
        const auto file = store::SessionFile::open(dir->path() / "large.rooftree", store::OpenMode::ReadOnly);
        if (!file)
            return file.error();
        const auto tree = (*file)->loadTree();
        if (!tree)
            return tree.error();
        opened.push_back(secondsSince(start));
    }
    rows.push_back({ fmt::format("store: open {} nodes", openedNodes), measure::median(opened), "s", 1 });
    return rows;
}

Result<std::vector<BenchRow>> benchEvaluate()
{
    const auto op = benchOperator();
    if (!op)
        return op.error();
    Judge judge;
    if (const auto hello = judge.start(); !hello)
        return hello.error();
    if (const auto known = judge.setOperator(*op); !known)
        return known.error();
    std::vector<double> own;
    for (int i = 0; i < evaluatedKernels; ++i) {
        worker::EvaluateRequest request;
        request.candidate = variant(*op, i);
        request.timing.maxMs = 50;
        const int64_t start = Clock::system().monotonicNs();
        const auto evaluation = judge.evaluate(request);
        if (!evaluation)
            return evaluation.error();
        if (!evaluation->passed())
            return Error{ ErrorCode::Failed, "The bench kernel does not pass: " + evaluation->reason, {} };
        const double build = evaluation->stages.empty() ? 0 : evaluation->stages.front().ms / 1e3;
        own.push_back(secondsSince(start) - build - runSeconds(*evaluation));
    }
    return std::vector<BenchRow>{ { "evaluate: worker's own cost per candidate", 1e3 * measure::median(own), "ms",
        100 } };
}

} // namespace rooftree::app
