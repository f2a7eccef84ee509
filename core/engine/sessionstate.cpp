// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/sessionstate.h"

#include "core/base/json.h"

#include <algorithm>
#include <cmath>

namespace rooftree::engine {

std::string_view phaseName(Phase phase)
{
    switch (phase) {
    case Phase::Starting:
        return "starting";
    case Phase::Admitting:
        return "checking the operator";
    case Phase::Baselines:
        return "measuring baselines";
    case Phase::Searching:
        return "searching";
    case Phase::Paused:
        return "paused";
    case Phase::Draining:
        return "finishing";
    case Phase::Measuring:
        return "measuring the champion";
    case Phase::Stopped:
        return "stopped";
    }
    return "stopped";
}

void SessionState::apply(const store::EventBody& body)
{
    std::visit([this](const auto& event) { on(event); }, body);
}

void SessionState::on(const store::SessionCreated& event)
{
    m_session = event;
    m_budget = event.budget;
    m_policy = event.policy;
}

void SessionState::on(const store::ExpansionSelected& event)
{
    m_open[event.expansion] = event.selection;
    m_nextExpansion = std::max(m_nextExpansion, event.expansion.value + 1);
    m_tree.beginExpansion(event.selection.parent);
}

void SessionState::on(const store::NodeAdded& event)
{
    search::Node node;
    node.parents = event.parents;
    node.proposer = event.proposer;
    node.technique = event.technique;
    node.title = event.title;
    node.moveKey = event.moveKey;
    node.sourceHash = event.sourceHash;
    node.structureHash = event.structureHash;
    m_tree.add(std::move(node));
}

void SessionState::on(const store::NodeEvaluated& event)
{
    const bool first = m_tree.node(event.node).state == search::NodeState::Running;
    const double value = event.value.value_or(std::nan(""));
    if (first)
        m_tree.finish(event.node, event.evaluation.status, value, event.evaluation.bound);
    else
        m_tree.revise(event.node, event.evaluation.status, value, event.evaluation.bound);
    Facts& facts = m_facts[event.node];
    facts.geomeanNs = measure::geomeanNs(event.evaluation);
    facts.rooflineFraction = event.evaluation.rooflineFraction;
    facts.speedup = event.speedup;
    for (const auto& stage : event.evaluation.stages) {
        if (stage.name == "build")
            m_split.buildMs += stage.ms;
        else if (stage.name == "verify")
            m_split.verifyMs += stage.ms;
        else if (stage.name == "time")
            m_split.timeMs += stage.ms;
    }
    if (!first || event.node == m_tree.root())
        return;
    ++m_evaluations;
    ++m_sinceChampion;
    m_failed += event.evaluation.passed() ? 0 : 1;
    m_bestBefore = m_bestValue;
    if (m_tree.node(event.node).hasValue)
        m_bestValue = std::max(m_bestValue, value);
}

void SessionState::on(const store::ExpansionEnded& event)
{
    const auto it = m_open.find(event.expansion);
    if (it == m_open.end())
        return;
    const search::Selection selection = it->second;
    m_open.erase(it);
    m_tree.endExpansion(selection.parent);
    m_tree.addVisit(selection.parent);
    if (event.outcome == "exhausted")
        m_tree.markExhausted(selection.parent, selection.proposer);
    if (event.outcome == "duplicate")
        m_duplicateMoves[{ selection.parent, selection.proposer }].insert(event.text);
    if (!m_listener)
        return;
    search::Outcome outcome;
    outcome.selection = selection;
    outcome.child = event.child;
    outcome.duplicate = event.outcome == "duplicate";
    outcome.parentValue = m_tree.node(selection.parent).value;
    outcome.bestBefore = event.outcome == "evaluated" ? m_bestBefore : m_bestValue;
    if (event.outcome == "evaluated" && event.child.valid()) {
        const auto& child = m_tree.node(event.child);
        outcome.passed = child.hasValue;
        outcome.childValue = child.value;
    }
    m_listener(outcome);
}

void SessionState::on(const store::DuelFought& event)
{
    const double value = m_tree.node(event.candidate).value;
    if (!event.newChampion) {
        if (event.result.speedup.value > 0)
            m_championValue = std::max(m_championValue, value - std::log(event.result.speedup.value));
        return;
    }
    m_championValue = value;
    m_tree.setChampion(event.candidate);
    m_sinceChampion = 0;
}

void SessionState::on(const store::ChampionMeasured& event)
{
    m_facts[event.node].measured[event.baseline] = event.result.speedup;
}

void SessionState::on(const store::Steered& event)
{
    if (event.action == "pin" || event.action == "unpin")
        m_tree.setPinned(event.node, event.action == "pin");
    else if (event.action == "prune" || event.action == "restore")
        m_tree.setPruned(event.node, event.action == "prune");
    else if (event.action == "hint")
        m_hints[event.node].push_back(event.text);
    else if (event.action == "policy")
        m_policy = event.text;
    else if (event.action == "budget") {
        if (const auto json = parseJson(event.text, "budget"))
            m_budget = search::budgetFromJson(*json);
    }
}

std::vector<ExpansionId> SessionState::openExpansions() const
{
    std::vector<ExpansionId> ids;
    for (const auto& [id, selection] : m_open)
        ids.push_back(id);
    return ids;
}

const search::Selection* SessionState::openSelection(ExpansionId expansion) const
{
    const auto it = m_open.find(expansion);
    return it == m_open.end() ? nullptr : &it->second;
}

std::vector<NodeId> SessionState::runningNodes() const
{
    std::vector<NodeId> ids;
    for (const auto& node : m_tree.nodes()) {
        if (node.state == search::NodeState::Running)
            ids.push_back(node.id);
    }
    return ids;
}

double SessionState::rooflineFraction(NodeId node) const
{
    const auto it = m_facts.find(node);
    return it == m_facts.end() ? 0 : it->second.rooflineFraction;
}

double SessionState::geomeanNs(NodeId node) const
{
    const auto it = m_facts.find(node);
    return it == m_facts.end() ? 0 : it->second.geomeanNs;
}

std::map<std::string, measure::Interval> SessionState::speedups(NodeId node) const
{
    const auto it = m_facts.find(node);
    if (it == m_facts.end())
        return {};
    auto result = it->second.measured;
    result.insert(it->second.speedup.begin(), it->second.speedup.end());
    return result;
}

std::set<std::string> SessionState::duplicateMoves(NodeId node, const std::string& proposer) const
{
    const auto it = m_duplicateMoves.find({ node, proposer });
    return it == m_duplicateMoves.end() ? std::set<std::string>{} : it->second;
}

std::vector<std::string> SessionState::hints(NodeId node) const
{
    std::vector<std::string> all;
    for (const NodeId id : { NodeId{}, node }) {
        if (const auto it = m_hints.find(id); it != m_hints.end())
            all.insert(all.end(), it->second.begin(), it->second.end());
    }
    return all;
}

} // namespace rooftree::engine
