// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/evolve/evolvepolicy.h"

#include "core/search/structurepolicy.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace rooftree::search {
namespace {

constexpr int islands = 4;
constexpr int tournament = 3;
constexpr int migrationEvery = 16; // outcomes
constexpr int looksAt = 2000; // of the fastest open structures, so that a huge tree does not slow a choice down
constexpr double lossPerRunning = 0.02; // log speedup

class EvolvePolicy final : public StructurePolicy {
public:
    explicit EvolvePolicy(const PolicyOptions& options)
        : StructurePolicy("evolve", options)
    {
    }

private:
    int turn() const { return (structure(0).visitsBelow + structure(0).inFlightBelow) % islands; }
    int draftIsland() const override { return turn(); }

    std::optional<Choice> choose(const Tree& tree, Rng& rng) override
    {
        for (int i = 0; i < islands; ++i) {
            const int island = (turn() + i) % islands;
            const auto elites = archive(tree, island);
            if (!elites.empty())
                return chosen(elites, island, rng);
        }
        return std::nullopt; // not reached while something is open: the root is on every island, every other structure
            // on one
    }

    // The fastest open structure of each cell (bound x technique) of an island, the fastest first.
    std::vector<int> archive(const Tree& tree, int island) const
    {
        std::vector<int> elites;
        std::set<std::pair<std::string_view, std::string_view>> cells;
        const auto compete = [&](const Structure& candidate) {
            if (cells.emplace(tree.node(candidate.best).bound, tree.node(candidate.head).technique).second)
                elites.push_back(candidate.index);
        };
        int left = looksAt;
        for (const auto& [key, index] : structures().ranking()) {
            if (left-- == 0)
                break;
            if (lives(tree, structure(index), island))
                compete(structure(index));
        }
        if (structure(0).open)
            compete(structure(0)); // the root is on every island, however slow
        return elites;
    }

    Choice chosen(const std::vector<int>& elites, int island, Rng& rng) const
    {
        const auto draw = [&] { return elites[static_cast<std::size_t>(rng.below(elites.size()))]; };
        const auto fitness = [&](int index) {
            return structure(index).value - lossPerRunning * structure(index).inFlight;
        };
        Choice choice;
        choice.structure = draw();
        for (int i = 1; i < tournament; ++i) {
            const int rival = draw();
            if (fitness(rival) > fitness(choice.structure))
                choice.structure = rival;
        }
        const int partner = draw();
        if (partner != choice.structure)
            choice.second = structure(partner).best;
        for (const int index : elites) {
            const Structure& elite = structure(index);
            choice.considered.push_back(considered(elite, fitness(index),
                { { "value", elite.value }, { "running", -lossPerRunning * elite.inFlight },
                    { "island", static_cast<double>(island) } }));
        }
        choice.island = island;
        choice.reason = "it won the tournament among the elites of island " + std::to_string(island + 1);
        return choice;
    }

    // Where a structure lives: everywhere for the root, else where it was bred and where it migrated to.
    bool lives(const Tree& tree, const Structure& candidate, int island) const
    {
        if (candidate.index == 0)
            return true;
        const auto index = static_cast<std::size_t>(candidate.index);
        const unsigned bred = index < m_homes.size() ? m_homes[index] : 0;
        const int native = tree.node(candidate.head).island;
        return ((bred != 0 ? bred : bit(native)) & bit(island)) != 0;
    }

    static unsigned bit(int island) { return 1U << static_cast<unsigned>(std::clamp(island, 0, islands - 1)); }

    void learn(const Tree& tree, const Outcome& outcome) override
    {
        // A further node of a known structure does not move it.
        if (tree.contains(outcome.child) && structures().of(outcome.child).head == outcome.child)
            homesOf(tree, structures().of(outcome.child)) = bit(outcome.selection.island);
        if (++m_outcomes % migrationEvery != 0)
            return;
        std::array<int, islands> best{};
        for (int island = 0; island < islands; ++island) {
            const auto elites = archive(tree, island);
            best[static_cast<std::size_t>(island)] = elites.empty() ? 0 : elites.front();
        }
        for (int island = 0; island < islands; ++island) {
            const Structure& migrant = structure(best[static_cast<std::size_t>(island)]);
            if (migrant.index != 0)
                homesOf(tree, migrant) |= bit((island + 1) % islands);
        }
    }

    unsigned& homesOf(const Tree& tree, const Structure& structure)
    {
        const auto index = static_cast<std::size_t>(structure.index);
        if (index >= m_homes.size())
            m_homes.resize(index + 1, 0);
        if (m_homes[index] == 0)
            m_homes[index] = bit(tree.node(structure.head).island);
        return m_homes[index];
    }

    std::vector<unsigned> m_homes; // by structure: a bit an island; 0: its node's own
    int m_outcomes = 0;
};

} // namespace

std::unique_ptr<Policy> makeEvolvePolicy(const PolicyOptions& options)
{
    return std::make_unique<EvolvePolicy>(options);
}

} // namespace rooftree::search
