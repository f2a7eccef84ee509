// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "enginefixture.h"

#include <QTest>

#include <cmath>

using namespace rooftree;
using namespace rooftree::test;

class TestEngine : public QObject {
    Q_OBJECT

private slots:
    void init();
    void searchReachesItsBudget_data();
    void searchReachesItsBudget();
    void viewAndFileAgreeWithTheEngine();
    void sameSeedSameTree();
    void replayGivesTheSameTree();
    void failuresStayWithTheirReason();
    void championNeedsADuel();
    void championThatFailsOnFreshInputsFalls();
    void lostEvaluationsDoNotEndTheSearch();
    void brokenEnvironmentEndsTheSearch();
    void resumeGoesOn();
    void stopAndAbort();
    void steeringIsRecorded();
    void humanKernelIsEvaluated();
    void exhaustionEndsTheSearch();
    void refusedSessionFilesAreErrors();

private:
    std::filesystem::path path(const char* name) const { return m_dir->path() / name; }
    std::optional<TemporaryDir> m_dir;
};

void TestEngine::init()
{
    auto dir = TemporaryDir::make("rooftree-test");
    QVERIFY(dir.ok());
    m_dir.emplace(std::move(*dir));
}

void TestEngine::searchReachesItsBudget_data()
{
    QTest::addColumn<QString>("policy");
    for (const auto& info : search::policies())
        QTest::newRow(info.name.c_str()) << QString::fromStdString(info.name);
}

void TestEngine::searchReachesItsBudget()
{
    QFETCH(QString, policy);
    const auto finished = runEngine(scriptedSearch(path("a.rooftree"), 40, policy.toStdString()));
    QVERIFY2(!finished.status.error, finished.status.error ? finished.status.error->text.c_str() : "");
    QCOMPARE(finished.status.stoppedBy, std::string("evaluations"));
    QCOMPARE(finished.state.evaluations(), int64_t(40));
    QVERIFY(finished.numbersWithoutGaps);
    QVERIFY(finished.state.tree().champion().valid());
    QVERIFY(finished.status.championSpeedup.at("naive").value > 1);
}

void TestEngine::viewAndFileAgreeWithTheEngine()
{
    const auto finished = runEngine(scriptedSearch(path("a.rooftree"), 30));
    QCOMPARE(sessionTree(path("a.rooftree")), search::treeText(finished.state.tree()));
    const auto file = store::SessionFile::open(path("a.rooftree"), store::OpenMode::ReadOnly);
    QVERIFY(file.ok() && (*file)->check().ok());
}

void TestEngine::sameSeedSameTree()
{
    for (const char* name : { "a.rooftree", "b.rooftree" })
        runEngine(scriptedSearch(path(name), 50, "mcts"));
    QVERIFY(!sessionTree(path("a.rooftree")).empty());
    QCOMPARE(sessionTree(path("a.rooftree")), sessionTree(path("b.rooftree")));
    auto other = scriptedSearch(path("c.rooftree"), 50, "mcts");
    other.create->seed = 2;
    runEngine(std::move(other));
    QVERIFY(sessionTree(path("a.rooftree")) != sessionTree(path("c.rooftree")));
}

void TestEngine::replayGivesTheSameTree()
{
    runEngine(scriptedSearch(path("a.rooftree"), 50, "mcts"));
    const auto recorded = store::SessionFile::open(path("a.rooftree"), store::OpenMode::ReadOnly);
    QVERIFY(recorded.ok());
    const auto functions = hosts::replayFunctions(**recorded);
    QVERIFY(functions.ok());
    auto options = scriptedSearch(path("b.rooftree"), 50, "mcts");
    options.makeHost = [&] { return std::make_unique<hosts::FunctionHost>(*functions); };
    runEngine(std::move(options));
    QCOMPARE(sessionTree(path("a.rooftree")), sessionTree(path("b.rooftree")));
}

void TestEngine::failuresStayWithTheirReason()
{
    const auto finished = runEngine(scriptedSearch(path("a.rooftree"), 40));
    QVERIFY(finished.state.failed() > 0);
    const auto file = store::SessionFile::open(path("a.rooftree"), store::OpenMode::ReadOnly);
    int failed = 0;
    for (const auto& node : finished.state.tree().nodes()) {
        if (node.status == measure::EvaluationStatus::Passed)
            continue;
        ++failed;
        QVERIFY(!node.hasValue);
        QCOMPARE((*file)->evaluation(node.id).value().reason, std::string("it says broken"));
    }
    QCOMPARE(failed, finished.state.failed());
}

