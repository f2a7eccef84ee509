// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/mcts/mctspolicy.h"

#include "core/search/structurepolicy.h"

#include <algorithm>
#include <cmath>

namespace rooftree::search {
namespace {

constexpr double widening = 1.5; // a structure may have widening * visits^wideningPower changed versions
constexpr double wideningPower = 0.5;
constexpr double pinnedBonus = 0.25;
constexpr double mostStale = 0.4; // what a structure loses when its best no longer gets better ...
constexpr double halfStale = 60; // ... half of it after so many visits
// A value counts between 0 and 1 over the range from the root to the best, at most a factor of 4.5 in speed: beyond
// that, slow is slow.
constexpr double leastRange = 0.1;
constexpr double mostRange = 1.5;

class MctsPolicy final : public StructurePolicy {
public:
    explicit MctsPolicy(const PolicyOptions& options)
        : StructurePolicy("mcts", options)
    {
    }

private:
    // A step down: grow the structure itself (proposers not empty) or go on at a child.
    struct Step {
        int structure = -1;
        double score = 0;
        std::vector<std::string> proposers;
    };

    // Of a structure alone or of its subtree.
    struct Facts {
        double value = 0;
        int visits = 0;
        int stale = 0; // visits without a gain
        bool pinned = false;
    };

    std::optional<Choice> choose(const Tree& tree, Rng& /*rng*/) override
    {
        Choice choice;
        for (Step step{ 0, 0, {} };;) {
            step = bestStep(tree, structure(step.structure), choice.considered);
            if (step.proposers.empty())
                continue;
            choice.structure = step.structure;
            choice.proposers = std::move(step.proposers);
            choice.reason = "it has the best balance of speed and few visits on the way down from the root";
            return choice;
        }
    }

    // 'from' or something below it is open, so there always is a step.
    Step bestStep(const Tree& tree, const Structure& from, std::vector<ConsideredNode>& nodes) const
    {
        const double logVisits = std::log(1.0 + from.visitsBelow + from.inFlightBelow);
        Step best;
        for (const int index : from.children) {
            const Structure& child = structure(index);
            if (child.openBelow == 0)
                continue;
            const double score = consider(child,
                { child.bestBelow, child.visitsBelow + child.inFlightBelow, child.staleBelow(), child.pinnedBelow > 0 },
                logVisits, nodes);
            if (best.structure < 0 || score > best.score)
                best = { index, score, {} };
        }
        auto own = from.open ? structures().openProposers(tree, from) : std::vector<std::string>{};
        // At the limit only retunes are left, unless there is nothing else to do at all.
        const bool retunes = std::find(own.begin(), own.end(), tuneProposer) != own.end();
        if ((best.structure >= 0 || retunes) && from.moves >= childLimit(from))
            std::erase_if(own, [](const std::string& proposer) { return proposer != tuneProposer; });
        if (own.empty())
            return best;
        // Its row as a child of the one above told of its subtree; here it is the structure itself.
        std::erase_if(nodes, [&](const ConsideredNode& node) { return node.node == from.best; });
        const double score = consider(
            from, { from.value, from.visits + from.inFlight, from.stale(), from.pinned > 0 }, logVisits, nodes);
        if (best.structure < 0 || score >= best.score)
            best = { from.index, score, std::move(own) };
        return best;
    }

    static int childLimit(const Structure& from)
    {
        return static_cast<int>(std::ceil(widening * std::pow(from.visitsBelow + from.inFlightBelow, wideningPower)));
    }

    double consider(const Structure& candidate, Facts facts, double logVisits, std::vector<ConsideredNode>& nodes) const
    {
        const double best = structure(0).bestBelow;
        const double range = std::clamp(best - structure(0).value, leastRange, mostRange);
        const double quality = std::max(0.0, 1 + (facts.value - best) / range);
        const double explore = options().exploration * std::sqrt(logVisits / (1.0 + facts.visits));
        const double pinned = facts.pinned ? pinnedBonus : 0;
        const double stale = -mostStale * facts.stale / (facts.stale + halfStale);
        const double score = quality + explore + stale + pinned;
        // A structure without a live node of its own is passed through, there is no node to show.
        if (candidate.live()) {
            nodes.push_back(considered(candidate, score,
                { { "value", quality }, { "explore", explore }, { "stale", stale }, { "pinned", pinned },
                    { "visits", static_cast<double>(facts.visits) } }));
        }
        return score;
    }
};

} // namespace

std::unique_ptr<Policy> makeMctsPolicy(const PolicyOptions& options)
{
    return std::make_unique<MctsPolicy>(options);
}

} // namespace rooftree::search
