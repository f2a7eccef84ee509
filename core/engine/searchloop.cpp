// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/searchloop.h"

#include "core/engine/preparation.h"

#include <algorithm>
#include <cmath>

namespace rooftree::engine {

namespace {

constexpr int maxFaultsInARow = 5; // of proposers: then something is wrong with the machine
constexpr int maxEmptyInARow = 2'000; // expansions that brought nothing new: then there is nothing new
constexpr double giveUpFactor = 1.5; // a candidate this much slower than the champion is not measured to full precision

} // namespace

SearchLoop::SearchLoop(Journal& journal, hosts::Host& host, Expander& expander, Championship& championship, Hooks hooks)
    : m_journal(journal)
    , m_host(host)
    , m_expander(expander)
    , m_championship(championship)
    , m_hooks(std::move(hooks))
{
}

void SearchLoop::advance()
{
    const auto jobs = static_cast<std::size_t>(std::max(1, m_journal.state().session().jobs));
    while (!m_halted && !m_proposing && !m_championship.busy()) {
        if (m_journal.fault())
            return fail(*m_journal.fault());
        if (!m_stopping && !m_paused && m_flights.size() < jobs) {
            if (const auto limit = m_hooks.limit(static_cast<int64_t>(m_flights.size()))) {
                m_stopping = true;
                m_hooks.stopped(*limit);
            } else if (selectOne()) {
                return;
            } else if (m_flights.empty()) {
                m_stopping = true;
                m_hooks.stopped("exhausted");
            }
        }
        if (m_flights.empty()) {
            if (m_stopping)
                m_hooks.drained();
            return;
        }
        if (!m_flights.front().answer)
            return;
        commitFront();
    }
}

void SearchLoop::fail(const Error& error)
{
    m_halted = true;
    m_hooks.fault(error);
}

void SearchLoop::pause(bool on)
{
    m_paused = on;
    advance();
}

void SearchLoop::step()
{
    m_paused = false;
    m_stepping = true;
    advance();
}

void SearchLoop::stop()
{
    m_stopping = true;
    advance();
}

bool SearchLoop::selectOne()
{
    const auto& state = m_journal.state();
    const ExpansionId expansion = state.nextExpansion();
    Rng rng(splitMix64(state.session().seed) ^ splitMix64(static_cast<uint64_t>(expansion.value)));
    const auto selection = m_emptyInARow < maxEmptyInARow ? m_policy->select(state.tree(), rng) : std::nullopt;
    if (!selection)
        return false;
    if (!m_journal.record(store::ExpansionSelected{ expansion, *selection })) {
        fail(*m_journal.fault());
        return true;
    }
    m_proposing = true;
    if (m_stepping)
        m_paused = true;
    m_stepping = false;
    m_expander.propose(*selection, rng.fork(1), [this, expansion, selection = *selection](Expander::Answer answer) {
        m_proposing = false;
        proposed(expansion, selection, std::move(answer));
        m_hooks.changed();
        advance();
    });
    return true;
}

void SearchLoop::proposed(ExpansionId expansion, const search::Selection& selection, Expander::Answer answer)
{
    m_journal.state().addProposeMs(answer.ms);
    if (!answer.proposals) {
        m_journal.notice("The proposer " + selection.proposer + " failed: " + answer.proposals.error().text);
        endEmpty(expansion, "exhausted", {}, answer.proposals.error().text);
        if (++m_faultsInARow >= maxFaultsInARow)
            fail(answer.proposals.error());
        return;
    }
    m_faultsInARow = 0;
    if (answer.proposals->empty() || !kernel::validate(answer.proposals->front().candidate))
        return endEmpty(expansion, "exhausted", {}, {});
    const synth::Proposal& proposal = answer.proposals->front();
    const std::string hash = kernel::sourceHash(proposal.candidate);
    if (const NodeId known = m_journal.state().tree().findBySource(hash); known.valid())
        return endEmpty(expansion, "duplicate", known, proposal.moveKey);
    m_emptyInARow = 0;
    store::NodeAdded added;
    added.node = NodeId{ m_journal.state().tree().size() };
    added.expansion = expansion;
    added.parents = { selection.parent };
    if (selection.second.valid())
        added.parents.push_back(selection.second);
    added.proposer = selection.proposer;
    added.technique = proposal.technique;
    added.title = proposal.title;
    added.moveKey = proposal.moveKey;
    added.sourceHash = hash;
    added.structureHash = kernel::structureHash(proposal.candidate);
    added.candidate = proposal.candidate;
    if (m_journal.record(added))
        launch(expansion, added.node, proposal.candidate);
}

void SearchLoop::endEmpty(ExpansionId expansion, const std::string& outcome, NodeId child, const std::string& text)
{
    ++m_emptyInARow;
    m_journal.record(store::ExpansionEnded{ expansion, outcome, child, text });
}

void SearchLoop::launch(ExpansionId expansion, NodeId node, const kernel::Candidate& candidate)
{
    const auto& state = m_journal.state();
    auto request = evaluateRequest(state, candidate);
    if (const double championNs = state.geomeanNs(state.championOrRoot()); championNs > 0)
        request.timing.giveUpAbove = giveUpFactor * championNs;
    Flight flight;
    flight.expansion = expansion;
    flight.node = node;
    flight.job = request.job;
    flight.again = state.tree().node(node).state == search::NodeState::Done;
    m_flights.push_back(flight);
    m_host.evaluate(request, [this, job = request.job](hosts::Answer<measure::Evaluation> answer) {
        if (Flight* landed = flightOf(job))
            landed->answer = std::move(answer);
        m_hooks.changed();
        advance();
    });
}

SearchLoop::Flight* SearchLoop::flightOf(JobId job)
{
    const auto it =
        std::find_if(m_flights.begin(), m_flights.end(), [job](const Flight& flight) { return flight.job == job; });
    return it == m_flights.end() ? nullptr : &*it;
}

std::string SearchLoop::describe(JobId job) const
{
    for (const Flight& flight : m_flights) {
        if (flight.job == job)
            return "node " + std::to_string(flight.node.value);
    }
    return {};
}

store::NodeEvaluated SearchLoop::evaluated(NodeId node, const measure::Evaluation& evaluation) const
{
    store::NodeEvaluated event{ node, evaluation, std::nullopt, {} };
    if (!evaluation.passed())
        return event;
    for (const auto& [name, baseline] : m_journal.state().baselines()) {
        if (const auto speedup = measure::speedupOver(baseline, evaluation))
            event.speedup[name] = *speedup;
    }
    const auto naive = event.speedup.find("naive");
    if (naive != event.speedup.end() && naive->second.value > 0 && std::isfinite(naive->second.value))
        event.value = std::log(naive->second.value);
    return event;
}

std::vector<store::EventBody> SearchLoop::commitEvents(const Flight& flight) const
{
    std::vector<store::EventBody> events;
    const auto& answer = *flight.answer;
    const bool known = answer.value.has_value();
    if (known)
        events.emplace_back(evaluated(flight.node, *answer.value));
    else if (!flight.again)
        events.emplace_back(store::NodeLost{ flight.node, answer.error.text });
    if (flight.expansion.valid())
        events.emplace_back(store::ExpansionEnded{
            flight.expansion, known ? "evaluated" : "lost", flight.node, known ? "" : answer.error.text });
    return events;
}

void SearchLoop::commitFront()
{
    const Flight flight = std::move(m_flights.front());
    m_flights.pop_front();
    m_journal.record(commitEvents(flight));
    m_hooks.changed();
    if (!flight.answer->value) {
        if (flight.answer->absence == hosts::Absence::Environment)
            fail(flight.answer->error);
        else
            m_journal.notice("Node " + std::to_string(flight.node.value) + " is lost: " + flight.answer->error.text);
        return;
    }
    // While a duel is fought nothing is committed: advance() returns, and goes on when it is settled.
    m_championship.consider(flight.node, [this](const Status& status) {
        if (!status)
            return fail(status.error());
        m_hooks.changed();
        advance();
    });
}

void SearchLoop::insert(NodeId parent, kernel::Candidate candidate, const std::string& title)
{
    const std::string hash = kernel::sourceHash(candidate);
    if (const NodeId known = m_journal.state().tree().findBySource(hash); known.valid()) {
        m_journal.notice("This source is node " + std::to_string(known.value) + " already.");
        return;
    }
    store::NodeAdded added;
    added.node = NodeId{ m_journal.state().tree().size() };
    added.parents = { parent };
    added.proposer = "human";
    added.technique = "human";
    added.title = title;
    added.moveKey = hash;
    added.sourceHash = hash;
    added.structureHash = kernel::structureHash(candidate);
    added.candidate = candidate;
    if (m_journal.record({ added, store::Steered{ "insert", added.node, title } }))
        launch({}, added.node, candidate);
}

void SearchLoop::reevaluate(NodeId node)
{
    if (const auto candidate = m_journal.file().candidate(node))
        launch({}, node, *candidate);
}

} // namespace rooftree::engine
