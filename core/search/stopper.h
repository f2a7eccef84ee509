// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_fwd.h"

#include <optional>
#include <string>

namespace rooftree::search {

// 0 = no limit.
struct Budget {
    int64_t evaluations = 0;
    int64_t timeMs = 0; // of searching, pauses excluded
    int64_t tokens = 0;
    double money = 0; // USD
    int64_t stall = 0; // evaluations without a new champion
    double targetSpeedup = 0; // over naive
    double rooflineFraction = 0; // of the champion
};

struct Spent {
    int64_t evaluations = 0;
    int64_t timeMs = 0;
    int64_t tokens = 0;
    double money = 0;
    int64_t sinceChampion = 0; // evaluations
    double bestSpeedup = 0;
    double rooflineFraction = 0;
};

// The name of the limit that is reached first: "evaluations", "time", "tokens", "money", "stall", "target", "roofline";
// nothing while all hold.
std::optional<std::string> reachedLimit(const Budget& budget, const Spent& spent);
// The share of the budget that is spent, 0..1, by whichever counted limit is furthest; 0 without any.
double fractionSpent(const Budget& budget, const Spent& spent);

Json toJson(const Budget& budget);
Budget budgetFromJson(const Json& json);

} // namespace rooftree::search
