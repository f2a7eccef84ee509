// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/structurepolicy.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace rooftree::search {
namespace {

constexpr std::size_t recordedNodes = 20;
constexpr int toleratedDraftMisses = 3;
constexpr double childlessWeight = 0.25; // of an attempt: nothing was built or measured

// A gain in log speedup as a reward: 5 % is 0.22, a factor of 2 is 0.97.
double rewardOf(double gain)
{
    return gain > 0 ? 1 - std::exp(-gain / 0.2) : 0;
}

// The best by score, 'chosen' among them; where it was chosen through another node of its structure, that node's row is
// renamed.
void record(std::vector<ConsideredNode> nodes, NodeId shown, NodeId chosen, DecisionRecord& record)
{
    for (ConsideredNode& node : nodes) {
        if (node.node == shown)
            node.node = chosen;
    }
    std::stable_sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
    const auto it = std::find_if(nodes.begin(), nodes.end(), [&](const auto& node) { return node.node == chosen; });
    if (it == nodes.end())
        nodes.insert(nodes.begin(), ConsideredNode{ chosen, 0, {} });
    else if (it - nodes.begin() >= static_cast<std::ptrdiff_t>(recordedNodes))
        std::swap(*it, nodes[recordedNodes - 1]);
    if (nodes.size() > recordedNodes)
        nodes.resize(recordedNodes);
    record.nodes = std::move(nodes);
}

} // namespace

StructurePolicy::StructurePolicy(std::string name, const PolicyOptions& options)
    : m_name(std::move(name))
    , m_options(options)
    , m_structures(options.proposers)
    , m_bandit(options)
{
}

void StructurePolicy::learn(const Tree& /*tree*/, const Outcome& /*outcome*/) { }

const Structure& StructurePolicy::openAtRandom(Rng& rng) const
{
    return m_structures.openAt(static_cast<int>(rng.below(static_cast<uint64_t>(m_structures.openCount()))));
}

ConsideredNode StructurePolicy::considered(const Structure& structure, double score, std::vector<ScoreTerm> terms)
{
    return { structure.best, score, std::move(terms) };
}

bool StructurePolicy::usesSecondParent(const std::string& proposer)
{
    return Bandit::usesMemory(proposer);
}

std::optional<Selection> StructurePolicy::select(const Tree& tree, Rng& rng)
{
    m_structures.follow(tree);
    if (m_structures.openCount() == 0)
        return std::nullopt;
    auto choice = draftsFirst() ? firstDrafts(tree) : std::nullopt;
    if (!choice)
        choice = choose(tree, rng);
    if (!choice)
        return std::nullopt;
    return selection(tree, std::move(*choice), rng);
}

// The library's kernels are few and usually far ahead of anything that begins at the reference: they are measured
// before all else.
std::optional<StructurePolicy::Choice> StructurePolicy::firstDrafts(const Tree& tree) const
{
    if (m_draftMisses >= toleratedDraftMisses)
        return std::nullopt;
    const Structure& root = structure(0);
    const auto open = m_structures.openProposers(tree, root);
    if (std::find(open.begin(), open.end(), libraryProposer) == open.end())
        return std::nullopt;
    Choice choice;
    choice.structure = 0;
    choice.proposers = { std::string(libraryProposer) };
    choice.considered = { considered(root, root.value, { { "value", root.value } }) };
    choice.reason = "the library's drafts come first";
    choice.island = draftIsland();
    return choice;
}

Selection StructurePolicy::selection(const Tree& tree, Choice choice, Rng& rng)
{
    const Structure& chosen = structure(choice.structure);
    if (choice.proposers.empty())
        choice.proposers = m_structures.openProposers(tree, chosen);
    Bandit::Choice arm = m_bandit.choose(choice.proposers, chosen.head, rng);
    Selection selection;
    selection.parent = m_structures.site(chosen, arm.proposer);
    selection.proposer = arm.proposer;
    selection.memory = arm.memory;
    selection.island = choice.island;
    if (choice.second != selection.parent && usesSecondParent(arm.proposer))
        selection.second = choice.second;
    record(std::move(choice.considered), chosen.best, selection.parent, selection.record);
    selection.record.policy = m_name;
    selection.record.arms = std::move(arm.arms);
    selection.record.rationale = "Node " + std::to_string(selection.parent.value) + " is grown because " + choice.reason
        + " (" + formatRatio(std::exp(chosen.value)) + "); " + arm.proposer + ' ' + arm.reason + '.';
    return selection;
}

void StructurePolicy::update(const Tree& tree, const Outcome& outcome)
{
    m_structures.follow(tree);
    const Selection& selection = outcome.selection;
    const bool childless = !outcome.child.valid() || outcome.duplicate;
    if (selection.proposer == libraryProposer)
        m_draftMisses = childless ? m_draftMisses + 1 : 0;
    if (tree.contains(selection.parent)) {
        m_bandit.update(selection.proposer, selection.memory, m_structures.of(selection.parent).head, reward(outcome),
            childless ? childlessWeight : 1);
    }
    learn(tree, outcome);
}

// A retune is compared with the best of its structure, not with the node that it hangs under; half of a reward is for a
// gain over the parent, half for one over everything.
double StructurePolicy::reward(const Outcome& outcome) const
{
    if (!outcome.passed || outcome.duplicate || !outcome.child.valid())
        return 0;
    const double rival = m_structures.bestWithout(m_structures.of(outcome.child), outcome.child);
    const double before = std::max(outcome.parentValue, rival);
    return 0.5 * rewardOf(outcome.childValue - before) + 0.5 * rewardOf(outcome.childValue - outcome.bestBefore);
}

} // namespace rooftree::search
