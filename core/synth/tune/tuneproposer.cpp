// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/tune/tuneproposer.h"

namespace rooftree::synth::tune {

namespace {

// "TILE=128 UNROLL=8": the same for the same configuration.
std::string keyOf(const kernel::Configuration& configuration)
{
    std::string key;
    for (const auto& [name, value] : configuration)
        key += (key.empty() ? "" : " ") + name + "=" + value;
    return key;
}

// "TILE 64 → 128, UNROLL 4 → 8"
std::string titleOf(const kernel::Configuration& from, const kernel::Configuration& to)
{
    std::string title;
    for (const auto& [name, value] : to) {
        const auto before = from.find(name);
        if (before != from.end() && before->second != value)
            title += (title.empty() ? "" : ", ") + name + " " + before->second + " → " + value;
    }
    return title.empty() ? "the same values again" : title;
}

} // namespace

Result<std::vector<Proposal>> TuneProposer::propose(const ProposalRequest& request)
{
    std::vector<Proposal> none;
    const auto space = kernel::readTunables(request.parent);
    if (!space.ok() || space->tunables.empty()) // a mistake in a candidate's own lines is the candidate's
        return none;
    auto rng = request.rng;
    auto known = request.tuning;
    known.push_back(space->current());
    // A configuration that was proposed from here, or whose source is in the tree by another way, counts as being
    // tried.
    for (int attempt = 0; attempt < 64; ++attempt) {
        const auto choice = search::nextConfiguration(*space, request.tuned, known, rng);
        if (!choice)
            return none;
        known.push_back(choice->configuration);
        auto candidate = kernel::withConfiguration(request.parent, choice->configuration);
        auto key = keyOf(choice->configuration);
        if (request.triedMoves.contains(key) || request.knownSources.contains(kernel::sourceHash(candidate)))
            continue;
        return std::vector<Proposal>{ { std::move(candidate), std::move(key), "retune",
            titleOf(space->current(), choice->configuration) } };
    }
    return none;
}

} // namespace rooftree::synth::tune
