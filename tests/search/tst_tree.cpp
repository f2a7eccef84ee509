// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"
#include "core/base/rng.h"
#include "core/search/decision.h"
#include "core/search/stopper.h"
#include "core/search/structures.h"
#include "core/search/tree.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace rooftree;
using namespace rooftree::search;
using measure::EvaluationStatus;

namespace {

Node childOf(NodeId parent, const std::string& structure = {}, const std::string& proposer = "transform")
{
    Node node;
    node.parents = { parent };
    node.proposer = proposer;
    node.structureHash = structure;
    return node;
}

Tree treeWithRoot()
{
    Tree tree;
    Node root;
    root.proposer = "root";
    root.technique = "reference";
    root.structureHash = "root";
    tree.finish(tree.add(root), EvaluationStatus::Passed, 0, "memory");
    return tree;
}

bool isBelow(const Tree& tree, NodeId node, NodeId ancestor)
{
    const auto line = tree.lineage(node);
    return std::find(line.begin(), line.end(), ancestor) != line.end();
}

// Anything that an engine or a person may do, at random.
void doSomething(Tree& tree, Rng& rng)
{
    const NodeId node{ static_cast<int64_t>(rng.below(static_cast<uint64_t>(tree.size()))) };
    const NodeId other{ static_cast<int64_t>(rng.below(static_cast<uint64_t>(tree.size()))) };
    const bool on = rng.below(2) == 0;
    switch (rng.below(14)) {
    case 0:
    case 1:
    case 2: {
        Node child = childOf(node, "s" + std::to_string(rng.below(40)), on ? "tune" : "transform");
        child.parents.push_back(other);
        tree.add(child);
        break;
    }
    case 3:
    case 4:
    case 5:
        tree.finish(node, on ? EvaluationStatus::Passed : EvaluationStatus::Timeout, rng.normal(), "compute");
        break;
    case 6:
        tree.revise(node, on ? EvaluationStatus::Passed : EvaluationStatus::RuntimeError, rng.normal(), "memory");
        break;
    case 7:
        tree.lose(node);
        break;
    case 8:
        tree.beginExpansion(node);
        break;
    case 9:
        tree.endExpansion(node);
        break;
    case 10:
        tree.addVisit(node);
        break;
    case 11:
        tree.setPinned(node, on);
        break;
    case 12:
        tree.setPruned(node, rng.below(4) == 0);
        break;
    default:
        if (on)
            tree.markExhausted(node, rng.below(2) == 0 ? "tune" : "transform");
        else
            tree.clearExhausted(node);
    }
}

void compareWithBruteForce(const Tree& tree)
{
    const std::size_t n = tree.nodes().size();
    std::vector<int> visits(n, 0), inFlight(n, 0), valued(n, 0);
    std::vector<double> sum(n, 0), best(n, -std::numeric_limits<double>::infinity());
    std::vector<NodeId> expandable;
    for (const Node& node : tree.nodes()) {
        bool cut = false;
        for (const NodeId above : tree.lineage(node.id)) {
            const auto i = static_cast<std::size_t>(above.value);
            cut = cut || tree.node(above).pruned;
            visits[i] += node.ownVisits;
            inFlight[i] += node.ownInFlight;
            if (node.hasValue) {
                ++valued[i];
                sum[i] += node.value;
                best[i] = std::max(best[i], node.value);
            }
        }
        QCOMPARE(tree.isPruned(node.id), cut);
        QCOMPARE(static_cast<int>(tree.lineage(node.id).size()), node.depth + 1);
        if (node.hasValue && !cut)
            expandable.push_back(node.id);
    }
    QVERIFY(tree.expandable() == expandable);
    for (const Node& node : tree.nodes()) {
        const auto i = static_cast<std::size_t>(node.id.value);
        QCOMPARE(node.visits, visits[i]);
        QCOMPARE(node.inFlight, inFlight[i]);
        QCOMPARE(node.subtreeValued, valued[i]);
        QVERIFY(std::abs(node.subtreeSum - sum[i]) < 1e-9);
        if (valued[i] > 0)
            QCOMPARE(node.subtreeBest, best[i]);
        QVERIFY(std::is_sorted(node.children.begin(), node.children.end()));
    }
}

// What a structure must say, read from the tree alone.
void compareStructure(const Tree& tree, const Structures& structures, const Structure& structure)
{
    const auto members = tree.withStructure(tree.node(structure.head).structureHash);
    QVERIFY(structure.members == members);
    NodeId best, anchor, base;
    int visits = 0, inFlight = 0, pinned = 0, moves = 0;
    for (const NodeId id : members) {
        const Node& node = tree.node(id);
        visits += node.ownVisits;
        inFlight += node.ownInFlight;
        moves += static_cast<int>(std::count_if(node.children.begin(), node.children.end(),
            [&](NodeId child) { return tree.node(child).proposer != "tune"; }));
        if (!node.hasValue || tree.isPruned(id))
            continue;
        pinned += static_cast<int>(node.pinned);
        anchor = anchor.valid() ? anchor : id;
        best = best.valid() && tree.node(best).value >= node.value ? best : id;
    }
    for (const NodeId id : members) {
        const Node& node = tree.node(id);
        if (!base.valid() && node.hasValue && !tree.isPruned(id) && node.value >= tree.node(best).value - 0.05)
            base = id;
    }
    QCOMPARE(structure.best.value, best.value);
    QCOMPARE(structure.anchor.value, anchor.value);
    QCOMPARE(structure.base.value, base.value);
    QCOMPARE(structure.visits, visits);
    QCOMPARE(structure.inFlight, inFlight);
    QCOMPARE(structure.pinned, pinned);
    QCOMPARE(structure.moves, moves);
    const bool open = best.valid()
        && (!tree.node(anchor).exhausted.contains("tune") || !tree.node(base).exhausted.contains("transform"));
    QCOMPARE(structure.open, open);
    QCOMPARE(structures.ranking().contains({ -structure.value, structure.index }), open);
}

void compareStructures(const Tree& tree, const Structures& structures)
{
    const auto& all = structures.all();
    std::vector<int> visits(all.size(), 0), inFlight(all.size(), 0), pinned(all.size(), 0), openBelow(all.size(), 0);
    std::vector<double> best(all.size(), -std::numeric_limits<double>::infinity());
    int open = 0;
    for (const Structure& structure : all) {
        compareStructure(tree, structures, structure);
        if (structure.open)
            QCOMPARE(structures.openAt(open++).index, structure.index);
        for (int index = structure.index; index >= 0; index = all[static_cast<std::size_t>(index)].parent) {
            const auto i = static_cast<std::size_t>(index);
            visits[i] += structure.visits;
            inFlight[i] += structure.inFlight;
            pinned[i] += structure.pinned;
            openBelow[i] += static_cast<int>(structure.open);
            best[i] = structure.live() ? std::max(best[i], structure.value) : best[i];
        }
    }
    QCOMPARE(structures.openCount(), open);
    for (std::size_t i = 0; i < all.size(); ++i) {
        QCOMPARE(all[i].visitsBelow, visits[i]);
        QCOMPARE(all[i].inFlightBelow, inFlight[i]);
        QCOMPARE(all[i].pinnedBelow, pinned[i]);
        QCOMPARE(all[i].openBelow, openBelow[i]);
        QCOMPARE(all[i].bestBelow, best[i]);
    }
}

} // namespace

