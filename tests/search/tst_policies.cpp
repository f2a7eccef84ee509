// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulatedsearch.h"

#include "core/search/bandit.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace rooftree;
using namespace rooftree::search;
using measure::EvaluationStatus;

namespace {

PolicyOptions optionsOf(std::vector<std::string> proposers)
{
    PolicyOptions options;
    options.proposers = std::move(proposers);
    return options;
}

std::unique_ptr<Policy> policyOf(const std::string& name, const PolicyOptions& options)
{
    return std::move(makePolicy(name, options)).value();
}

NodeId addNode(Tree& tree, NodeId parent, const std::string& structure, double value)
{
    Node node;
    if (parent.valid())
        node.parents = { parent };
    node.proposer = parent.valid() ? "transform" : "root";
    node.technique = "t" + std::to_string(tree.size() % 17);
    node.structureHash = structure;
    const NodeId id = tree.add(node);
    tree.finish(id, EvaluationStatus::Passed, value, tree.size() % 2 == 0 ? "memory" : "compute");
    return id;
}

// A root with children of these values.
Tree fan(const std::vector<double>& values)
{
    Tree tree;
    const NodeId root = addNode(tree, {}, "root", 0);
    for (const double value : values)
        addNode(tree, root, "s" + std::to_string(tree.size()), value);
    return tree;
}

// One in five nodes begins a structure, the others retune a random one.
Tree bigTree(int nodes)
{
    Tree tree = fan({});
    Rng rng(3);
    std::vector<NodeId> heads{ tree.root() };
    for (int i = 1; i < nodes; ++i) {
        const NodeId parent = heads[static_cast<std::size_t>(rng.below(heads.size()))];
        Node node;
        node.parents = { parent };
        const bool begins = rng.below(5) == 0;
        node.proposer = begins ? "transform" : "tune";
        node.technique = "t" + std::to_string(rng.below(17));
        node.structureHash = begins ? "s" + std::to_string(i) : tree.node(parent).structureHash;
        const NodeId id = tree.add(node);
        tree.beginExpansion(parent);
        tree.finish(id, EvaluationStatus::Passed, tree.node(parent).value + 0.1 * rng.normal(), "memory");
        tree.endExpansion(parent);
        tree.addVisit(parent);
        if (begins)
            heads.push_back(id);
    }
    return tree;
}

// select, begin, add, finish, end, update: the median and the longest of select and update together, in microseconds.
std::pair<double, double> expansionTimes(Policy& policy, Tree& tree)
{
    Rng rng(5);
    std::vector<double> times;
    for (int i = 0; i < 101; ++i) {
        QElapsedTimer timer;
        timer.start();
        const auto selection = policy.select(tree, rng);
        qint64 ns = timer.nsecsElapsed();
        if (!selection)
            return { -1, -1 };
        tree.beginExpansion(selection->parent);
        const double value = tree.node(selection->parent).value + 0.05 * rng.normal();
        const NodeId child = addNode(tree, selection->parent, "n" + std::to_string(i), value);
        tree.endExpansion(selection->parent);
        tree.addVisit(selection->parent);
        const Outcome outcome{ *selection, child, false, true, value, tree.node(selection->parent).value, 0 };
        timer.start();
        policy.update(tree, outcome);
        ns += timer.nsecsElapsed();
        if (i > 0) // the first one reads the whole tree
            times.push_back(static_cast<double>(ns) / 1000);
    }
    std::sort(times.begin(), times.end());
    return { times[times.size() / 2], times.back() };
}

} // namespace

class TestPolicies : public QObject {
    Q_OBJECT
private slots:
    void unknownNamesGetASuggestion();
    void anEmptyTreeCannotBeGrown();
    void runningExpansionsSpreadTheNext();
    void pinnedNodesAreVisitedMore_data();
    void pinnedNodesAreVisitedMore();
    void exhaustedNodesArePassedThrough();
    void changesAreLimitedByVisits();
    void structuralMovesStartFromTheFirstOfTheBest();
    void libraryIsNotRepeatedForEver();
    void bestOfStaysAtTheRoot();
    void failingArmsFadeAndReturn();
    void weightsArePriors();
    void islandsKeepApartAndMigrate();
    void selectingIsFast_data();
    void selectingIsFast();
};

