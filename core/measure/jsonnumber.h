// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/measure/evaluation.h"

#include <span>

// JSON has no NaN and no infinity, and measurements do: they travel as the strings "NaN", "Infinity" and "-Infinity".
// Include in .cpp files only. Pure; any thread.
namespace rooftree::measure {

Json numberToJson(double number);
double numberFromJson(
    const Json& json, double fallback); // what is neither a number nor one of the strings is the fallback
double numberField(const Json& object, const char* key, double fallback = 0);
int64_t integerField(const Json& object, const char* key, int64_t fallback = 0);
std::string textField(const Json& object, const char* key);

Json toJson(const Interval& interval); // {value, lo, hi}
Interval intervalField(const Json& object, const char* key);
Json axesToJson(const spec::Axes& axes);
Result<spec::Axes> axesField(const Json& object);

// The elements, still inside 'object', of a member that must be an array; none when it is missing. An Error when it is
// something else.
Result<std::span<const Json>> arrayField(const Json& object, const char* key);

} // namespace rooftree::measure
