// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulatedsearch.h"

#include "core/base/files.h"
#include "core/base/json.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>
#include <set>

using namespace rooftree;
using namespace rooftree::search;
using test::SimulatedSearch;
using test::Simulation;

namespace {

Simulation simulationOf(const std::string& policy, int evaluations = 60, uint64_t seed = 1)
{
    Simulation simulation;
    simulation.policy = policy;
    simulation.evaluations = evaluations;
    simulation.seed = seed;
    return simulation;
}

void addPolicies()
{
    QTest::addColumn<QString>("policy");
    for (const PolicyInfo& info : policies())
        QTest::newRow(info.name.c_str()) << QString::fromStdString(info.name);
}

// The text of a golden file: the tree, then why each tenth node was chosen.
std::string goldenText(const SimulatedSearch& search)
{
    std::string text = treeText(search.tree());
    for (std::size_t i = 0; i < search.selections().size(); i += 10) {
        const Selection& selection = search.selections()[i];
        text += "selection " + std::to_string(i) + ": " + selection.record.rationale + '\n';
    }
    return text;
}

double mean(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values)
        sum += value;
    return sum / static_cast<double>(values.size());
}

// The best value of each of 16 seeds at an equal budget.
std::vector<double> bests(const std::string& policy, int evaluations)
{
    std::vector<double> values;
    for (uint64_t seed = 1; seed <= 16; ++seed) {
        SimulatedSearch search(simulationOf(policy, evaluations, seed));
        search.run();
        values.push_back(search.best());
    }
    return values;
}

} // namespace

class TestSearch : public QObject {
    Q_OBJECT
private slots:
    void treeIsTheGoldenOne_data() { addPolicies(); }
    void treeIsTheGoldenOne();
    void theSameTwice_data() { addPolicies(); }
    void theSameTwice();
    void endsWhenEverythingIsExhausted_data() { addPolicies(); }
    void endsWhenEverythingIsExhausted();
    void exhaustedProposersAreNotAsked_data() { addPolicies(); }
    void exhaustedProposersAreNotAsked();
    void prunedNodesAreNotGrown_data() { addPolicies(); }
    void prunedNodesAreNotGrown();
    void everySelectionSaysWhy_data() { addPolicies(); }
    void everySelectionSaysWhy();
    void libraryComesFirst_data() { addPolicies(); }
    void libraryComesFirst();
    void retunesAreNotChained_data() { addPolicies(); }
    void retunesAreNotChained();
    void languageModelsGetMemoryModes_data() { addPolicies(); }
    void languageModelsGetMemoryModes();
    void tunerGetsTheBulkOnTheBest();
    void choosingBeatsChance();
    void worksFromTheReferenceAlone();
};

void TestSearch::treeIsTheGoldenOne()
{
    QFETCH(QString, policy);
    SimulatedSearch search(simulationOf(policy.toStdString()));
    search.run();
    const std::string text = goldenText(search);
    const QString golden = QStringLiteral(ROOFTREE_TEST_DATA "/../golden/search_%1.txt").arg(policy);
    if (qEnvironmentVariableIsSet("ROOFTREE_UPDATE_GOLDEN")) {
        QFile file(golden);
        QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(file.errorString()));
        file.write(QByteArray::fromStdString(text));
        return;
    }
    QTemporaryDir folder;
    const QString got = folder.filePath(QStringLiteral("got.txt"));
    QFile file(got);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(text));
    file.close();
    QProcess diff;
    diff.start(QStringLiteral("diff"), { QStringLiteral("-u"), golden, got });
    QVERIFY(diff.waitForFinished());
    const QByteArray difference = "Run with ROOFTREE_UPDATE_GOLDEN=1 if this is meant:\n" + diff.readAllStandardOutput()
        + diff.readAllStandardError();
    QVERIFY2(diff.exitCode() == 0, difference.constData());
}