void TestPolicies::unknownNamesGetASuggestion()
{
    const auto policy = makePolicy("mtcs", optionsOf({ "tune" }));
    QVERIFY(!policy.ok());
    QVERIFY(policy.error().code == ErrorCode::NotFound);
    QVERIFY(policy.error().text.find("'mcts'") != std::string::npos);
    QVERIFY(makePolicy("simulated-annealing", {}).error().text.find("best-of") != std::string::npos);
    QCOMPARE(policies().size(), std::size_t{ 6 });
    for (const PolicyInfo& info : policies()) {
        QVERIFY(!info.description.empty());
        QCOMPARE(policyOf(info.name, {})->name(), info.name);
    }
}

void TestPolicies::anEmptyTreeCannotBeGrown()
{
    for (const PolicyInfo& info : policies()) {
        Rng rng(1);
        QVERIFY(!policyOf(info.name, optionsOf({ "transform" }))->select(Tree{}, rng));
        QVERIFY(!policyOf(info.name, optionsOf({}))->select(fan({ 1, 2 }), rng)); // no proposers
        Tree failed;
        Node root;
        root.proposer = "root";
        failed.finish(failed.add(root), EvaluationStatus::CompileError, 0, {});
        QVERIFY(!policyOf(info.name, optionsOf({ "transform" }))->select(failed, rng));
    }
}

void TestPolicies::runningExpansionsSpreadTheNext()
{
    for (const char* name : { "mcts", "greedy", "beam", "evolve", "random" }) {
        Tree tree = fan({ 2.0, 1.99, 1.98, 1.97 });
        const auto policy = policyOf(name, optionsOf({ "transform" }));
        Rng rng(1);
        std::set<NodeId> parents;
        for (int i = 0; i < 8; ++i) {
            const auto selection = policy->select(tree, rng);
            QVERIFY(selection.has_value());
            tree.beginExpansion(selection->parent);
            parents.insert(selection->parent);
        }
        QVERIFY2(parents.size() >= 3, name);
    }
}

