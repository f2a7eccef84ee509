// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/base/rng.h"
#include "core/kernel/candidate.h"
#include "core/kernel/tunables.h"
#include "core/search/decision.h"
#include "core/search/tuner.h"
#include "core/spec/operator.h"
#include "core/target/device.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

// Proposers make candidates from a node and its history.
namespace rooftree::synth {

// A past attempt that the memory mode lets the proposer see, oldest first.
struct PastAttempt {
    NodeId node;
    std::string proposer;
    std::string technique;
    std::string title;
    std::string status; // measure::statusName
    std::optional<double> value; // log speedup over naive
};

// Everything a proposer may look at, as values: it runs outside the engine thread.
struct ProposalRequest {
    spec::Operator op;
    target::Device device;
    std::vector<target::Toolchain> toolchains;
    NodeId parentId;
    kernel::Candidate parent;
    std::optional<kernel::Candidate> second;
    std::string bound; // of the parent; empty: unknown
    search::MemoryMode memory = search::MemoryMode::ParentLine;
    std::vector<PastAttempt> memoryOf; // by mode: line of ancestors, siblings, both, or nothing
    std::set<std::string> triedMoves; // moveKeys of this proposer's children of the parent, running ones included
    std::set<std::string>
        knownSources; // hashes of the sources near the parent: its children and the nodes of its structure
    std::vector<search::TunedPoint> tuned; // evaluated nodes with the parent's structure
    std::vector<kernel::Configuration> tuning; // running ones
    Rng rng;
};

struct Proposal {
    kernel::Candidate candidate;
    std::string moveKey; // what makes this change different from the proposer's others at the same node
    std::string technique; // a short stable word: "omp-parallel", "interchange", "retune"
    std::string title; // one line for people: "parallelise loop over rows (line 7)"
};

// Must be safe to call from any thread, one call at a time per object; may block (libclang, network). An empty list: nothing more to
// offer at this node. An Error is a fault of the environment (libclang missing), never of the candidate.
class Proposer {
public:
    virtual ~Proposer() = default;
    virtual std::string name() const = 0;
    virtual Result<std::vector<Proposal>> propose(const ProposalRequest& request) = 0;
};

struct ProposerInfo {
    std::string name;
    std::string description; // one line, for menus and help
    double weight; // prior in the bandit
    std::unique_ptr<Proposer> (*make)();
};

// The registration list: library, transform, tune.
const std::vector<ProposerInfo>& proposers();
// NotFound suggests the nearest name.
Result<std::unique_ptr<Proposer>> makeProposer(const std::string& name);

} // namespace rooftree::synth