class TestTree : public QObject {
    Q_OBJECT
private slots:
    void sumsAgreeWithABruteForceReading();
    void structuresAgreeWithABruteForceReading();
    void nodesThatCannotBeAreRefused();
    void onlyFiniteValuesOfPassedNodesCount_data();
    void onlyFiniteValuesOfPassedNodesCount();
    void revisingCorrectsTheAncestors();
    void pruningTakesTheSubtreeAndRestoringReturnsIt();
    void sourcesStructuresAndMovesAreFound();
    void textShowsEveryNodeAndItsMarks();
    void textOfADeepTreeNeedsNoStack();
    void selectionSurvivesJson();
    void brokenSelectionsAreErrors_data();
    void brokenSelectionsAreErrors();
    void limitsAreReached_data();
    void limitsAreReached();
    void fractionIsTheFurthestOfTheCountedLimits();
    void budgetSurvivesJson();
};

void TestTree::sumsAgreeWithABruteForceReading()
{
    Tree tree = treeWithRoot();
    Rng rng(7);
    for (int step = 0; step < 3000; ++step) {
        doSomething(tree, rng);
        if (step % 50 == 0)
            compareWithBruteForce(tree);
        if (QTest::currentTestFailed())
            return;
    }
}

void TestTree::structuresAgreeWithABruteForceReading()
{
    Tree tree = treeWithRoot();
    Structures structures({ "transform", "tune" });
    Rng rng(11);
    for (int step = 0; step < 3000; ++step) {
        doSomething(tree, rng);
        if (step % 3 == 0)
            structures.follow(tree);
        if (step % 30 == 0)
            compareStructures(tree, structures);
        if (QTest::currentTestFailed())
            return;
    }
    Structures late({ "transform", "tune" });
    late.follow(tree);
    compareStructures(tree, late);
    late.follow(treeWithRoot()); // another tree: begins anew
    QCOMPARE(late.all().size(), std::size_t{ 1 });
}

