// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/random/randompolicy.h"

#include "core/search/structurepolicy.h"

namespace rooftree::search {
namespace {

class RandomPolicy final : public StructurePolicy {
public:
    explicit RandomPolicy(const PolicyOptions& options)
        : StructurePolicy("random", options)
    {
    }

private:
    bool draftsFirst() const override { return false; }

    std::optional<Choice> choose(const Tree& /*tree*/, Rng& rng) override
    {
        const Structure& drawn = openAtRandom(rng);
        Choice choice;
        choice.structure = drawn.index;
        const double chance = 1.0 / structures().openCount();
        choice.considered = { considered(drawn, chance, { { "chance", chance } }) };
        choice.reason = "it was drawn among " + std::to_string(structures().openCount()) + " that can grow";
        return choice;
    }
};

} // namespace

std::unique_ptr<Policy> makeRandomPolicy(const PolicyOptions& options)
{
    return std::make_unique<RandomPolicy>(options);
}

} // namespace rooftree::search
