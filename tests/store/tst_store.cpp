// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/measure/evaluation.h"
#include "core/store/eventcodec.h"
#include "core/store/sessionfile.h"
#include "tests/store/sampleevents.h"

#include <QtTest>

#include <ctime>
#include <sqlite3.h>

using namespace rooftree;
using namespace rooftree::store;

static QByteArray text(std::string_view value)
{
    return { value.data(), static_cast<qsizetype>(value.size()) };
}

#define VERIFY_OK(expression)                                                                                          \
    do {                                                                                                               \
        const auto& result_ = (expression);                                                                            \
        QVERIFY2(result_.ok(), result_.ok() ? "" : (result_.error().text + " " + result_.error().detail).c_str());     \
    } while (false)

class TestStore : public QObject {
    Q_OBJECT

private slots:
    void init();

    void everyKindSurvives_data();
    void everyKindSurvives();
    void summariesLeaveTheBigPartsOut();
    void foldOfSummariesEqualsFoldOfFullEvents();
    void queriesAnswerFromProjections();
    void missingThingsAreNotFound();
    void treeFollowsTheEvents();
    void steeringAndReevaluationsReachTheTree();
    void rebuildingGivesTheSameTree();
    void checkFindsWhatWasTamperedWith_data();
    void checkFindsWhatWasTamperedWith();
    void unknownKindsArePassedOver();
    void severalEventsAreOneTransaction();
    void readingMayNest();
    void readOnlyRefusesToWrite();
    void speed();

private:
    std::unique_ptr<SessionFile> create();
    std::unique_ptr<SessionFile> open(OpenMode mode);
    void sql(const char* script);
    std::filesystem::path path() const { return m_dir->path() / "a session.rooftree"; }

    std::optional<TemporaryDir> m_dir;
};

void TestStore::init()
{
    m_dir.reset();
    m_dir.emplace(std::move(TemporaryDir::make("rooftree-store")).value());
}

std::unique_ptr<SessionFile> TestStore::create()
{
    auto file = SessionFile::open(path(), OpenMode::Create);
    if (!file)
        qFatal("%s", file.error().text.c_str());
    return std::move(file).value();
}

std::unique_ptr<SessionFile> TestStore::open(OpenMode mode)
{
    auto file = SessionFile::open(path(), mode);
    if (!file)
        qFatal("%s", file.error().text.c_str());
    return std::move(file).value();
}

// Behind the session's back, as another program would.
void TestStore::sql(const char* script)
{
    sqlite3* handle = nullptr;
    QCOMPARE(sqlite3_open(path().c_str(), &handle), SQLITE_OK);
    const int code = sqlite3_exec(handle, script, nullptr, nullptr, nullptr);
    QVERIFY2(code == SQLITE_OK, sqlite3_errmsg(handle));
    sqlite3_close(handle);
}

void TestStore::everyKindSurvives_data()
{
    QTest::addColumn<int>("index");
    const auto events = oneOfEveryKind();
    std::set<std::string> kinds;
    for (std::size_t i = 0; i < events.size(); ++i) {
        kinds.insert(eventName(events[i]));
        QTest::addRow("%zu %s", i, eventName(events[i]).c_str()) << static_cast<int>(i);
    }
    QCOMPARE(kinds.size(), std::variant_size_v<EventBody>);
}

void TestStore::everyKindSurvives()
{
    QFETCH(int, index);
    const auto events = oneOfEveryKind();
    auto file = create();
    for (const auto& event : events)
        VERIFY_OK(file->append(event, 1000));
    QCOMPARE(file->lastSequence(), static_cast<int64_t>(events.size()));
    file.reset();

    int64_t seen = 0;
    VERIFY_OK(open(OpenMode::ReadOnly)->read(index + 1, Detail::Full, [&](const Event& event) {
        seen = event.sequence;
        const auto before = encode(events[static_cast<std::size_t>(index)]);
        const auto after = encode(event.body);
        QTest::qCompare(text(after.kind), text(before.kind), "kind", "kind", __FILE__, __LINE__);
        QTest::qCompare(text(after.payload), text(before.payload), "payload", "payload", __FILE__, __LINE__);
        QTest::qCompare(text(after.part), text(before.part), "part", "part", __FILE__, __LINE__);
        QTest::qCompare(event.wallMs, int64_t(1000), "wallMs", "1000", __FILE__, __LINE__);
        return false;
    }));
    QCOMPARE(seen, int64_t(index + 1));
}