void TestTree::nodesThatCannotBeAreRefused()
{
    Tree tree;
    QVERIFY(!tree.add(childOf(NodeId{ 0 })).valid());
    tree = treeWithRoot();
    QVERIFY(!tree.add(Node{}).valid()); // a second root
    QVERIFY(!tree.add(childOf(NodeId{ 5 })).valid());
    QVERIFY(!tree.add(childOf(NodeId{})).valid());
    QCOMPARE(tree.size(), 1);
    for (const NodeId id : { NodeId{}, NodeId{ 9 } }) {
        tree.finish(id, EvaluationStatus::Passed, 1, {});
        tree.revise(id, EvaluationStatus::Passed, 1, {});
        tree.lose(id);
        tree.beginExpansion(id);
        tree.endExpansion(id);
        tree.addVisit(id);
        tree.setPinned(id, true);
        tree.setPruned(id, true);
        tree.markExhausted(id, "tune");
        tree.clearExhausted(id);
        QVERIFY(!tree.isPruned(id));
        QVERIFY(tree.lineage(id).empty());
        QVERIFY(tree.triedMoves(id, "tune").empty());
    }
    compareWithBruteForce(tree);
}

void TestTree::onlyFiniteValuesOfPassedNodesCount_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<double>("value");
    QTest::addColumn<bool>("counts");
    const int passed = static_cast<int>(EvaluationStatus::Passed);
    QTest::newRow("passed") << passed << 1.5 << true;
    QTest::newRow("NaN") << passed << std::numeric_limits<double>::quiet_NaN() << false;
    QTest::newRow("infinite") << passed << std::numeric_limits<double>::infinity() << false;
    QTest::newRow("wrong") << static_cast<int>(EvaluationStatus::IncorrectNumerical) << 1.5 << false;
}

void TestTree::onlyFiniteValuesOfPassedNodesCount()
{
    QFETCH(int, status);
    QFETCH(double, value);
    QFETCH(bool, counts);
    Tree tree = treeWithRoot();
    const NodeId child = tree.add(childOf(tree.root()));
    tree.finish(child, static_cast<EvaluationStatus>(status), value, "memory");
    QCOMPARE(tree.node(child).hasValue, counts);
    QCOMPARE(tree.node(tree.root()).subtreeValued, counts ? 2 : 1);
    QCOMPARE(tree.node(tree.root()).subtreeBest, counts ? 1.5 : 0);
}

void TestTree::revisingCorrectsTheAncestors()
{
    Tree tree = treeWithRoot();
    const NodeId child = tree.add(childOf(tree.root()));
    const NodeId grandchild = tree.add(childOf(child));
    tree.finish(child, EvaluationStatus::Passed, 1, {});
    tree.finish(grandchild, EvaluationStatus::Passed, 3, {});
    QCOMPARE(tree.node(tree.root()).subtreeBest, 3.0);
    tree.revise(grandchild, EvaluationStatus::Passed, 0.5, {});
    QCOMPARE(tree.node(tree.root()).subtreeBest, 1.0);
    tree.revise(child, EvaluationStatus::Timeout, 0, {});
    QCOMPARE(tree.node(tree.root()).subtreeBest, 0.5);
    QCOMPARE(tree.node(tree.root()).subtreeValued, 2);
    tree.lose(grandchild);
    QCOMPARE(tree.node(tree.root()).subtreeBest, 0.0);
    compareWithBruteForce(tree);
}

