// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/bestof/bestofpolicy.h"

#include "core/search/structurepolicy.h"

namespace rooftree::search {
namespace {

class BestOfPolicy final : public StructurePolicy {
public:
    explicit BestOfPolicy(const PolicyOptions& options)
        : StructurePolicy("best-of", options)
    {
    }

private:
    std::optional<Choice> choose(const Tree& tree, Rng& /*rng*/) override
    {
        const Structure& root = structure(0);
        if (root.open)
            return grow(
                root, { considered(root, root.value, { { "value", root.value } }) }, "every draft begins at the root");
        std::vector<ConsideredNode> drafts;
        const Structure* next = nullptr;
        for (const int index : root.children) {
            const Structure& draft = structure(index);
            if (!draft.open || tree.node(draft.head).proposer != libraryProposer)
                continue;
            const double grown = draft.visits + draft.inFlight;
            drafts.push_back(considered(draft, -grown, { { "value", draft.value }, { "grown", grown } }));
            if (!next || grown < next->visits + next->inFlight)
                next = &draft;
        }
        if (!next)
            return std::nullopt;
        return grow(*next, std::move(drafts), "it is the library draft that was grown least");
    }

    static Choice grow(const Structure& structure, std::vector<ConsideredNode> nodes, std::string reason)
    {
        Choice choice;
        choice.structure = structure.index;
        choice.considered = std::move(nodes);
        choice.reason = std::move(reason);
        return choice;
    }
};

} // namespace

std::unique_ptr<Policy> makeBestOfPolicy(const PolicyOptions& options)
{
    return std::make_unique<BestOfPolicy>(options);
}

} // namespace rooftree::search
