// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/rng.h"
#include "core/search/decision.h"
#include "core/search/policy.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rooftree::search {

// Chooses proposer and memory mode: UCB1 over arms whose past fades, so that an arm that fails loses its share and is
// asked again later. What an arm earned is remembered for the whole search; how long it has brought nothing, for each
// structure. Engine thread only.
class Bandit {
public:
    explicit Bandit(const PolicyOptions& options);
    // False for proposers that see a node's source alone: there memory modes and second parents would make no
    // difference.
    static bool usesMemory(const std::string& proposer);

    struct Choice {
        std::string proposer;
        MemoryMode memory = MemoryMode::None;
        std::vector<ConsideredArm> arms;
        std::string reason; // "has earned most lately"
    };
    // 'proposers' are those with something left to offer at the structure whose first node is 'head'; not empty.
    Choice choose(const std::vector<std::string>& proposers, NodeId head, Rng& rng);

    // How an expansion that choose() led to went: its reward in [0, 1], and how much of an attempt it was (a proposer
    // that had nothing new to offer cost no evaluation).
    void update(const std::string& proposer, MemoryMode memory, NodeId head, double reward, double weight);

private:
    struct Arm {
        double tries = 0; // fading
        double earned = 0; // fading
        double running = 0; // chosen and not yet updated, fading
    };
    using Key = std::pair<std::string, MemoryMode>;

    ConsideredArm scored(const Key& key, NodeId head, double allTries) const;
    std::vector<ConsideredArm> available(const std::vector<std::string>& proposers, NodeId head) const;

    std::vector<MemoryMode> m_memoryModes;
    std::map<std::string, double> m_weights;
    std::map<Key, Arm> m_arms;
    std::map<std::pair<NodeId, std::string>, double> m_barren; // attempts since the last reward
};

} // namespace rooftree::search