void TestTree::pruningTakesTheSubtreeAndRestoringReturnsIt()
{
    Tree tree = treeWithRoot();
    const NodeId child = tree.add(childOf(tree.root()));
    const NodeId grandchild = tree.add(childOf(child));
    tree.finish(grandchild, EvaluationStatus::Passed, 1, {});
    tree.setPruned(child, true);
    tree.setPruned(grandchild, true);
    const NodeId late = tree.add(childOf(child));
    QVERIFY(tree.isPruned(grandchild) && tree.isPruned(late) && !tree.isPruned(tree.root()));
    tree.setPruned(child, false);
    QVERIFY(!tree.isPruned(child) && !tree.isPruned(late));
    QVERIFY(tree.isPruned(grandchild)); // pruned itself
    QVERIFY(isBelow(tree, grandchild, child));
}

void TestTree::sourcesStructuresAndMovesAreFound()
{
    Tree tree = treeWithRoot();
    Node first = childOf(tree.root(), "tiled");
    first.sourceHash = "a";
    first.moveKey = "tile i";
    const NodeId one = tree.add(first);
    Node second = childOf(one, "tiled", "tune");
    second.sourceHash = "b";
    second.moveKey = "TILE=8";
    const NodeId two = tree.add(second);
    QCOMPARE(tree.findBySource("b").value, two.value);
    QVERIFY(!tree.findBySource("c").valid());
    QVERIFY(tree.withStructure("tiled") == (std::vector{ one, two }));
    QVERIFY(tree.withStructure("other").empty());
    QVERIFY(tree.triedMoves(tree.root(), "transform") == std::set<std::string>{ "tile i" });
    QVERIFY(tree.triedMoves(tree.root(), "tune").empty());
    QVERIFY(tree.lineage(two) == (std::vector{ tree.root(), one, two }));
}

void TestTree::textShowsEveryNodeAndItsMarks()
{
    Tree tree = treeWithRoot();
    Node draft = childOf(tree.root(), "online", "library");
    draft.technique = "library:online";
    draft.title = "online softmax\nwith blocks";
    const NodeId one = tree.add(draft);
    const NodeId two = tree.add(childOf(one));
    const NodeId three = tree.add(childOf(tree.root()));
    Node crossed = childOf(three);
    crossed.parents.push_back(one);
    const NodeId four = tree.add(crossed);
    tree.finish(one, EvaluationStatus::Passed, std::log(12.34), "memory");
    tree.finish(two, EvaluationStatus::CompileError, 0, {});
    tree.lose(three);
    tree.setChampion(one);
    tree.setPinned(one, true);
    tree.setPruned(three, true);
    QCOMPARE(treeText(tree),
        std::string("0 root reference PASSED 1.00x\n"
                    "  1 library library:online: online softmax with blocks PASSED 12.3x * pinned\n"
                    "    2 transform COMPILE_ERROR\n"
                    "  3 transform LOST pruned\n"
                    "    4 transform RUNNING +1\n"));
    QCOMPARE(four.value, int64_t{ 4 });
    QCOMPARE(treeText(Tree{}), std::string());
}

void TestTree::textOfADeepTreeNeedsNoStack()
{
    Tree tree = treeWithRoot();
    NodeId last = tree.root();
    for (int i = 0; i < 3000; ++i)
        last = tree.add(childOf(last));
    tree.setPruned(tree.root(), true);
    QVERIFY(tree.isPruned(last));
    const std::string text = treeText(tree);
    QCOMPARE(std::count(text.begin(), text.end(), '\n'), std::ptrdiff_t{ 3001 });
}

void TestTree::selectionSurvivesJson()
{
    Selection selection;
    selection.parent = NodeId{ 4 };
    selection.second = NodeId{ 2 };
    selection.proposer = "llm";
    selection.memory = MemoryMode::Siblings;
    selection.island = 3;
    selection.record.policy = "evolve";
    selection.record.nodes = { { NodeId{ 4 }, 1.5, { { "value", 1.25 }, { "running", -0.5 } } } };
    selection.record.arms = { { "llm", MemoryMode::Siblings, 0.75, { { "mean", 0.5 } } } };
    selection.record.rationale = "because";
    const auto again = selectionFromJson(toJson(selection));
    QVERIFY(again.ok());
    QCOMPARE(toLine(toJson(*again)), toLine(toJson(selection)));
    QCOMPARE(again->record.nodes.at(0).terms.at(1).value, -0.5);
    QVERIFY(again->memory == MemoryMode::Siblings && again->island == 3 && again->second == NodeId{ 2 });
    for (const auto mode : { MemoryMode::None, MemoryMode::ParentLine, MemoryMode::Siblings, MemoryMode::Both })
        QVERIFY(memoryModeFromName(memoryModeName(mode)) == mode);
    QVERIFY(!memoryModeFromName("everything"));
}

