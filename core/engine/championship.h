// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/journal.h"
#include "core/hosts/host.h"

#include <deque>
#include <functional>
#include <set>

namespace rooftree::engine {

// Who is champion: a node that screens faster challenges the champion to a duel and takes its place only when the
// verdict is FASTER. At the end the near misses get their duel, the champion is verified on fresh inputs and measured
// against each baseline. Engine thread only; asynchronous.
class Championship {
public:
    Championship(Journal& journal, hosts::Host& host);

    bool busy() const { return m_busy; }
    // Fights when the node screens faster than the champion, and calls back when that is settled; without a duel it
    // does not call back.
    void consider(NodeId node, std::function<void(Status)> done);
    // The last words on the champion.
    void finalize(std::function<void(Status)> done);

private:
    using Done = std::function<void(Status)>;
    void fight(NodeId candidate, Done done);
    void runOff(std::vector<NodeId> rest, Done done);
    void verifyFresh(Done done);
    void demote(NodeId champion, const measure::Evaluation& evaluation, Done done);
    void measureNext(std::deque<std::string> baselines, Done done);
    std::vector<NodeId> challengers(double margin, std::size_t most) const;
    worker::DuelRequest duelRequest(NodeId candidate, double expectedRatio) const;

    Journal& m_journal;
    hosts::Host& m_host;
    bool m_busy = false;
    std::set<std::pair<NodeId, NodeId>> m_fought; // candidate, incumbent
};

} // namespace rooftree::engine
