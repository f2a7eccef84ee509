// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/measure/evaluation.h"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

// The search tree: no sources, no I/O. Owned by one thread (the engine's); copies are snapshots.
namespace rooftree::search {

enum class NodeState { Running, Done, Lost }; // Lost: its worker died twice or it was canceled; it has no status

struct Node {
    NodeId id;
    std::vector<NodeId> parents; // the first one is the tree edge; empty for the root only
    std::vector<NodeId> children; // along tree edges, ascending
    int depth = 0;
    std::string proposer;
    std::string
        technique; // "omp-parallel", "tile", "library:online", "retune"; the second axis of the MAP-Elites archive
    std::string title; // one line: what was changed
    std::string moveKey; // the proposer's name of the change, unique among the children of a node
    std::string sourceHash;
    std::string structureHash; // kernel::structureHash
    NodeState state = NodeState::Running;
    measure::EvaluationStatus status = measure::EvaluationStatus::Passed; // when Done
    double value = 0; // log of the speedup over naive; meaningful only when hasValue
    bool hasValue = false; // PASSED with a finite positive time; NaN never enters the tree
    std::string bound;
    bool pinned = false;
    bool pruned = false; // with its whole subtree
    bool cut = false; // pruned itself or below a pruned node; kept by the tree
    int visits = 0; // finished expansions in the subtree, itself included
    int inFlight = 0; // running expansions that chose this node or pass through it: virtual loss
    int ownVisits = 0; // finished expansions of exactly this node
    int ownInFlight = 0; // running expansions of exactly this node
    double subtreeSum = 0; // of the values of the valued nodes in the subtree, for means
    int subtreeValued = 0;
    double subtreeBest = 0; // only when subtreeValued > 0
    std::set<std::string> exhausted; // proposers that have nothing more to offer here
    int island = 0; // evolve
};

class Tree {
public:
    Tree() = default;

    int size() const { return static_cast<int>(m_nodes.size()); }
    bool contains(NodeId id) const { return id.value >= 0 && id.value < size(); }
    const Node& node(NodeId id) const { return m_nodes[static_cast<std::size_t>(id.value)]; }
    const std::vector<Node>& nodes() const { return m_nodes; }
    NodeId root() const { return NodeId{ 0 }; }

    // The next id. Parents must exist; 'prototype' carries proposer, technique, title, moveKey, hashes. An invalid id,
    // and nothing added, when a parent does not exist or a second root is asked for.
    NodeId add(Node prototype);
    // Ends a running node and updates its ancestors. value is ignored unless status is Passed and it is finite.
    void finish(NodeId id, measure::EvaluationStatus status, double value, std::string bound);
    void lose(NodeId id);
    // A re-evaluation: replaces the value and corrects the ancestors. Where the best of a subtree goes away, its
    // children are looked at.
    void revise(NodeId id, measure::EvaluationStatus status, double value, std::string bound);

    // An expansion of this node begins or ends: virtual loss along the line to the root.
    void beginExpansion(NodeId id);
    void endExpansion(NodeId id);
    // One more finished expansion of this node, on the line to the root.
    void addVisit(NodeId id);

    void setPinned(NodeId id, bool on);
    void setPruned(NodeId id, bool on);
    bool isPruned(NodeId id) const; // itself or an ancestor
    void markExhausted(NodeId id, const std::string& proposer);
    void clearExhausted(NodeId id);

    // The champion stands apart from the best value: it is set by the engine after a duel.
    NodeId champion() const { return m_champion; }
    void setChampion(NodeId id) { m_champion = id; }

    NodeId findBySource(const std::string& sourceHash) const; // invalid when unknown
    std::vector<NodeId> withStructure(const std::string& structureHash) const; // ascending
    std::vector<NodeId> lineage(NodeId id) const; // from the root to id
    std::set<std::string> triedMoves(NodeId id, const std::string& proposer) const; // of its children

    // Nodes that may be expanded: valued, not pruned, in id order.
    std::vector<NodeId> expandable() const;

    // Every node whose own facts changed, in the order of the changes: policies follow it with a cursor instead of
    // reading the tree again for each selection. Sums over subtrees and the champion are not facts of a node.
    const std::vector<NodeId>& journal() const { return m_journal; }

private:
    Node& at(NodeId id) { return m_nodes[static_cast<std::size_t>(id.value)]; }
    NodeId parentOf(const Node& node) const { return node.parents.empty() ? NodeId{} : node.parents.front(); }
    void settle(Node& node, measure::EvaluationStatus status, double value, std::string bound);
    void dropValue(Node& node);
    double bestBelow(const Node& node) const;
    void spreadCut(NodeId id);

    std::vector<Node> m_nodes;
    std::unordered_map<std::string, NodeId> m_bySource;
    std::unordered_map<std::string, std::vector<NodeId>> m_byStructure;
    std::vector<NodeId> m_journal;
    NodeId m_champion;
};

// One line a node, indented by depth, in the order of the tree: the text of `rooftree show --tree` and of the golden
// tests. Times are left out, so that the text depends on decisions and recorded evaluations only.
std::string treeText(const Tree& tree);

} // namespace rooftree::search