void TestTree::brokenSelectionsAreErrors_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("ok");
    QTest::newRow("empty object") << QByteArray("{}") << false;
    QTest::newRow("not an object") << QByteArray("[1, 2]") << false;
    QTest::newRow("no proposer") << QByteArray(R"({"parent": 3})") << false;
    QTest::newRow("negative parent") << QByteArray(R"({"parent": -3, "proposer": "tune"})") << false;
    QTest::newRow("parent of the wrong type") << QByteArray(R"({"parent": "x", "proposer": "tune"})") << false;
    QTest::newRow("no record") << QByteArray(R"({"parent": 3, "proposer": "tune"})") << true;
    QTest::newRow("odd record") << QByteArray(
        R"({"parent": 3, "proposer": "tune", "memory": 7, "record": {"nodes": "x", "arms": [5, {"terms": {"a": "b"}}]}})")
                                << true;
}

void TestTree::brokenSelectionsAreErrors()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, ok);
    const auto json = parseJson(text.toStdString(), "test");
    QVERIFY(json.ok());
    const auto selection = selectionFromJson(*json);
    QCOMPARE(selection.ok(), ok);
    if (!ok)
        QVERIFY(selection.error().code == ErrorCode::Parse);
}

void TestTree::limitsAreReached_data()
{
    QTest::addColumn<QByteArray>("budget");
    QTest::addColumn<QByteArray>("limit");
    QTest::newRow("none") << QByteArray("{}") << QByteArray();
    QTest::newRow("none is near") << QByteArray(R"({"evaluations": 11, "time_ms": 1001, "stall": 6})") << QByteArray();
    QTest::newRow("evaluations") << QByteArray(R"({"evaluations": 10, "time_ms": 1})") << QByteArray("evaluations");
    QTest::newRow("time") << QByteArray(R"({"time_ms": 1000})") << QByteArray("time");
    QTest::newRow("tokens") << QByteArray(R"({"tokens": 50})") << QByteArray("tokens");
    QTest::newRow("money") << QByteArray(R"({"money": 0.2})") << QByteArray("money");
    QTest::newRow("stall") << QByteArray(R"({"stall": 5})") << QByteArray("stall");
    QTest::newRow("target") << QByteArray(R"({"target_speedup": 4})") << QByteArray("target");
    QTest::newRow("roofline") << QByteArray(R"({"roofline_fraction": 0.5})") << QByteArray("roofline");
    QTest::newRow("negative means none") << QByteArray(R"({"evaluations": -3, "money": -1})") << QByteArray();
}

void TestTree::limitsAreReached()
{
    QFETCH(QByteArray, budget);
    QFETCH(QByteArray, limit);
    const Spent spent{ 10, 1000, 50, 0.25, 5, 4.5, 0.5 };
    const auto reached = reachedLimit(budgetFromJson(*parseJson(budget.toStdString(), "test")), spent);
    QCOMPARE(QByteArray::fromStdString(reached.value_or("")), limit);
}

void TestTree::fractionIsTheFurthestOfTheCountedLimits()
{
    Budget budget;
    QCOMPARE(fractionSpent(budget, Spent{ 10 }), 0.0);
    budget.evaluations = 100;
    budget.timeMs = 1000;
    budget.stall = 5;
    QCOMPARE(fractionSpent(budget, Spent{ 10, 500, 0, 0, 5 }), 0.5);
    QCOMPARE(fractionSpent(budget, Spent{ 300 }), 1.0);
}

void TestTree::budgetSurvivesJson()
{
    const Budget budget{ 1, 2, 3, 0.5, 4, 5.5, 0.75 };
    QCOMPARE(toLine(toJson(budgetFromJson(toJson(budget)))), toLine(toJson(budget)));
    QCOMPARE(budgetFromJson(Json::array()).evaluations, int64_t{ 0 });
}

QTEST_APPLESS_MAIN(TestTree)
#include "tst_tree.moc"
