// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "enginefixture.h"

#include "core/engine/preparation.h"
#include "core/spec/operatorreader.h"

#include <QEventLoop>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace rooftree::test {

spec::Operator scaleOperator()
{
    const auto op = spec::parseOperator(R"(
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
)",
        "test.toml",
        { { "reference.cpp", "// quality=1\nextern \"C\" void scale(const real* x, real* y, long n);\n" } });
    if (!op)
        qFatal("%s", op.error().text.c_str());
    return *op;
}

kernel::Candidate kernelOfQuality(double quality, const std::string& extra)
{
    char text[64];
    std::snprintf(text, sizeof text, "// quality=%.4f\n", quality);
    return engine::operatorCandidate(scaleOperator(), text + extra);
}

static double qualityOf(const kernel::Candidate& candidate)
{
    const auto& text = candidate.mainSource();
    const auto at = text.find("quality=");
    return at == std::string::npos ? 1 : std::strtod(text.c_str() + at + 8, nullptr);
}

Result<std::vector<synth::Proposal>> ScriptedProposer::propose(const synth::ProposalRequest& request)
{
    const auto number = static_cast<int>(request.triedMoves.size());
    if (number >= m_most)
        return std::vector<synth::Proposal>{};
    Rng rng = request.rng;
    const bool broken = rng.below(5) == 0;
    const double quality = qualityOf(request.parent) * (0.9 + 0.3 * rng.uniform());
    const std::string key = "move " + std::to_string(number);
    return std::vector<synth::Proposal>{ { kernelOfQuality(quality, broken ? "broken\n" : ""), key, "change", key } };
}

static hosts::Answer<measure::Evaluation> judged(const worker::EvaluateRequest& request)
{
    const auto& text = request.candidate.mainSource();
    if (text.find("lost") != std::string::npos)
        return { std::nullopt, hosts::Absence::Lost, { ErrorCode::Protocol, "The worker died twice.", {} } };
    if (text.find("broken") != std::string::npos)
        return { measure::failedEvaluation(measure::EvaluationStatus::CompileError, "it says broken"), {}, {} };
    measure::Evaluation evaluation;
    evaluation.status = measure::EvaluationStatus::Passed;
    evaluation.stages = { { "build", measure::StageStatus::Passed, 1, {} } };
    measure::Timing timing;
    timing.medianNs = 1e6 / qualityOf(request.candidate);
    timing.loNs = 0.99 * timing.medianNs;
    timing.hiNs = 1.01 * timing.medianNs;
    timing.samplesNs = { timing.medianNs };
    measure::CaseResult result;
    result.axes = { { "n", 4096 } };
    result.timing = timing;
    evaluation.cases = { result };
    evaluation.bound = "memory";
    return { evaluation, {}, {} };
}

static hosts::Answer<measure::DuelResult> fought(const worker::DuelRequest& request)
{
    measure::DuelResult result;
    const double ratio = qualityOf(request.candidate) / qualityOf(request.incumbent);
    result.speedup = { ratio, ratio * 0.99, ratio * 1.01 };
    result.pairs = 15;
    result.verdict = ratio > 1.03 ? measure::Verdict::Faster
        : ratio < 0.97            ? measure::Verdict::Slower
                                  : measure::Verdict::Same;
    return { result, {}, {} };
}

hosts::FunctionHost::Functions scriptedHost(const Script& script)
{
    hosts::FunctionHost::Functions functions;
    functions.hello.devices = { target::Device{ "cpu", "cpu", "scripted device", 2 } };
    functions.hello.toolchains = { { "cpp", "scripted", {}, {}, {}, {} } };
    functions.evaluate = script.evaluate ? script.evaluate : judged;
    functions.duel = script.duel ? script.duel : fought;
    return functions;
}

engine::EngineOptions scriptedSearch(const std::filesystem::path& path, int64_t evaluations, const std::string& policy)
{
    engine::EngineOptions options;
    options.path = path;
    engine::SearchSetup setup;
    setup.op = scaleOperator();
    setup.policy = policy;
    setup.proposers = { "scripted" };
    options.create = setup;
    search::Budget budget;
    budget.evaluations = evaluations;
    options.budget = budget;
    options.admit = false;
    options.makeHost = [] { return std::make_unique<hosts::FunctionHost>(scriptedHost()); };
    options.makeProposer = [](const std::string&) {
        return Result<std::unique_ptr<synth::Proposer>>(std::make_unique<ScriptedProposer>());
    };
    return options;
}

Finished runEngine(engine::EngineOptions options,
    const std::function<void(engine::EngineThread&, const engine::EngineStatus&)>& onUpdate)
{
    Finished finished;
    engine::EngineThread thread(std::move(options));
    QEventLoop loop;
    QObject::connect(&thread, &engine::EngineThread::updated, &loop, [&](const engine::EngineUpdatePtr& update) {
        finished.numbersWithoutGaps = finished.numbersWithoutGaps && update->number == ++finished.updates;
        for (const auto& event : update->events)
            finished.state.apply(event->body);
        finished.notices.insert(finished.notices.end(), update->notices.begin(), update->notices.end());
        finished.status = update->status;
        if (onUpdate)
            onUpdate(thread, update->status);
    });
    QObject::connect(&thread, &engine::EngineThread::finished, &loop, &QEventLoop::quit);
    thread.start();
    loop.exec();
    return finished;
}

std::string sessionTree(const std::filesystem::path& path)
{
    const auto file = store::SessionFile::open(path, store::OpenMode::ReadOnly);
    if (!file)
        return file.error().text;
    const auto tree = (*file)->loadTree();
    return tree ? search::treeText(*tree) : tree.error().text;
}

} // namespace rooftree::test
