// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/stopper.h"

#include "core/base/json.h"

#include <algorithm>
#include <cmath>

namespace rooftree::search {
namespace {

template <typename T> bool reached(T limit, T spent)
{
    return limit > 0 && spent >= limit;
}

double share(double limit, double spent)
{
    return limit > 0 ? spent / limit : 0;
}

// A negative or infinite limit means as little as no limit.
template <typename T> T limitValue(const Json& json, const char* key)
{
    const T value = jsonValue<T>(json, key, T{});
    return value > 0 && std::isfinite(static_cast<double>(value)) ? value : T{};
}

} // namespace

std::optional<std::string> reachedLimit(const Budget& budget, const Spent& spent)
{
    if (reached(budget.evaluations, spent.evaluations))
        return "evaluations";
    if (reached(budget.timeMs, spent.timeMs))
        return "time";
    if (reached(budget.tokens, spent.tokens))
        return "tokens";
    if (reached(budget.money, spent.money))
        return "money";
    if (reached(budget.stall, spent.sinceChampion))
        return "stall";
    if (reached(budget.targetSpeedup, spent.bestSpeedup))
        return "target";
    if (reached(budget.rooflineFraction, spent.rooflineFraction))
        return "roofline";
    return std::nullopt;
}

double fractionSpent(const Budget& budget, const Spent& spent)
{
    const double furthest =
        std::max({ share(static_cast<double>(budget.evaluations), static_cast<double>(spent.evaluations)),
            share(static_cast<double>(budget.timeMs), static_cast<double>(spent.timeMs)),
            share(static_cast<double>(budget.tokens), static_cast<double>(spent.tokens)),
            share(budget.money, spent.money) });
    return std::clamp(furthest, 0.0, 1.0);
}

Json toJson(const Budget& budget)
{
    return { { "evaluations", budget.evaluations }, { "time_ms", budget.timeMs }, { "tokens", budget.tokens },
        { "money", budget.money }, { "stall", budget.stall }, { "target_speedup", budget.targetSpeedup },
        { "roofline_fraction", budget.rooflineFraction } };
}

Budget budgetFromJson(const Json& json)
{
    Budget budget;
    budget.evaluations = limitValue<int64_t>(json, "evaluations");
    budget.timeMs = limitValue<int64_t>(json, "time_ms");
    budget.tokens = limitValue<int64_t>(json, "tokens");
    budget.money = limitValue<double>(json, "money");
    budget.stall = limitValue<int64_t>(json, "stall");
    budget.targetSpeedup = limitValue<double>(json, "target_speedup");
    budget.rooflineFraction = limitValue<double>(json, "roofline_fraction");
    return budget;
}

} // namespace rooftree::search
