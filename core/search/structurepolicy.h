// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/bandit.h"
#include "core/search/policy.h"
#include "core/search/structures.h"

#include <optional>
#include <string>
#include <vector>

namespace rooftree::search {

// What all policies share: the structures of the tree, the library drafts at the beginning, the bandit that chooses
// proposer and memory mode, and the decision record. A policy only says which structure to grow. Engine thread only.
class StructurePolicy : public Policy {
public:
    StructurePolicy(std::string name, const PolicyOptions& options);

    std::string name() const override { return m_name; }
    std::optional<Selection> select(const Tree& tree, Rng& rng) override;
    void update(const Tree& tree, const Outcome& outcome) override;

protected:
    struct Choice {
        int structure = -1;
        std::vector<std::string> proposers; // the arms to choose among; empty: all that are open
        std::vector<ConsideredNode> considered; // by the best node of each structure; any order
        std::string reason; // "it is the fastest that can still grow"
        NodeId second;
        int island = 0;
    };
    // Which structure to grow; there is at least one open one. Empty: none of those that this policy would take.
    virtual std::optional<Choice> choose(const Tree& tree, Rng& rng) = 0;
    virtual void learn(const Tree& tree, const Outcome& outcome); // for policies that keep more than the bandit
    // False for the control that shall not know better.
    virtual bool draftsFirst() const { return true; }
    virtual int draftIsland() const { return 0; }

    const PolicyOptions& options() const { return m_options; }
    const Structures& structures() const { return m_structures; }
    const Structure& structure(int index) const { return m_structures.all()[static_cast<std::size_t>(index)]; }
    const Structure& openAtRandom(Rng& rng) const;
    static ConsideredNode considered(const Structure& structure, double score, std::vector<ScoreTerm> terms);
    static bool usesSecondParent(const std::string& proposer);

private:
    std::optional<Choice> firstDrafts(const Tree& tree) const;
    Selection selection(const Tree& tree, Choice choice, Rng& rng);
    double reward(const Outcome& outcome) const;

    std::string m_name;
    PolicyOptions m_options;
    Structures m_structures;
    Bandit m_bandit;
    int m_draftMisses = 0; // library expansions in a row that brought no node
};

} // namespace rooftree::search