void TestSearch::theSameTwice()
{
    QFETCH(QString, policy);
    const auto run = [&](uint64_t seed) {
        SimulatedSearch search(simulationOf(policy.toStdString(), 100, seed));
        search.run();
        std::string text = treeText(search.tree());
        for (const Selection& selection : search.selections())
            text += toLine(toJson(selection)) + '\n';
        return text;
    };
    QVERIFY(run(5) == run(5));
    QVERIFY(run(5) != run(6));
}

void TestSearch::endsWhenEverythingIsExhausted()
{
    QFETCH(QString, policy);
    Simulation simulation = simulationOf(policy.toStdString(), 100000);
    simulation.moves = 4;
    simulation.tunables = false;
    SimulatedSearch search(simulation);
    search.run();
    QVERIFY(search.exhausted());
    QVERIFY(search.evaluated() > 5);
    QVERIFY(search.evaluated() <= 4 * 16);
    QVERIFY(!search.begin()); // and stays so
    for (const Node& node : search.tree().nodes())
        QCOMPARE(node.inFlight, 0);
}

void TestSearch::exhaustedProposersAreNotAsked()
{
    QFETCH(QString, policy);
    SimulatedSearch search(simulationOf(policy.toStdString()));
    Tree& tree = search.tree();
    for (int step = 0; step < 150; ++step) {
        std::vector<std::set<std::string>> exhausted;
        for (const Node& node : tree.nodes())
            exhausted.push_back(node.exhausted);
        if (!search.begin())
            break;
        const Selection& selection = search.selections().back();
        const auto parent = static_cast<std::size_t>(selection.parent.value);
        QVERIFY(parent < exhausted.size());
        QVERIFY(!exhausted[parent].contains(selection.proposer));
        if (step % 4 == 3) {
            while (search.commit()) { }
        }
        if (step % 40 == 20) // a person's kernel is in the way: nothing may be tried at the champion
            tree.markExhausted(tree.champion(), "transform");
    }
}

void TestSearch::prunedNodesAreNotGrown()
{
    QFETCH(QString, policy);
    SimulatedSearch search(simulationOf(policy.toStdString()));
    Tree& tree = search.tree();
    for (int step = 0; step < 40; ++step) {
        search.begin();
        search.commit();
    }
    const NodeId pruned = tree.lineage(tree.champion()).at(1);
    tree.setPruned(pruned, true);
    const std::size_t before = search.selections().size();
    for (int step = 0; step < 60 && search.begin(); ++step) {
        QVERIFY(!tree.isPruned(search.selections().back().parent));
        search.commit();
    }
    QVERIFY(search.selections().size() > before);
    tree.setPruned(tree.root(), true);
    QVERIFY(!search.begin());
    tree.setPruned(tree.root(), false);
    tree.setPruned(pruned, false);
    QVERIFY(search.begin());
}

void TestSearch::everySelectionSaysWhy()
{
    QFETCH(QString, policy);
    SimulatedSearch search(simulationOf(policy.toStdString(), 150));
    search.run();
    for (const Selection& selection : search.selections()) {
        const DecisionRecord& record = selection.record;
        QCOMPARE(QString::fromStdString(record.policy), policy);
        QVERIFY(!record.nodes.empty() && record.nodes.size() <= 20);
        QVERIFY(std::any_of(record.nodes.begin(), record.nodes.end(),
            [&](const ConsideredNode& node) { return node.node == selection.parent && !node.terms.empty(); }));
        QVERIFY(std::any_of(record.arms.begin(), record.arms.end(), [&](const ConsideredArm& arm) {
            return arm.proposer == selection.proposer && arm.memory == selection.memory && !arm.terms.empty();
        }));
        QVERIFY(QString::fromStdString(record.rationale)
                    .startsWith(QStringLiteral("Node %1 ").arg(selection.parent.value)));
        QVERIFY(record.rationale.ends_with('.'));
        const auto again = selectionFromJson(toJson(selection));
        QVERIFY(again.ok());
        QCOMPARE(toLine(toJson(*again)), toLine(toJson(selection)));
    }
}

