// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/championship.h"
#include "core/engine/expander.h"
#include "core/hosts/host.h"
#include "core/search/policy.h"

#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace rooftree::engine {

// The expansions in flight. Engine thread only.
//
//   select -> propose -> admit -> evaluate -> commit -> duel
//
// So that a seed and the recorded evaluations determine the tree, everything that changes it happens in a fixed order
// whatever the timing: proposals are made one at a time, in the order of selection; results are committed in that order
// too, and only when the window of 'jobs' expansions is full (or nothing can be selected). A selection therefore always
// sees the same commits.
class SearchLoop {
public:
    struct Hooks {
        std::function<std::optional<std::string>(int64_t inFlight)>
            limit; // the name of the limit reached, counting what is in flight
        std::function<void(const std::string& reason)> stopped; // by itself: a limit, or nothing left to expand
        std::function<void()> drained; // stopping is done: nothing is in flight
        std::function<void(const Error&)> fault;
        std::function<void()> changed;
    };

    SearchLoop(Journal& journal, hosts::Host& host, Expander& expander, Championship& championship, Hooks hooks);

    void setPolicy(search::Policy* policy) { m_policy = policy; }
    // Goes on as far as it can; call it after everything that may have changed what is possible.
    void advance();
    void pause(bool on);
    void step(); // one selection, then pause
    void stop(); // no more selections; drained() follows
    void halt() { m_halted = true; } // nothing happens any more
    void insert(NodeId parent, kernel::Candidate candidate, const std::string& title);
    void reevaluate(NodeId node);

    int inFlight() const { return static_cast<int>(m_flights.size()) + (m_proposing ? 1 : 0); }
    bool paused() const { return m_paused; }
    // What a job of the host is about: "node 17"; empty when it is none of ours.
    std::string describe(JobId job) const;

private:
    struct Flight {
        ExpansionId expansion; // invalid: a person's
        NodeId node;
        JobId job;
        bool again = false; // a re-evaluation of a node that is done
        std::optional<hosts::Answer<measure::Evaluation>> answer;
    };

    void fail(const Error& error);
    bool selectOne();
    void proposed(ExpansionId expansion, const search::Selection& selection, Expander::Answer answer);
    void endEmpty(ExpansionId expansion, const std::string& outcome, NodeId child, const std::string& text);
    void launch(ExpansionId expansion, NodeId node, const kernel::Candidate& candidate);
    void commitFront();
    std::vector<store::EventBody> commitEvents(const Flight& flight) const;
    store::NodeEvaluated evaluated(NodeId node, const measure::Evaluation& evaluation) const;
    Flight* flightOf(JobId job);

    Journal& m_journal;
    hosts::Host& m_host;
    Expander& m_expander;
    Championship& m_championship;
    Hooks m_hooks;
    search::Policy* m_policy = nullptr;
    std::deque<Flight> m_flights; // in the order of selection
    bool m_proposing = false;
    bool m_paused = false;
    bool m_stopping = false;
    bool m_stepping = false;
    bool m_halted = false;
    int m_emptyInARow = 0;
    int m_faultsInARow = 0;
};

} // namespace rooftree::engine
