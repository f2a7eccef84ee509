// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rooftree::search {

NodeId Tree::add(Node prototype)
{
    const bool parentsExist = std::all_of(
        prototype.parents.begin(), prototype.parents.end(), [this](NodeId parent) { return contains(parent); });
    if (!parentsExist || prototype.parents.empty() != m_nodes.empty())
        return {};
    Node node;
    node.id = NodeId{ size() };
    node.parents = std::move(prototype.parents);
    node.proposer = std::move(prototype.proposer);
    node.technique = std::move(prototype.technique);
    node.title = std::move(prototype.title);
    node.moveKey = std::move(prototype.moveKey);
    node.sourceHash = std::move(prototype.sourceHash);
    node.structureHash = std::move(prototype.structureHash);
    node.island = prototype.island;
    if (!node.parents.empty()) {
        Node& parent = at(node.parents.front());
        node.depth = parent.depth + 1;
        node.cut = parent.cut;
        parent.children.push_back(node.id);
    }
    if (!node.sourceHash.empty())
        m_bySource.emplace(node.sourceHash, node.id);
    if (!node.structureHash.empty())
        m_byStructure[node.structureHash].push_back(node.id);
    m_journal.push_back(node.id);
    m_nodes.push_back(std::move(node));
    return m_nodes.back().id;
}

void Tree::finish(NodeId id, measure::EvaluationStatus status, double value, std::string bound)
{
    if (contains(id))
        settle(at(id), status, value, std::move(bound));
}

void Tree::revise(NodeId id, measure::EvaluationStatus status, double value, std::string bound)
{
    if (contains(id))
        settle(at(id), status, value, std::move(bound));
}

void Tree::lose(NodeId id)
{
    if (!contains(id))
        return;
    dropValue(at(id));
    at(id).state = NodeState::Lost;
    m_journal.push_back(id);
}

void Tree::settle(Node& node, measure::EvaluationStatus status, double value, std::string bound)
{
    dropValue(node);
    node.state = NodeState::Done;
    node.status = status;
    node.bound = std::move(bound);
    m_journal.push_back(node.id);
    if (status != measure::EvaluationStatus::Passed || !std::isfinite(value))
        return;
    node.value = value;
    node.hasValue = true;
    for (NodeId id = node.id; id.valid(); id = parentOf(at(id))) {
        Node& above = at(id);
        above.subtreeBest = above.subtreeValued > 0 ? std::max(above.subtreeBest, value) : value;
        above.subtreeSum += value;
        ++above.subtreeValued;
    }
}

void Tree::dropValue(Node& node)
{
    if (!node.hasValue)
        return;
    const double value = node.value;
    node.value = 0;
    node.hasValue = false;
    for (NodeId id = node.id; id.valid(); id = parentOf(at(id))) {
        Node& above = at(id);
        --above.subtreeValued;
        // Subtracting leaves a rounding error behind; an empty subtree is exactly empty.
        above.subtreeSum = above.subtreeValued > 0 ? above.subtreeSum - value : 0;
        if (above.subtreeBest <= value)
            above.subtreeBest = bestBelow(above);
    }
}

// The best value of a node and its children's subtrees; 0 without any.
double Tree::bestBelow(const Node& node) const
{
    double best = node.hasValue ? node.value : -std::numeric_limits<double>::infinity();
    for (const NodeId child : node.children) {
        if (this->node(child).subtreeValued > 0)
            best = std::max(best, this->node(child).subtreeBest);
    }
    return std::isfinite(best) ? best : 0;
}

void Tree::beginExpansion(NodeId id)
{
    if (!contains(id))
        return;
    ++at(id).ownInFlight;
    m_journal.push_back(id);
    for (; id.valid(); id = parentOf(at(id)))
        ++at(id).inFlight;
}

void Tree::endExpansion(NodeId id)
{
    if (!contains(id) || at(id).ownInFlight == 0)
        return;
    --at(id).ownInFlight;
    m_journal.push_back(id);
    for (; id.valid(); id = parentOf(at(id)))
        --at(id).inFlight;
}

void Tree::addVisit(NodeId id)
{
    if (!contains(id))
        return;
    ++at(id).ownVisits;
    m_journal.push_back(id);
    for (; id.valid(); id = parentOf(at(id)))
        ++at(id).visits;
}

void Tree::setPinned(NodeId id, bool on)
{
    if (!contains(id))
        return;
    at(id).pinned = on;
    m_journal.push_back(id);
}

void Tree::setPruned(NodeId id, bool on)
{
    if (!contains(id) || at(id).pruned == on)
        return;
    at(id).pruned = on;
    spreadCut(id);
}

// Brings 'cut' up to date below a node; stops where nothing changes.
void Tree::spreadCut(NodeId id)
{
    std::vector<NodeId> open{ id };
    while (!open.empty()) {
        Node& node = at(open.back());
        open.pop_back();
        const NodeId parent = parentOf(node);
        const bool cut = node.pruned || (parent.valid() && at(parent).cut);
        if (cut == node.cut && node.id != id)
            continue;
        node.cut = cut;
        m_journal.push_back(node.id);
        open.insert(open.end(), node.children.rbegin(), node.children.rend());
    }
}

bool Tree::isPruned(NodeId id) const
{
    return contains(id) && node(id).cut;
}

void Tree::markExhausted(NodeId id, const std::string& proposer)
{
    if (contains(id) && at(id).exhausted.insert(proposer).second)
        m_journal.push_back(id);
}

void Tree::clearExhausted(NodeId id)
{
    if (!contains(id) || at(id).exhausted.empty())
        return;
    at(id).exhausted.clear();
    m_journal.push_back(id);
}

NodeId Tree::findBySource(const std::string& sourceHash) const
{
    const auto it = m_bySource.find(sourceHash);
    return it == m_bySource.end() ? NodeId{} : it->second;
}

std::vector<NodeId> Tree::withStructure(const std::string& structureHash) const
{
    const auto it = m_byStructure.find(structureHash);
    return it == m_byStructure.end() ? std::vector<NodeId>{} : it->second;
}

std::vector<NodeId> Tree::lineage(NodeId id) const
{
    std::vector<NodeId> line;
    for (; contains(id); id = parentOf(node(id)))
        line.push_back(id);
    std::reverse(line.begin(), line.end());
    return line;
}

std::set<std::string> Tree::triedMoves(NodeId id, const std::string& proposer) const
{
    std::set<std::string> moves;
    if (!contains(id))
        return moves;
    for (const NodeId child : node(id).children) {
        if (node(child).proposer == proposer)
            moves.insert(node(child).moveKey);
    }
    return moves;
}

std::vector<NodeId> Tree::expandable() const
{
    std::vector<NodeId> open;
    for (const Node& node : m_nodes) {
        if (node.hasValue && !node.cut)
            open.push_back(node.id);
    }
    return open;
}

} // namespace rooftree::search
