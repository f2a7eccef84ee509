// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/journal.h"
#include "core/synth/proposer.h"

#include <QObject>
#include <QThreadPool>

#include <atomic>
#include <functional>
#include <map>
#include <memory>

namespace rooftree::engine {

using MakeProposer = std::function<Result<std::unique_ptr<synth::Proposer>>(const std::string&)>;

// Turns a selection into a proposal: gathers what the proposer may see, runs it in a thread of its own, brings the
// answer back to the engine thread. One at a time.
class Expander : public QObject {
    Q_OBJECT

public:
    struct Answer {
        Result<std::vector<synth::Proposal>> proposals = std::vector<synth::Proposal>{};
        double ms = 0;
    };

    Expander(Journal& journal, MakeProposer makeProposer);
    ~Expander() override;

    // sharesMachine: proposers keep out of timings on this machine.
    void setUp(target::Device device, std::vector<target::Toolchain> toolchains, bool sharesMachine);
    void propose(const search::Selection& selection, Rng rng, std::function<void(Answer)> done);

private:
    synth::ProposalRequest requestFor(const search::Selection& selection, Rng rng);
    void addTuningHistory(synth::ProposalRequest& request, NodeId parent);
    std::vector<synth::PastAttempt> memoryFor(const search::Selection& selection) const;
    const kernel::Configuration& configurationOf(NodeId node);

    Journal& m_journal;
    MakeProposer m_makeProposer;
    std::map<std::string, std::shared_ptr<synth::Proposer>> m_proposers;
    std::map<NodeId, kernel::Configuration> m_configurations;
    target::Device m_device;
    std::vector<target::Toolchain> m_toolchains;
    bool m_sharesMachine = false;
    std::atomic<bool> m_canceled{ false };
    QThreadPool m_pool;
};

} // namespace rooftree::engine
