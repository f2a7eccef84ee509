// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/structures.h"

#include <algorithm>
#include <bit>

namespace rooftree::search {
namespace {

// Changes start from the first member within 5 % of the best: every small gain of the tuner would otherwise offer the
// same changes anew.
constexpr double nearlyAsGood = 0.05;
constexpr double nothing = -std::numeric_limits<double>::infinity();

} // namespace

Structures::Structures(std::vector<std::string> proposers)
    : m_proposers(std::move(proposers))
    , m_openTree(1, 0)
{
}

void Structures::follow(const Tree& tree)
{
    const auto& journal = tree.journal();
    if (m_cursor > journal.size()) // another tree
        *this = Structures(m_proposers);
    for (; m_cursor < journal.size(); ++m_cursor)
        touch(tree, tree.node(journal[m_cursor]), static_cast<int64_t>(m_cursor));
    if (m_bestIsStale)
        rebuildBest();
}

void Structures::touch(const Tree& tree, const Node& node, int64_t when)
{
    if (static_cast<std::size_t>(node.id.value) >= m_seen.size())
        join(node);
    Seen& seen = m_seen[static_cast<std::size_t>(node.id.value)];
    Structure& structure = at(seen.structure);
    if (node.ownInFlight > seen.inFlight)
        structure.lastGrown = when;
    const bool live = node.hasValue && !node.cut;
    const bool pinned = live && node.pinned;
    const bool worse = seen.live && (!live || node.value < seen.value);
    const int visits = node.ownVisits - seen.visits;
    const int inFlight = node.ownInFlight - seen.inFlight;
    const int pins = static_cast<int>(pinned) - static_cast<int>(seen.pinned);
    structure.visits += visits;
    structure.inFlight += inFlight;
    structure.pinned += pins;
    count(structure, visits, inFlight, pins);
    seen = { seen.structure, live, pinned, node.value, node.ownVisits, node.ownInFlight };
    if (worse)
        reconsider(structure);
    else if (live)
        admit(structure, node.id);
    refreshOpen(tree, structure);
}

void Structures::join(const Node& node)
{
    int index = static_cast<int>(m_all.size());
    if (!node.structureHash.empty())
        index = m_byHash.emplace(node.structureHash, index).first->second;
    const int parent = node.parents.empty() ? -1 : structureIndex(node.parents.front());
    if (index == static_cast<int>(m_all.size())) {
        Structure structure;
        structure.index = index;
        structure.head = node.id;
        structure.parent = parent;
        m_all.push_back(std::move(structure));
        m_rankedValue.push_back(0);
        if (parent >= 0)
            at(parent).children.push_back(index);
        // A new Fenwick slot holds the sum of the slots that it covers; its own structure is not open yet.
        const int slot = index + 1;
        int sum = 0;
        for (int step = 1; step < (slot & -slot); step <<= 1)
            sum += m_openTree[static_cast<std::size_t>(slot - step)];
        m_openTree.push_back(sum);
    }
    at(index).members.push_back(node.id);
    if (parent >= 0 && node.proposer != tuneProposer)
        ++at(parent).moves;
    Seen seen;
    seen.structure = index;
    m_seen.push_back(seen);
}

// The structure's own counts have changed by this much: so have those of everything above it.
void Structures::count(const Structure& structure, int visits, int inFlight, int pinned)
{
    if (visits == 0 && inFlight == 0 && pinned == 0)
        return;
    for (int index = structure.index; index >= 0; index = at(index).parent) {
        at(index).visitsBelow += visits;
        at(index).inFlightBelow += inFlight;
        at(index).pinnedBelow += pinned;
    }
}

void Structures::admit(Structure& structure, NodeId node)
{
    const double value = seen(node).value;
    if (!structure.best.valid() || value > structure.value || (value == structure.value && node < structure.best)) {
        structure.best = node;
        structure.value = value;
        structure.visitsAtGain = structure.visits;
        for (int index = structure.index; index >= 0 && at(index).bestBelow < value; index = at(index).parent) {
            at(index).bestBelow = value;
            at(index).visitsBelowAtGain = at(index).visitsBelow;
        }
    }
    if (!structure.anchor.valid() || node < structure.anchor)
        structure.anchor = node;
    if (!structure.base.valid() || (node < structure.base && value >= structure.value - nearlyAsGood))
        structure.base = node;
    moveBase(structure);
}

void Structures::moveBase(Structure& structure)
{
    const auto tooSlow = [&](NodeId node) {
        return !seen(node).live || seen(node).value < structure.value - nearlyAsGood;
    };
    if (!tooSlow(structure.base))
        return;
    const auto& members = structure.members;
    auto it = std::lower_bound(members.begin(), members.end(), structure.base);
    while (tooSlow(*it))
        ++it; // ends at the best member at the latest
    structure.base = *it;
}

// A member became slower or went away: everything about the structure is found anew.
void Structures::reconsider(Structure& structure)
{
    structure.best = structure.anchor = structure.base = NodeId{};
    structure.value = 0;
    for (const NodeId member : structure.members) {
        if (seen(member).live)
            admit(structure, member);
    }
    m_bestIsStale = true;
}

void Structures::rebuildBest()
{
    for (Structure& structure : m_all)
        structure.bestBelow = structure.live() ? structure.value : nothing;
    for (auto it = m_all.rbegin(); it != m_all.rend(); ++it) { // a parent's index is lower than its children's
        if (it->parent >= 0)
            at(it->parent).bestBelow = std::max(at(it->parent).bestBelow, it->bestBelow);
    }
    m_bestIsStale = false;
}

void Structures::refreshOpen(const Tree& tree, Structure& structure)
{
    const bool open = std::any_of(m_proposers.begin(), m_proposers.end(), [&](const std::string& proposer) {
        const NodeId node = site(structure, proposer);
        return node.valid() && !tree.node(node).exhausted.contains(proposer);
    });
    double& ranked = m_rankedValue[static_cast<std::size_t>(structure.index)];
    if (structure.open && (!open || ranked != structure.value))
        m_ranking.erase({ -ranked, structure.index });
    if (open) {
        ranked = structure.value;
        m_ranking.emplace(-ranked, structure.index);
    }
    if (open != structure.open)
        countOpen(structure.index, open ? 1 : -1);
    structure.open = open;
}

void Structures::countOpen(int index, int change)
{
    const int end = static_cast<int>(m_openTree.size());
    for (int slot = index + 1; slot < end; slot += slot & -slot)
        m_openTree[static_cast<std::size_t>(slot)] += change;
    for (; index >= 0; index = at(index).parent)
        at(index).openBelow += change;
}

const Structure& Structures::openAt(int k) const
{
    std::size_t slot = 0;
    for (std::size_t step = std::bit_floor(m_openTree.size()); step > 0; step >>= 1) {
        if (slot + step < m_openTree.size() && m_openTree[slot + step] <= k) {
            slot += step;
            k -= m_openTree[slot];
        }
    }
    return m_all[slot];
}

NodeId Structures::site(const Structure& structure, std::string_view proposer) const
{
    if (!structure.live())
        return {};
    if (proposer == libraryProposer)
        return structure.head == NodeId{ 0 } && seen(structure.head).live ? structure.head : NodeId{};
    return proposer == tuneProposer ? structure.anchor : structure.base;
}

std::vector<std::string> Structures::openProposers(const Tree& tree, const Structure& structure) const
{
    std::vector<std::string> open;
    for (const std::string& proposer : m_proposers) {
        const NodeId node = site(structure, proposer);
        if (node.valid() && !tree.node(node).exhausted.contains(proposer))
            open.push_back(proposer);
    }
    return open;
}

double Structures::bestWithout(const Structure& structure, NodeId node) const
{
    if (structure.live() && structure.best != node)
        return structure.value;
    double best = nothing;
    for (const NodeId member : structure.members) {
        if (member != node && seen(member).live)
            best = std::max(best, seen(member).value);
    }
    return best;
}

} // namespace rooftree::search