void TestStore::summariesLeaveTheBigPartsOut()
{
    auto file = create();
    VERIFY_OK(file->append(oneOfEveryKind(), 0));
    int evaluations = 0;
    VERIFY_OK(file->read(1, Detail::Summary, [&](const Event& event) {
        if (const auto* added = std::get_if<NodeAdded>(&event.body))
            return added->candidate.files.empty() && added->candidate.entry == "copy";
        if (const auto* selected = std::get_if<ExpansionSelected>(&event.body))
            return selected->selection.record.nodes.empty() && selected->selection.proposer == "transform";
        if (const auto* duel = std::get_if<DuelFought>(&event.body))
            return duel->result.cases.empty() && duel->result.speedup.value == 1.5;
        if (const auto* created = std::get_if<SessionCreated>(&event.body))
            return created->op.name == "copy" && !created->op.referenceSource.empty();
        if (const auto* evaluated = std::get_if<NodeEvaluated>(&event.body)) {
            ++evaluations;
            const auto& evaluation = evaluated->evaluation;
            return evaluation.certificate.empty() && evaluation.stages.at(0).log.empty()
                && evaluation.stages.at(0).ms == 812.5 && evaluation.cases.at(0).timing->samplesNs.empty()
                && !evaluation.cases.at(0).correctness;
        }
        return true;
    }));
    QCOMPARE(evaluations, 1);
    int64_t last = 0;
    VERIFY_OK(file->read(1, Detail::Summary, [&](const Event& event) { return (last = event.sequence) != 0; }));
    QCOMPARE(last, file->lastSequence()); // no callback above ended the reading
}

// What a resumed search computes from summaries is what the running one computed.
void TestStore::foldOfSummariesEqualsFoldOfFullEvents()
{
    auto file = create();
    VERIFY_OK(file->append(oneOfEveryKind(), 0));
    std::vector<std::string> facts[2];
    for (const auto detail : { Detail::Full, Detail::Summary }) {
        VERIFY_OK(file->read(1, detail, [&](const Event& event) {
            auto& list = facts[static_cast<std::size_t>(detail)];
            if (const auto* evaluated = std::get_if<NodeEvaluated>(&event.body))
                list.push_back(std::to_string(measure::geomeanNs(evaluated->evaluation)));
            if (const auto* baseline = std::get_if<BaselineMeasured>(&event.body))
                list.push_back(
                    std::to_string(measure::speedupOver(baseline->evaluation, sampleEvaluation(0)).value().value));
            return true;
        }));
    }
    QCOMPARE(facts[0].size(), std::size_t(2));
    QVERIFY(facts[0] == facts[1]);
}

void TestStore::queriesAnswerFromProjections()
{
    auto file = create();
    VERIFY_OK(file->append(oneOfEveryKind(), 0));
    file.reset();
    file = open(OpenMode::ReadOnly);
    const auto session = file->session();
    VERIFY_OK(session);
    QCOMPARE(text(session->op.hash), text(sampleSession().op.hash));
    QCOMPARE(session->seed, uint64_t(42));
    QVERIFY(session->proposers == sampleSession().proposers);

    const auto candidate = file->candidate(NodeId{ 1 });
    VERIFY_OK(candidate);
    QCOMPARE(candidate->files.size(), std::size_t(2));
    const auto evaluation = file->evaluation(NodeId{ 0 });
    VERIFY_OK(evaluation);
    QCOMPARE(evaluation->cases.at(0).timing->samplesNs.size(), std::size_t(30));
    const auto decision = file->decision(NodeId{ 1 });
    VERIFY_OK(decision);
    QCOMPARE(text(decision->record.rationale), QByteArray("It looked best."));
    const auto baselines = file->baselines();
    VERIFY_OK(baselines);
    QCOMPARE(baselines->size(), std::size_t(1));
    QCOMPARE(text(baselines->at(0).library), QByteArray("OpenBLAS"));
    QCOMPARE(file->speedups(NodeId{ 0 })->at("naive").value, 1.0);
    QCOMPARE(file->speedups(NodeId{ 1 })->at("naive").value, 1.5); // by the duel
}

