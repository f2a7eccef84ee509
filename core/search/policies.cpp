// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/search/beam/beampolicy.h"
#include "core/search/bestof/bestofpolicy.h"
#include "core/search/evolve/evolvepolicy.h"
#include "core/search/greedy/greedypolicy.h"
#include "core/search/mcts/mctspolicy.h"
#include "core/search/policy.h"
#include "core/search/random/randompolicy.h"

namespace rooftree::search {

const std::vector<PolicyInfo>& policies()
{
    static const std::vector<PolicyInfo> list{
        { "mcts", "tree search that balances speed against how little was tried (UCT)", makeMctsPolicy },
        { "evolve", "islands of diverse parents with tournaments, crossover and migration", makeEvolvePolicy },
        { "greedy", "always the fastest that can still grow", makeGreedyPolicy },
        { "beam", "the four fastest that can still grow, in turn", makeBeamPolicy },
        { "best-of", "independent drafts of the reference: the honest control", makeBestOfPolicy },
        { "random", "anything that can still grow: the lower control", makeRandomPolicy },
    };
    return list;
}

Result<std::unique_ptr<Policy>> makePolicy(const std::string& name, const PolicyOptions& options)
{
    std::vector<std::string> names;
    for (const PolicyInfo& info : policies()) {
        if (info.name == name)
            return info.make(options);
        names.push_back(info.name);
    }
    std::string text = "There is no policy '" + name + "'; ";
    const auto nearest = nearestName(name, names);
    text += nearest ? "did you mean '" + *nearest + "'?" : "choose one of " + join(names, ", ") + '.';
    return Error{ ErrorCode::NotFound, std::move(text), {} };
}

} // namespace rooftree::search
