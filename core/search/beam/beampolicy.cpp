// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/beam/beampolicy.h"

#include "core/search/structurepolicy.h"

namespace rooftree::search {
namespace {

constexpr std::size_t width = 4;

class BeamPolicy final : public StructurePolicy {
public:
    explicit BeamPolicy(const PolicyOptions& options)
        : StructurePolicy("beam", options)
    {
    }

private:
    std::optional<Choice> choose(const Tree& /*tree*/, Rng& /*rng*/) override
    {
        // Whose last turn is longest ago: a turn is read from the tree, so that a resumed search goes on where it was.
        Choice choice;
        for (const auto& [key, index] : structures().ranking()) {
            if (choice.considered.size() == width)
                break;
            const Structure& candidate = structure(index);
            choice.considered.push_back(considered(candidate, candidate.value, { { "value", candidate.value } }));
            if (choice.structure < 0 || candidate.lastGrown < structure(choice.structure).lastGrown)
                choice.structure = index;
        }
        choice.reason = "it is its turn in the beam of " + std::to_string(choice.considered.size());
        return choice;
    }
};

} // namespace

std::unique_ptr<Policy> makeBeamPolicy(const PolicyOptions& options)
{
    return std::make_unique<BeamPolicy>(options);
}

} // namespace rooftree::search
