// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/journal.h"
#include "core/hosts/host.h"

#include <functional>

namespace rooftree::engine {

// What must be known before a search can begin, one step after the other: the operator is tried out, the worker gets
// it, the baselines are measured, and the root enters the tree. Engine thread only; every step is asynchronous.
class Preparation {
public:
    Preparation(Journal& journal, hosts::Host& host, bool admit);

    // Calls back once, with the reason when the search cannot begin. 'phase' is told what is going on.
    void run(std::function<void(Phase)> phase, std::function<void(Status)> done);

private:
    void admit();
    void admitted(const hosts::Answer<worker::AdmissionReport>& answer);
    void sendOperator();
    void measureNaive();
    void measureVendor();
    void addRoot(const measure::Evaluation& naive);

    Journal& m_journal;
    hosts::Host& m_host;
    bool m_admit;
    std::function<void(Phase)> m_phase;
    std::function<void(Status)> m_done;
};

// The candidate that a source of the operator's folder makes.
kernel::Candidate operatorCandidate(const spec::Operator& op, const std::string& source);
// Requests of a session share the seed of the inputs, so that the worker computes the truth once.
worker::EvaluateRequest evaluateRequest(const SessionState& state, const kernel::Candidate& candidate);
JobId nextJob();

} // namespace rooftree::engine
