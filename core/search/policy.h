// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/rng.h"
#include "core/search/decision.h"
#include "core/search/tree.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rooftree::search {

// What came of an expansion, for the policy and the bandit.
struct Outcome {
    Selection selection;
    NodeId child; // invalid: nothing new was proposed (exhausted) or it was a duplicate
    bool duplicate = false;
    bool passed = false;
    double childValue = 0; // log speedup over naive, when passed
    double parentValue = 0;
    double bestBefore = 0; // best value in the tree before
};

struct PolicyOptions {
    std::vector<std::string> proposers; // enabled, in order of preference
    // Prior weight of a proposer in the bandit, 1 by default.
    std::map<std::string, double> weights;
    std::vector<MemoryMode> memoryModes; // which ones the bandit may choose
    double exploration = 0.5; // UCT's c, over values scaled to 0..1 between the root and the best
};

// Chooses which node to grow and how. Engine thread only; must not block, no I/O. Deterministic for a given tree,
// history and rng.
class Policy {
public:
    virtual ~Policy() = default;
    virtual std::string name() const = 0;
    // Empty: nothing can be expanded now (everything is exhausted, pruned or running).
    virtual std::optional<Selection> select(const Tree& tree, Rng& rng) = 0;
    virtual void update(const Tree& tree, const Outcome& outcome) = 0;
};

struct PolicyInfo {
    std::string name;
    std::string description; // one line, for menus and help
    std::unique_ptr<Policy> (*make)(const PolicyOptions& options);
};

// The registration list: mcts, evolve, greedy, beam, best-of, random.
const std::vector<PolicyInfo>& policies();
// NotFound suggests the nearest name.
Result<std::unique_ptr<Policy>> makePolicy(const std::string& name, const PolicyOptions& options);

} // namespace rooftree::search
