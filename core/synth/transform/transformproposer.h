// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/synth/proposer.h"
#include "core/synth/transform/move.h"
#include "core/synth/transform/parser.h"

namespace rooftree::synth::transform {

// Changes C++ sources with the moves of the registration list, one at a time.
class TransformProposer : public Proposer {
public:
    std::string name() const override { return "transform"; }
    Result<std::vector<Proposal>> propose(const ProposalRequest& request) override;

private:
    Parser m_parser;
};

} // namespace rooftree::synth::transform
