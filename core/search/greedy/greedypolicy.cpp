// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/greedy/greedypolicy.h"

#include "core/search/structurepolicy.h"

#include <algorithm>

namespace rooftree::search {
namespace {

constexpr double anyStructure = 0.05;
constexpr int shortlist = 20; // of the fastest: running expansions may put the next ones in front
constexpr double lossPerRunning = 0.02; // log speedup
constexpr double pinnedBonus = 0.2; // log speedup

class GreedyPolicy final : public StructurePolicy {
public:
    explicit GreedyPolicy(const PolicyOptions& options)
        : StructurePolicy("greedy", options)
    {
    }

private:
    std::optional<Choice> choose(const Tree& /*tree*/, Rng& rng) override
    {
        Choice choice;
        double best = 0;
        int left = shortlist;
        for (const auto& [key, index] : structures().ranking()) {
            if (left-- == 0)
                break;
            const Structure& candidate = structure(index);
            const double running = -lossPerRunning * candidate.inFlight;
            const double pinned = candidate.pinned > 0 ? pinnedBonus : 0;
            const double score = candidate.value + running + pinned;
            choice.considered.push_back(considered(
                candidate, score, { { "value", candidate.value }, { "running", running }, { "pinned", pinned } }));
            if (choice.structure < 0 || score > best) {
                choice.structure = index;
                best = score;
            }
        }
        choice.reason = "it is the fastest that can still grow";
        if (rng.uniform() < anyStructure) {
            choice.structure = openAtRandom(rng).index;
            choice.reason = "it was drawn at random, as one in twenty is";
        }
        return choice;
    }
};

} // namespace

std::unique_ptr<Policy> makeGreedyPolicy(const PolicyOptions& options)
{
    return std::make_unique<GreedyPolicy>(options);
}

} // namespace rooftree::search