void TestPolicies::pinnedNodesAreVisitedMore_data()
{
    QTest::addColumn<QString>("policy");
    for (const char* name : { "mcts", "greedy" })
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestPolicies::pinnedNodesAreVisitedMore()
{
    QFETCH(QString, policy);
    const auto visits = [&](bool pinned) {
        Tree tree = fan({ 2.0, 1.9 });
        const NodeId deep = addNode(tree, NodeId{ 2 }, "deep", 1.85);
        tree.setPinned(deep, pinned);
        const auto chooser = policyOf(policy.toStdString(), optionsOf({ "transform" }));
        Rng rng(1);
        for (int i = 0; i < 60; ++i) {
            const auto selection = chooser->select(tree, rng);
            tree.addVisit(selection->parent);
            chooser->update(tree, { *selection });
        }
        return tree.node(deep).ownVisits;
    };
    QVERIFY(visits(true) > visits(false));
}

void TestPolicies::exhaustedNodesArePassedThrough()
{
    Tree tree = fan({ 1.0 });
    addNode(tree, NodeId{ 1 }, "below", 0.5);
    tree.markExhausted(NodeId{ 0 }, "transform");
    tree.markExhausted(NodeId{ 1 }, "transform");
    for (const char* name : { "mcts", "greedy", "beam", "evolve", "random" }) {
        Rng rng(1);
        const auto selection = policyOf(name, optionsOf({ "transform" }))->select(tree, rng);
        QVERIFY2(selection && selection->parent == NodeId{ 2 }, name);
    }
    tree.clearExhausted(NodeId{ 1 });
    for (int i = 0; i < 4; ++i)
        tree.addVisit(NodeId{ 1 });
    Rng rng(1);
    QCOMPARE(policyOf("mcts", optionsOf({ "transform" }))->select(tree, rng)->parent.value, int64_t{ 1 });
}

// With a retune to do, MCTS does not try every change of a structure at once.
void TestPolicies::changesAreLimitedByVisits()
{
    Tree tree = fan({});
    const auto policy = policyOf("mcts", optionsOf({ "transform", "tune" }));
    Rng rng(1);
    int changes = 0;
    for (int i = 1; i <= 100; ++i) {
        const auto selection = policy->select(tree, rng);
        QVERIFY(selection.has_value());
        Node node;
        node.parents = { selection->parent };
        node.proposer = selection->proposer;
        const NodeId child = tree.add(node);
        tree.finish(child, EvaluationStatus::IncorrectNumerical, 0, {});
        tree.addVisit(selection->parent);
        policy->update(tree, { *selection, child });
        changes += static_cast<int>(selection->proposer == "transform");
        QVERIFY(changes <= 1.5 * std::sqrt(i) + 1);
    }
    QVERIFY(changes >= 8);
}

void TestPolicies::structuralMovesStartFromTheFirstOfTheBest()
{
    Tree tree = fan({ 1.0 });
    const NodeId head{ 1 };
    const std::string structure = tree.node(head).structureHash;
    const NodeId better = addNode(tree, head, structure, 2.00);
    addNode(tree, head, structure, 2.03); // by a hair: changes that were tried at 'better' are not offered again
    tree.markExhausted(tree.root(), "transform");
    Rng rng(1);
    QCOMPARE(policyOf("greedy", optionsOf({ "transform" }))->select(tree, rng)->parent.value, better.value);
    tree.markExhausted(tree.root(), "tune");
    QCOMPARE(policyOf("greedy", optionsOf({ "tune" }))->select(tree, rng)->parent.value, head.value);
}

void TestPolicies::libraryIsNotRepeatedForEver()
{
    Tree tree = fan({ 1.0 });
    const auto policy = policyOf("mcts", optionsOf({ "library", "transform" }));
    Rng rng(1);
    for (int i = 0; i < 3; ++i) {
        const auto selection = policy->select(tree, rng);
        QCOMPARE(selection->proposer, std::string("library"));
        policy->update(tree, { *selection, NodeId{ 1 }, true }); // a duplicate each time, never exhausted
    }
    QCOMPARE(policy->select(tree, rng)->proposer, std::string("transform"));
}

void TestPolicies::bestOfStaysAtTheRoot()
{
    Tree tree = fan({ 1.0, 2.0 });
    Node draft;
    draft.parents = { tree.root() };
    draft.proposer = "library";
    const NodeId library = tree.add(draft);
    tree.finish(library, EvaluationStatus::Passed, 0.5, {});
    const auto policy = policyOf("best-of", optionsOf({ "transform" }));
    Rng rng(1);
    for (int i = 0; i < 20; ++i)
        QCOMPARE(policy->select(tree, rng)->parent.value, int64_t{ 0 });
    tree.markExhausted(tree.root(), "transform");
    QCOMPARE(policy->select(tree, rng)->parent.value, library.value);
    tree.markExhausted(library, "transform");
    QVERIFY(!policy->select(tree, rng));
}

void TestPolicies::failingArmsFadeAndReturn()
{
    PolicyOptions options = optionsOf({ "transform", "tune" });
    Bandit bandit(options);
    Rng rng(1);
    const auto share = [&](const std::string& good) {
        int chosen = 0;
        for (int i = 0; i < 400; ++i) {
            const auto choice = bandit.choose(options.proposers, NodeId{ 0 }, rng);
            const bool pays = choice.proposer == good && i % 3 == 0;
            bandit.update(choice.proposer, choice.memory, NodeId{ 0 }, pays ? 0.8 : 0, 1);
            chosen += static_cast<int>(i >= 200 && choice.proposer == good);
        }
        return chosen / 200.0;
    };
    const double tune = share("tune");
    QVERIFY(tune > 0.7 && tune < 1);
    const double transform = share("transform"); // the world has changed
    QVERIFY(transform > 0.7 && transform < 1);
}

void TestPolicies::weightsArePriors()
{
    PolicyOptions options = optionsOf({ "transform", "tune" });
    options.weights = { { "tune", 3 } };
    Bandit bandit(options);
    Rng rng(1);
    int early = 0;
    int late = 0;
    for (int i = 0; i < 400; ++i) {
        const auto choice = bandit.choose(options.proposers, NodeId{ 0 }, rng);
        bandit.update(choice.proposer, choice.memory, NodeId{ 0 }, 0, 1);
        early += static_cast<int>(i < 20 && choice.proposer == "tune");
        late += static_cast<int>(i >= 200 && choice.proposer == "tune");
    }
    QVERIFY(early >= 12); // of 20
    QVERIFY(late >= 80 && late <= 135); // of 200: experience outweighs them
}

void TestPolicies::islandsKeepApartAndMigrate()
{
    Tree tree = fan({});
    const auto policy = policyOf("evolve", optionsOf({ "transform" }));
    Rng rng(1);
    std::set<int> islands;
    std::map<NodeId, std::set<int>> grownOn;
    for (int i = 0; i < 200; ++i) {
        const auto selection = policy->select(tree, rng);
        QVERIFY(selection.has_value());
        islands.insert(selection->island);
        grownOn[selection->parent].insert(selection->island);
        Node node;
        node.parents = { selection->parent };
        node.proposer = "transform";
        node.technique = "t" + std::to_string(i % 5);
        node.island = selection->island;
        const NodeId child = tree.add(node);
        tree.finish(child, EvaluationStatus::Passed, tree.node(selection->parent).value + 0.1 * rng.normal(), "memory");
        tree.addVisit(selection->parent);
        policy->update(tree, { *selection, child, false, true, tree.node(child).value, 0, 0 });
    }
    QCOMPARE(islands, (std::set<int>{ 0, 1, 2, 3 }));
    int home = 0, abroad = 0;
    for (const auto& [node, where] : grownOn) {
        if (node == tree.root())
            continue;
        home += static_cast<int>(where == std::set<int>{ tree.node(node).island });
        abroad += static_cast<int>(where.size() > 1);
    }
    QVERIFY(home > abroad);
    QVERIFY(abroad > 0);
}

void TestPolicies::selectingIsFast_data()
{
    QTest::addColumn<QString>("policy");
    QTest::addColumn<int>("nodes");
    for (const PolicyInfo& info : policies()) {
        for (const int nodes : { 10000, 100000 })
            QTest::addRow("%s %d", info.name.c_str(), nodes) << QString::fromStdString(info.name) << nodes;
    }
}

void TestPolicies::selectingIsFast()
{
    QFETCH(QString, policy);
    QFETCH(int, nodes);
    static std::map<int, Tree> trees;
    if (!trees.contains(nodes))
        trees.emplace(nodes, bigTree(nodes));
    Tree tree = trees.at(nodes);
    const auto chooser = policyOf(policy.toStdString(), optionsOf({ "transform", "tune" }));
    const auto [median, longest] = expansionTimes(*chooser, tree);
    qInfo("%s, %d nodes: select and update %.1f us, at most %.1f us", qPrintable(policy), nodes, median, longest);
    QVERIFY(median >= 0);
    // Ten times the promise of a release build, for debug builds, sanitizers and busy machines.
    QVERIFY(median < (nodes <= 10000 ? 10000 : 50000));
}

QTEST_GUILESS_MAIN(TestPolicies)
#include "tst_policies.moc"
