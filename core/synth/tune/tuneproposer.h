// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/synth/proposer.h"

namespace rooftree::synth::tune {

// The parent with other values for its tunables, chosen by the tuner from what was measured for the same structure.
class TuneProposer : public Proposer {
public:
    std::string name() const override { return "tune"; }
    Result<std::vector<Proposal>> propose(const ProposalRequest& request) override;
};

} // namespace rooftree::synth::tune