void TestStore::missingThingsAreNotFound()
{
    auto file = create();
    QVERIFY(file->session().error().code == ErrorCode::NotFound);
    QCOMPARE(file->loadTree()->size(), 0);
    VERIFY_OK(file->append(oneOfEveryKind(), 0));
    QVERIFY(file->candidate(NodeId{ 99 }).error().code == ErrorCode::NotFound);
    QVERIFY(file->candidate(NodeId{}).error().code == ErrorCode::NotFound);
    QVERIFY(file->evaluation(NodeId{ 1 }).error().code == ErrorCode::NotFound);
    QVERIFY(file->decision(NodeId{ 0 }).error().code == ErrorCode::NotFound);
    QVERIFY(file->speedups(NodeId{ 99 })->empty());
}

void TestStore::treeFollowsTheEvents()
{
    auto file = create();
    VERIFY_OK(file->append(sampleSession(), 0));
    VERIFY_OK(file->append(rootEvents(), 0));
    for (int64_t id = 1; id <= 20; ++id)
        VERIFY_OK(file->append(nodeEvents(id, (id - 1) / 2), 0));
    // Two that are still running when the program is killed, and one that found nothing.
    auto running = nodeEvents(21, 3);
    running.resize(2);
    VERIFY_OK(file->append(running, 0));
    VERIFY_OK(file->append(ExpansionSelected{ ExpansionId{ 30 }, { NodeId{ 2 }, {}, "tune" } }, 0));
    VERIFY_OK(file->append(ExpansionEnded{ ExpansionId{ 30 }, "exhausted", {}, "" }, 0));
    VERIFY_OK(file->append(ExpansionEnded{ ExpansionId{ 30 }, "exhausted", {}, "" }, 0)); // told twice: no second visit
    VERIFY_OK(file->append(ExpansionEnded{ ExpansionId{ 77 }, "lost", {}, "" }, 0)); // never selected

    const auto tree = file->loadTree();
    VERIFY_OK(tree);
    QCOMPARE(tree->size(), 22);
    QCOMPARE(tree->node(NodeId{ 0 }).visits, 21);
    QCOMPARE(tree->node(NodeId{ 0 }).ownVisits, 2);
    QCOMPARE(tree->node(NodeId{ 2 }).ownVisits, 3);
    QVERIFY(tree->node(NodeId{ 2 }).exhausted == std::set<std::string>{ "tune" });
    QCOMPARE(tree->node(NodeId{ 0 }).subtreeValued, 19); // 20 and the root, without 7 and 14
    QVERIFY(tree->node(NodeId{ 21 }).state == search::NodeState::Running);
    QVERIFY(tree->node(NodeId{ 7 }).status == measure::EvaluationStatus::CompileError);
    QVERIFY(!tree->node(NodeId{ 7 }).hasValue);
    QCOMPARE(text(tree->node(NodeId{ 3 }).bound), QByteArray("memory"));
    QVERIFY(!tree->champion().valid());
    QVERIFY((tree->node(NodeId{ 3 }).parents == std::vector<NodeId>{ NodeId{ 1 } }));
    const auto hash = kernel::sourceHash(*file->candidate(NodeId{ 5 }));
    QCOMPARE(tree->findBySource(hash).value, int64_t(5));
}