void TestEngine::championNeedsADuel()
{
    auto options = scriptedSearch(path("a.rooftree"), 20);
    options.makeHost = [] {
        Script script;
        script.duel = [](const worker::DuelRequest&) {
            measure::DuelResult same;
            same.verdict = measure::Verdict::Ambiguous;
            return hosts::Answer<measure::DuelResult>{ same, {}, {} };
        };
        return std::make_unique<hosts::FunctionHost>(scriptedHost(script));
    };
    const auto finished = runEngine(std::move(options));
    QVERIFY(!finished.state.tree().champion().valid());
    QCOMPARE(finished.status.champion, NodeId{ 0 });
}

void TestEngine::championThatFailsOnFreshInputsFalls()
{
    auto options = scriptedSearch(path("a.rooftree"), 20);
    const auto best = std::make_shared<std::string>();
    options.makeHost = [best] {
        Script script;
        const auto honest = scriptedHost().evaluate;
        script.evaluate = [honest, best](const worker::EvaluateRequest& request) {
            if (request.time || (!best->empty() && *best != kernel::sourceHash(request.candidate)))
                return honest(request);
            *best = kernel::sourceHash(request.candidate); // the first champion is looked at again
            return hosts::Answer<measure::Evaluation>{
                measure::failedEvaluation(measure::EvaluationStatus::IncorrectNumerical, "wrong on fresh inputs"), {},
                {}
            };
        };
        return std::make_unique<hosts::FunctionHost>(scriptedHost(script));
    };
    const auto finished = runEngine(std::move(options));
    const auto& tree = finished.state.tree();
    QVERIFY(!best->empty());
    QVERIFY(tree.champion().valid());
    QVERIFY(tree.node(tree.champion()).sourceHash != *best);
    QVERIFY(!tree.node(tree.findBySource(*best)).hasValue);
}

void TestEngine::lostEvaluationsDoNotEndTheSearch()
{
    auto options = scriptedSearch(path("a.rooftree"), 30);
    options.makeHost = [] {
        Script script;
        const auto honest = scriptedHost().evaluate;
        script.evaluate = [honest, count = 0](const worker::EvaluateRequest& request) mutable {
            if (request.purpose == worker::Purpose::Candidate && ++count % 7 == 0)
                return hosts::Answer<measure::Evaluation>{ std::nullopt, hosts::Absence::Lost,
                    { ErrorCode::Protocol, "The worker died twice.", {} } };
            return honest(request);
        };
        return std::make_unique<hosts::FunctionHost>(scriptedHost(script));
    };
    const auto finished = runEngine(std::move(options));
    QVERIFY(!finished.status.error);
    int lost = 0;
    for (const auto& node : finished.state.tree().nodes())
        lost += node.state == search::NodeState::Lost ? 1 : 0;
    QVERIFY(lost >= 3);
    QCOMPARE(finished.state.evaluations(), int64_t(30));
}

void TestEngine::brokenEnvironmentEndsTheSearch()
{
    auto options = scriptedSearch(path("a.rooftree"), 30);
    options.makeHost = [] {
        Script script;
        const auto honest = scriptedHost().evaluate;
        script.evaluate = [honest](const worker::EvaluateRequest& request) {
            if (request.purpose == worker::Purpose::Baseline)
                return honest(request);
            return hosts::Answer<measure::Evaluation>{ std::nullopt, hosts::Absence::Environment,
                { ErrorCode::Environment, "No space left. Free some.", {} } };
        };
        return std::make_unique<hosts::FunctionHost>(scriptedHost(script));
    };
    const auto finished = runEngine(std::move(options));
    QVERIFY(finished.status.error.has_value());
    QCOMPARE(finished.status.error->text, std::string("No space left. Free some."));
    QCOMPARE(finished.state.failed(), 0); // nobody is blamed for it
}

void TestEngine::resumeGoesOn()
{
    runEngine(scriptedSearch(path("a.rooftree"), 20));
    auto options = scriptedSearch(path("a.rooftree"), 35);
    options.create.reset();
    const auto finished = runEngine(std::move(options));
    QVERIFY2(!finished.status.error, finished.status.error ? finished.status.error->text.c_str() : "");
    QCOMPARE(finished.state.evaluations(), int64_t(35));
    QCOMPARE(sessionTree(path("a.rooftree")), search::treeText(finished.state.tree()));
}

