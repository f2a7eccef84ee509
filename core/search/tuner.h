// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/rng.h"
#include "core/kernel/tunables.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rooftree::search {

// A configuration that has been evaluated: its log time (lower is better), or nothing when it failed.
struct TunedPoint {
    kernel::Configuration configuration;
    std::optional<double> logTime;
};

struct TunerChoice {
    kernel::Configuration configuration;
    std::string strategy; // "random", "local", "surrogate"
    double expected = 0; // predicted log time, when the strategy has one
};

// The next configuration worth trying in a space, given everything tried so far; never one in 'history' or 'pending',
// always one that the requirements allow. Empty when the space is used up. Begins with points that
// spread over the space and neighbours of the best in turn, then alternates
// between the neighbours of the best and the maximum of expected improvement of a surrogate model. Pure: no state but
// its arguments; any thread.
std::optional<TunerChoice> nextConfiguration(const kernel::TuningSpace& space, const std::vector<TunedPoint>& history,
    const std::vector<kernel::Configuration>& pending, Rng& rng);

} // namespace rooftree::search