void TestStore::steeringAndReevaluationsReachTheTree()
{
    auto file = create();
    VERIFY_OK(file->append(sampleSession(), 0));
    VERIFY_OK(file->append(rootEvents(), 0));
    for (int64_t id = 1; id <= 6; ++id)
        VERIFY_OK(file->append(nodeEvents(id, (id - 1) / 2), 0));
    const auto steer = [&](const char* action, int64_t node) {
        return file->append(Steered{ action, NodeId{ node }, "" }, 0);
    };
    VERIFY_OK(steer("pin", 1));
    VERIFY_OK(steer("pin", 2));
    VERIFY_OK(steer("unpin", 2));
    VERIFY_OK(steer("prune", 1));
    VERIFY_OK(steer("prune", 2));
    VERIFY_OK(steer("restore", 2));
    VERIFY_OK(file->append(DuelFought{ NodeId{ 5 }, NodeId{ 0 }, {}, true }, 0));
    VERIFY_OK(file->append(DuelFought{ NodeId{ 6 }, NodeId{ 5 }, {}, false }, 0));
    VERIFY_OK(file->append(NodeEvaluated{ NodeId{ 4 }, sampleEvaluation(4), 9.0, {} }, 0)); // measured again
    VERIFY_OK(
        file->append(NodeEvaluated{ NodeId{ 6 },
                         measure::failedEvaluation(measure::EvaluationStatus::IncorrectNumerical, "It was wrong."),
                         std::nullopt, {} },
            0));

    const auto tree = file->loadTree();
    VERIFY_OK(tree);
    QVERIFY(tree->node(NodeId{ 1 }).pinned && !tree->node(NodeId{ 2 }).pinned);
    QVERIFY(tree->isPruned(NodeId{ 3 }) && !tree->isPruned(NodeId{ 5 }));
    QCOMPARE(tree->champion().value, int64_t(5));
    QCOMPARE(tree->node(NodeId{ 4 }).value, 9.0);
    QCOMPARE(tree->node(NodeId{ 0 }).subtreeBest, 9.0);
    QVERIFY(!tree->node(NodeId{ 6 }).hasValue);
    QVERIFY(file->speedups(NodeId{ 4 })->empty()); // the later evaluation's word replaces the earlier one's
    QVERIFY(file->evaluation(NodeId{ 6 })->status == measure::EvaluationStatus::IncorrectNumerical);
    VERIFY_OK(file->check());
}

void TestStore::rebuildingGivesTheSameTree()
{
    auto file = create();
    VERIFY_OK(file->append(oneOfEveryKind(), 5));
    for (int64_t id = 2; id <= 30; ++id)
        VERIFY_OK(file->append(nodeEvents(id, id / 3), 6));
    const auto before = treeText(*file->loadTree());
    QVERIFY(!before.empty());
    VERIFY_OK(file->check());
    VERIFY_OK(file->rebuildProjections());
    QCOMPARE(text(treeText(*file->loadTree())), text(before));

    file.reset();
    sql("DELETE FROM node; DELETE FROM stage; UPDATE session SET champion = 3");
    file = open(OpenMode::ReadWrite);
    QVERIFY(treeText(*file->loadTree()) != before);
    QVERIFY(!file->check());
    VERIFY_OK(file->rebuildProjections());
    QCOMPARE(text(treeText(*file->loadTree())), text(before));
    VERIFY_OK(file->check());
}

void TestStore::checkFindsWhatWasTamperedWith_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QByteArray>("word");
    const auto row = [](const char* script, const char* word) {
        QTest::newRow(script) << QByteArray(script) << QByteArray(word);
    };
    row("DELETE FROM event WHERE seq = 3", "events are missing");
    row("DELETE FROM event WHERE seq = 1", "events are missing");
    row("UPDATE event SET payload = '{' WHERE seq = 4", "not valid JSON");
    row("UPDATE event SET payload = '[]' WHERE seq = 4", "event 4");
    row("UPDATE event SET payload = '{}' WHERE kind = 'node-evaluated'", "An evaluation must be");
    row("DELETE FROM blob WHERE rowid = 2", "missing");
    row("UPDATE blob SET data = x'00' WHERE rowid = 2", "damaged");
    row("UPDATE blob SET data = (SELECT data FROM blob WHERE rowid = 1) WHERE rowid = 2", "damaged");
    row("UPDATE node SET visits = 7 WHERE id = 0", "'node'");
    row("UPDATE node SET parents = '9' WHERE id = 1", "'node'");
    row("DELETE FROM speedup", "'speedup'");
    row("INSERT INTO metric VALUES(0, 'more', 1)", "'metric'");
    row("UPDATE evaluation SET reason = 'x'", "'evaluation'");
    row("DROP TABLE stage", "tables of a session");
}

void TestStore::checkFindsWhatWasTamperedWith()
{
    QFETCH(QByteArray, script);
    QFETCH(QByteArray, word);
    auto file = create();
    VERIFY_OK(file->append(oneOfEveryKind(), 5));
    VERIFY_OK(file->check());
    file.reset();
    sql(script.constData());
    file = open(OpenMode::ReadOnly);
    const auto status = file->check();
    QVERIFY(!status);
    QVERIFY2(text(status.error().text).contains(word), status.error().text.c_str());
    (void)file->loadTree(); // whatever it holds, no crash
    (void)file->session();
    (void)file->candidate(NodeId{ 1 });
}