void TestEngine::stopAndAbort()
{
    for (const bool abort : { false, true }) {
        auto options = scriptedSearch(path(abort ? "abort.rooftree" : "stop.rooftree"), 1'000'000);
        bool sent = false;
        const auto finished =
            runEngine(std::move(options), [&](engine::EngineThread& thread, const engine::EngineStatus& status) {
                if (!sent && status.spent.evaluations > 10) {
                    sent = true;
                    thread.post(abort ? engine::Command(engine::Abort{}) : engine::Command(engine::Stop{}));
                }
            });
        QCOMPARE(finished.status.stoppedBy, std::string("user"));
        QVERIFY(!finished.status.error);
        if (!abort)
            QVERIFY(finished.state.runningNodes().empty());
    }
}

void TestEngine::steeringIsRecorded()
{
    auto options = scriptedSearch(path("a.rooftree"), 400);
    bool sent = false;
    runEngine(std::move(options), [&](engine::EngineThread& thread, const engine::EngineStatus& status) {
        if (sent || status.spent.evaluations < 5)
            return;
        sent = true;
        thread.post(engine::Pin{ NodeId{ 1 } });
        thread.post(engine::Prune{ NodeId{ 2 } });
        thread.post(engine::Hint{ NodeId{}, "try tiling" });
        thread.post(engine::Pin{ NodeId{ 99'999 } }); // does not exist: a notice, no event
        search::Budget budget;
        budget.evaluations = status.spent.evaluations + 30;
        thread.post(engine::SetBudget{ budget });
        thread.post(engine::SetPolicy{ "random" });
    });
    const auto file = store::SessionFile::open(path("a.rooftree"), store::OpenMode::ReadOnly);
    const auto tree = (*file)->loadTree();
    QVERIFY(tree.ok());
    QVERIFY(tree->node(NodeId{ 1 }).pinned);
    QVERIFY(tree->node(NodeId{ 2 }).pruned);
    QVERIFY(tree->size() < 400);
    std::vector<std::string> actions;
    QVERIFY((*file)
                ->read(1, store::Detail::Full,
                    [&](const store::Event& event) {
                        if (const auto* steered = std::get_if<store::Steered>(&event.body))
                            actions.push_back(steered->action);
                        return true;
                    })
                .ok());
    QCOMPARE(actions, (std::vector<std::string>{ "pin", "prune", "hint", "budget", "policy" }));
}

void TestEngine::humanKernelIsEvaluated()
{
    auto options = scriptedSearch(path("a.rooftree"), 10);
    options.create->start = kernelOfQuality(50);
    const auto finished = runEngine(std::move(options));
    const auto& tree = finished.state.tree();
    QCOMPARE(tree.node(NodeId{ 1 }).proposer, std::string("human"));
    QVERIFY(std::abs(std::exp(tree.node(NodeId{ 1 }).value) - 50) < 0.1);
    QVERIFY(tree.champion() >= NodeId{ 1 });
}

void TestEngine::exhaustionEndsTheSearch()
{
    auto options = scriptedSearch(path("a.rooftree"), 100'000);
    options.makeProposer = [](const std::string&) {
        return Result<std::unique_ptr<synth::Proposer>>(std::make_unique<ScriptedProposer>(0));
    };
    const auto finished = runEngine(std::move(options));
    QCOMPARE(finished.status.stoppedBy, std::string("exhausted"));
    QCOMPARE(finished.state.tree().size(), 1);
}

void TestEngine::refusedSessionFilesAreErrors()
{
    runEngine(scriptedSearch(path("a.rooftree"), 3));
    const auto again = runEngine(scriptedSearch(path("a.rooftree"), 3)); // exists
    QVERIFY(again.status.error.has_value());
    auto missing = scriptedSearch(path("none.rooftree"), 3);
    missing.create.reset();
    QVERIFY(runEngine(std::move(missing)).status.error.has_value());
    auto elsewhere = scriptedSearch(path("no/such/folder.rooftree"), 3);
    QVERIFY(runEngine(std::move(elsewhere)).status.error.has_value());
}

QTEST_GUILESS_MAIN(TestEngine)
#include "tst_engine.moc"
