// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ids.h"
#include "core/base/json_fwd.h"
#include "core/base/result.h"

#include <optional>
#include <string>
#include <vector>

namespace rooftree::search {

// Which part of the history a proposer is shown.
enum class MemoryMode { None, ParentLine, Siblings, Both };
std::string_view memoryModeName(MemoryMode mode); // "none", "parent-line", "siblings", "both"
std::optional<MemoryMode> memoryModeFromName(std::string_view name);

// One named number of a score: {"mean", 0.31}, {"explore", 0.2}.
struct ScoreTerm {
    std::string name;
    double value = 0;
};

struct ConsideredNode {
    NodeId node;
    double score = 0;
    std::vector<ScoreTerm> terms;
};

// One arm of the bandit that chooses proposer and memory mode.
struct ConsideredArm {
    std::string proposer;
    MemoryMode memory = MemoryMode::None;
    double score = 0;
    std::vector<ScoreTerm> terms;
};

// Why this node, this proposer, this mode: kept with every expansion, shown by `show --why`.
struct DecisionRecord {
    std::string policy;
    std::vector<ConsideredNode> nodes; // the best 20 by score, the chosen one among them
    std::vector<ConsideredArm> arms;
    std::string rationale; // one sentence in plain words
};

// What an expansion does.
struct Selection {
    NodeId parent;
    NodeId second; // crossover partner or inspiration; invalid: none
    std::string proposer;
    MemoryMode memory = MemoryMode::ParentLine;
    int island = 0; // evolve: where the child will live (Node::island)
    DecisionRecord record;
};

Json toJson(const Selection& selection);
Result<Selection> selectionFromJson(const Json& json);

} // namespace rooftree::search