void TestStore::unknownKindsArePassedOver()
{
    auto file = create();
    VERIFY_OK(file->append(oneOfEveryKind(), 5));
    const auto count = file->lastSequence();
    file.reset();
    sql(("INSERT INTO event VALUES(" + std::to_string(count + 1) + ", 1, 'node-blessed', 'no json at all', NULL)")
            .c_str());
    file = open(OpenMode::ReadWrite);
    int64_t seen = 0;
    VERIFY_OK(file->read(1, Detail::Full, [&](const Event&) { return ++seen > 0; }));
    QCOMPARE(seen, count);
    QCOMPARE(file->lastSequence(), count + 1);
    VERIFY_OK(file->append(Steered{ "note", NodeId{ 0 }, "after it" }, 0));
    VERIFY_OK(file->check());
}

void TestStore::severalEventsAreOneTransaction()
{
    auto file = create();
    VERIFY_OK(file->append(std::vector<EventBody>{}, 0));
    VERIFY_OK(file->append(oneOfEveryKind(), 5));
    file.reset();
    // The third insert of the next transaction collides, so none of it must be there.
    const auto count = static_cast<int64_t>(oneOfEveryKind().size());
    file = open(OpenMode::ReadWrite);
    sql(("INSERT INTO event VALUES(" + std::to_string(count + 3) + ", 1, 'x', '{}', NULL)").c_str());
    QVERIFY(!file->append(nodeEvents(2, 0), 0));
    QCOMPARE(file->lastSequence(), count);
    QVERIFY(file->candidate(NodeId{ 2 }).error().code == ErrorCode::NotFound);
    VERIFY_OK(file->append(Steered{ "note", NodeId{ 0 }, "one fits before it" }, 0));
}

void TestStore::readingMayNest()
{
    auto file = create();
    VERIFY_OK(file->append(oneOfEveryKind(), 5));
    int inner = 0;
    VERIFY_OK(file->read(1, Detail::Full, [&](const Event&) {
        const bool ok = file->read(1, Detail::Summary, [&](const Event&) { return ++inner > 0; }).ok();
        return ok && file->loadTree().ok() && file->session().ok();
    }));
    const auto count = static_cast<int>(file->lastSequence());
    QCOMPARE(inner, count * count);
}

void TestStore::readOnlyRefusesToWrite()
{
    create()->append(oneOfEveryKind(), 5).ok();
    auto file = open(OpenMode::ReadOnly);
    QVERIFY(!file->append(Steered{ "note", NodeId{ 0 }, "" }, 0));
    QVERIFY(!file->rebuildProjections());
    VERIFY_OK(file->check());
}

// Printed for people; a machine that is busy must not fail a test. Processor time is what remains true on a busy one.
void TestStore::speed()
{
#ifdef NDEBUG
    constexpr int nodes = 10000;
#else
    constexpr int nodes = 1000; // the figures of a debug build mean little
#endif
    auto file = create();
    VERIFY_OK(file->append(sampleSession(), 0));
    VERIFY_OK(file->append(rootEvents(), 0));
    std::vector<std::vector<EventBody>> events;
    for (int64_t id = 1; id <= nodes; ++id)
        events.push_back(nodeEvents(id, (id - 1) / 2));

    QElapsedTimer timer;
    auto processor = std::clock();
    timer.start();
    const auto lap = [&](const char* what) {
        const auto now = std::clock();
        qInfo("%d nodes %s in %lld ms, %.0f ms of them on a processor", nodes, what, timer.restart(),
            1e3 * static_cast<double>(now - processor) / CLOCKS_PER_SEC);
        processor = std::clock();
    };
    for (const auto& expansion : events) {
        for (const auto& event : expansion)
            VERIFY_OK(file->append(event, 0));
    }
    lap("written, four transactions each,");
    const auto tree = file->loadTree();
    lap("loaded as a tree");
    VERIFY_OK(file->read(1, Detail::Summary, [](const Event&) { return true; }));
    lap("read as summaries");
    file.reset();
    QCOMPARE(tree->size(), nodes + 1);
    qInfo("%.1f kB a node", static_cast<double>(std::filesystem::file_size(path())) / 1e3 / nodes);
}

QTEST_APPLESS_MAIN(TestStore)
#include "tst_store.moc"
