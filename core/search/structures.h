// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/tree.h"

#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rooftree::search {

// Two proposers that the search knows by name: one retunes a structure, the other drafts kernels at the root only.
inline constexpr std::string_view tuneProposer = "tune";
inline constexpr std::string_view libraryProposer = "library";

// The nodes that differ by retuning only: one thing to choose, for a policy. Structures form a tree of their own: the
// parent of a structure is the one that the first of its nodes was made from, so that any number of retunes is still
// one step deep.
struct Structure {
    int index = 0;
    int parent = -1;
    std::vector<int> children;
    NodeId head; // the first of its nodes, whatever became of it
    std::vector<NodeId> members; // ascending
    // "Live" is a member with a value that is not pruned. Without one the following three are invalid.
    NodeId best; // the live member with the highest value
    NodeId anchor; // the first live member: where retunes hang
    NodeId base; // the first live member that is nearly as good as the best: where other changes start
    double value = 0; // of the best
    int pinned = 0; // live members that are pinned
    int visits = 0; // finished expansions of its members
    int inFlight = 0; // running ones
    int visitsAtGain = 0; // 'visits' when 'value' last rose
    int moves = 0; // children of its members that are more than a retune
    int64_t lastGrown = -1; // when the last expansion began, in entries of the tree's journal
    bool open = false; // some proposer may still offer something
    // Of the structure and everything below it:
    int openBelow = 0;
    int visitsBelow = 0;
    int inFlightBelow = 0;
    int visitsBelowAtGain = 0;
    int pinnedBelow = 0;
    double bestBelow = -std::numeric_limits<double>::infinity();
    bool live() const { return best.valid(); }
    int stale() const { return visits - visitsAtGain; } // finished expansions without a gain
    int staleBelow() const { return visitsBelow - visitsBelowAtGain; }
};

// Follows a tree and keeps what every policy asks of it, each change in O(log n) or O(depth). One tree per object;
// engine thread only.
class Structures {
public:
    explicit Structures(std::vector<std::string> proposers);

    void follow(const Tree& tree); // reads what happened since the last call
    const std::vector<Structure>& all() const { return m_all; }
    const Structure& of(NodeId node) const { return m_all[static_cast<std::size_t>(structureIndex(node))]; }

    // Open structures, the fastest first: (-value, index).
    const std::set<std::pair<double, int>>& ranking() const { return m_ranking; }
    int openCount() const { return static_cast<int>(m_ranking.size()); }
    const Structure& openAt(int k) const; // the k-th open structure by index, 0 <= k < openCount()

    // The node that this proposer would grow; invalid when it can do nothing for the structure.
    NodeId site(const Structure& structure, std::string_view proposer) const;
    // The proposers with something left to offer, in the order of preference.
    std::vector<std::string> openProposers(const Tree& tree, const Structure& structure) const;
    // The highest value of a live member other than this one; -infinity without any.
    double bestWithout(const Structure& structure, NodeId node) const;

private:
    struct Seen {
        int structure = 0;
        bool live = false;
        bool pinned = false;
        double value = 0;
        int visits = 0;
        int inFlight = 0;
    };

    int structureIndex(NodeId node) const { return m_seen[static_cast<std::size_t>(node.value)].structure; }
    Structure& at(int index) { return m_all[static_cast<std::size_t>(index)]; }
    const Seen& seen(NodeId node) const { return m_seen[static_cast<std::size_t>(node.value)]; }
    void touch(const Tree& tree, const Node& node, int64_t when);
    void join(const Node& node);
    void count(const Structure& structure, int visits, int inFlight, int pinned);
    void admit(Structure& structure, NodeId node);
    void moveBase(Structure& structure);
    void reconsider(Structure& structure);
    void rebuildBest();
    void refreshOpen(const Tree& tree, Structure& structure);
    void countOpen(int index, int change);

    std::vector<std::string> m_proposers;
    std::vector<Structure> m_all;
    std::vector<Seen> m_seen; // by node
    std::unordered_map<std::string, int> m_byHash;
    std::set<std::pair<double, int>> m_ranking;
    std::vector<double> m_rankedValue; // by structure: its key in m_ranking
    std::vector<int> m_openTree; // Fenwick tree over the open structures, from 1
    std::size_t m_cursor = 0;
    bool m_bestIsStale = false;
};

} // namespace rooftree::search
