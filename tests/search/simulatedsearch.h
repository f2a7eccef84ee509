// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/policy.h"
#include "core/search/tuner.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// A search without compilers: a made-up operator whose kernels are sets of moves and three tunables, with proposers and
// an evaluator that are functions of these. Everything follows from the seed, so a policy's tree can be compared word
// by word.
namespace rooftree::test {

struct Simulation {
    uint64_t seed = 1;
    std::string policy = "mcts";
    std::vector<std::string> proposers{ "library", "transform", "tune" };
    int jobs = 4; // expansions in flight
    int evaluations = 60;
    int moves = 8; // of the transform proposer
    bool tunables = true;
};

class SimulatedSearch {
public:
    explicit SimulatedSearch(const Simulation& simulation);

    void run(); // until the evaluations are used or nothing can be expanded
    const search::Tree& tree() const { return m_tree; }
    search::Tree& tree() { return m_tree; }
    search::Policy& policy() { return *m_policy; }
    const std::vector<search::Selection>& selections() const { return m_selections; }
    int evaluated() const { return m_evaluated; }
    bool exhausted() const { return m_exhausted; } // select() had nothing more while nothing was running
    double best() const { return m_tree.node(m_tree.champion()).value; }
    int nodesBy(const std::string& proposer) const;

    // One expansion is chosen and begins; the oldest running one ends. False: there is none.
    bool begin();
    bool commit();

private:
    struct Kernel {
        std::string library; // empty: the reference
        std::vector<std::string> moves; // sorted
        kernel::Configuration values;
        std::string structure() const;
        std::string source() const;
    };
    struct Proposal {
        Kernel kernel;
        std::string moveKey;
        std::string technique;
        std::string title;
    };
    struct Running {
        search::Selection selection;
        NodeId child;
    };

    std::optional<Proposal> propose(const search::Selection& selection, Rng rng);
    std::optional<Proposal> proposeLibrary(const search::Selection& selection) const;
    std::optional<Proposal> proposeTransform(const search::Selection& selection) const;
    std::optional<Proposal> proposeTune(const search::Selection& selection, Rng rng) const;
    std::optional<Proposal> proposeModel(const search::Selection& selection, Rng rng) const;
    kernel::TuningSpace spaceOf(const Kernel& kernel) const;
    bool passes(const Kernel& kernel) const;
    double valueOf(const Kernel& kernel) const;
    double chance(const std::string& what) const; // 0..1, of the seed and the words
    const Kernel& kernelOf(NodeId id) const { return m_kernels[static_cast<std::size_t>(id.value)]; }

    Simulation m_simulation;
    search::Tree m_tree;
    std::vector<Kernel> m_kernels; // by node
    std::unique_ptr<search::Policy> m_policy;
    Rng m_rng;
    std::deque<Running> m_running;
    std::vector<search::Selection> m_selections;
    int m_evaluated = 0;
    bool m_exhausted = false;
};

} // namespace rooftree::test
