// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/update.h"
#include "core/search/policy.h"
#include "core/search/tree.h"
#include "core/store/event.h"

#include <functional>
#include <map>
#include <set>

namespace rooftree::engine {

// A session as the sum of its events: apply() is the only way to change it, live and on reopening alike, so both give
// the same. Owned by one thread. A view may keep one of its own and feed it the events of the updates.
class SessionState {
public:
    // Called when an expansion ends, with the tree as it is then: the policy learns from it, live and on resuming.
    using OutcomeListener = std::function<void(const search::Outcome&)>;
    void setOutcomeListener(OutcomeListener listener) { m_listener = std::move(listener); }

    void apply(const store::EventBody& body);

    const search::Tree& tree() const { return m_tree; }
    const store::SessionCreated& session() const { return m_session; }
    bool hasSession() const { return !m_session.session.empty(); }
    const search::Budget& budget() const { return m_budget; }
    const std::map<std::string, measure::Evaluation>& baselines() const { return m_baselines; }
    const std::string& policy() const { return m_policy; }

    ExpansionId nextExpansion() const { return { m_nextExpansion }; }
    // Selected and not ended: what a killed program left behind.
    std::vector<ExpansionId> openExpansions() const;
    std::vector<NodeId> runningNodes() const;
    const search::Selection* openSelection(ExpansionId expansion) const;

    int64_t evaluations() const { return m_evaluations; }
    int failed() const { return m_failed; }
    int64_t sinceChampion() const { return m_sinceChampion; }
    int64_t activeMs() const { return m_activeMs; } // of ended runs
    double bestValue() const { return m_bestValue; }
    double rooflineFraction(NodeId node) const;
    // The latest word on a node's speed over each baseline; a duel's word wins over the screen's.
    std::map<std::string, measure::Interval> speedups(NodeId node) const;
    double geomeanNs(NodeId node) const; // of its timed cases; 0 when unknown
    // Log speedup of the champion over naive: its screen, corrected upwards by what its duels showed. A screen that was taken in a bad
    // moment would let every later candidate challenge it.
    double championValue() const { return m_championValue; }
    NodeId championOrRoot() const { return m_tree.champion().valid() ? m_tree.champion() : m_tree.root(); }
    const TimeSplit& split() const { return m_split; }
    std::set<std::string> duplicateMoves(NodeId node, const std::string& proposer) const;
    std::vector<std::string> hints(NodeId node) const;

    void addProposeMs(double ms) { m_split.proposeMs += ms; }
    void addDuelMs(double ms) { m_split.duelMs += ms; }

private:
    void on(const store::SessionCreated& event);
    void on(const store::RunStarted& event) { m_budget = event.budget; }
    void on(const store::RunStopped& event) { m_activeMs += event.activeMs; }
    void on(const store::BaselineMeasured& event) { m_baselines[event.name] = event.evaluation; }
    void on(const store::ExpansionSelected& event);
    void on(const store::NodeAdded& event);
    void on(const store::NodeEvaluated& event);
    void on(const store::NodeLost& event) { m_tree.lose(event.node); }
    void on(const store::ExpansionEnded& event);
    void on(const store::DuelFought& event);
    void on(const store::ChampionMeasured& event);
    void on(const store::Steered& event);

    struct Facts {
        double geomeanNs = 0;
        double rooflineFraction = 0;
        std::map<std::string, measure::Interval> speedup;
        std::map<std::string, measure::Interval> measured; // by ChampionMeasured
    };

    store::SessionCreated m_session;
    search::Budget m_budget;
    std::string m_policy;
    search::Tree m_tree;
    std::map<std::string, measure::Evaluation> m_baselines;
    std::map<ExpansionId, search::Selection> m_open;
    std::map<NodeId, Facts> m_facts;
    std::map<std::pair<NodeId, std::string>, std::set<std::string>> m_duplicateMoves;
    std::map<NodeId, std::vector<std::string>> m_hints;
    OutcomeListener m_listener;
    TimeSplit m_split;
    int64_t m_nextExpansion = 0;
    int64_t m_evaluations = 0;
    int64_t m_sinceChampion = 0;
    int64_t m_activeMs = 0;
    int m_failed = 0;
    double m_bestValue = 0;
    double m_championValue = 0;
    double m_bestBefore = 0; // before the latest evaluation
};

} // namespace rooftree::engine