void TestSearch::libraryComesFirst()
{
    QFETCH(QString, policy);
    SimulatedSearch search(simulationOf(policy.toStdString()));
    search.run();
    const auto& nodes = search.tree().nodes();
    const bool first =
        std::all_of(nodes.begin() + 1, nodes.begin() + 4, [](const Node& node) { return node.proposer == "library"; });
    if (policy != QLatin1String("random"))
        QVERIFY(first);
    QVERIFY(search.nodesBy("library") <= 3);
}

void TestSearch::retunesAreNotChained()
{
    QFETCH(QString, policy);
    SimulatedSearch search(simulationOf(policy.toStdString(), 150));
    search.run();
    const Tree& tree = search.tree();
    for (const Node& node : tree.nodes()) {
        if (node.proposer != "tune")
            continue;
        const Node& parent = tree.node(node.parents.front());
        QVERIFY(parent.proposer != "tune");
        QCOMPARE(parent.structureHash, node.structureHash);
    }
}

void TestSearch::languageModelsGetMemoryModes()
{
    QFETCH(QString, policy);
    Simulation simulation = simulationOf(policy.toStdString(), 60);
    simulation.proposers = { "llm", "tune" };
    SimulatedSearch search(simulation);
    std::map<MemoryMode, int> modes;
    bool second = false;
    for (int step = 0; step < 400; ++step) {
        QVERIFY(search.begin());
        const Selection& selection = search.selections().back();
        QVERIFY(selection.proposer == "llm" || selection.memory == MemoryMode::None);
        modes[selection.memory] += static_cast<int>(selection.proposer == "llm");
        second = second || selection.second.valid();
        QVERIFY(selection.second != selection.parent);
        search.commit();
    }
    for (const auto mode : { MemoryMode::None, MemoryMode::ParentLine, MemoryMode::Siblings, MemoryMode::Both })
        QVERIFY(modes[mode] >= 10);
    QCOMPARE(second, policy == QLatin1String("evolve"));
}

// The domain's rule of thumb: most of the budget tunes the few best structures, changes go on, and failing ones fade.
void TestSearch::tunerGetsTheBulkOnTheBest()
{
    double tunes = 0, onTheBest = 0, transforms = 0, all = 0;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        SimulatedSearch search(simulationOf("mcts", 200, seed));
        search.run();
        std::map<std::string, int> byStructure;
        for (const Node& node : search.tree().nodes())
            byStructure[node.structureHash] += static_cast<int>(node.proposer == "tune");
        std::vector<int> counts;
        for (const auto& [hash, count] : byStructure)
            counts.push_back(count);
        std::sort(counts.rbegin(), counts.rend());
        onTheBest += counts[0] + counts[1] + counts[2];
        tunes += search.nodesBy("tune");
        transforms += search.nodesBy("transform");
        all += search.evaluated();
    }
    qInfo("tune %.0f %% (%.0f %% of it on three structures), transform %.0f %%", 100 * tunes / all,
        100 * onTheBest / tunes, 100 * transforms / all);
    QVERIFY(tunes / all > 0.5);
    QVERIFY(onTheBest / tunes > 0.5);
    QVERIFY(transforms / all > 0.15);
}

void TestSearch::choosingBeatsChance()
{
    const double random = mean(bests("random", 100));
    for (const char* policy : { "mcts", "beam", "evolve" }) {
        const double value = mean(bests(policy, 100));
        qInfo("%s %.3f, random %.3f (mean log speedup of the best, 100 evaluations)", policy, value, random);
        QVERIFY(value > random);
    }
}

void TestSearch::worksFromTheReferenceAlone()
{
    Simulation simulation = simulationOf("mcts", 150);
    simulation.proposers = { "transform", "tune" };
    SimulatedSearch search(simulation);
    search.run();
    QVERIFY(search.nodesBy("library") == 0);
    QVERIFY(search.best() > 0.5);
    const Node& champion = search.tree().node(search.tree().champion());
    QVERIFY(champion.depth >= 2);
}

QTEST_GUILESS_MAIN(TestSearch)
#include "tst_search.moc"
