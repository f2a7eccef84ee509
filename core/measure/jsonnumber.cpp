// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/jsonnumber.h"

#include <cmath>
#include <limits>

namespace rooftree::measure {

Json numberToJson(double number)
{
    if (std::isnan(number))
        return "NaN";
    if (std::isinf(number))
        return number > 0 ? "Infinity" : "-Infinity";
    return number;
}

double numberFromJson(const Json& json, double fallback)
{
    if (json.is_number())
        return json.get<double>();
    if (json == "NaN")
        return std::numeric_limits<double>::quiet_NaN();
    if (json == "Infinity")
        return std::numeric_limits<double>::infinity();
    if (json == "-Infinity")
        return -std::numeric_limits<double>::infinity();
    return fallback;
}

static const Json* member(const Json& object, const char* key)
{
    if (!object.is_object())
        return nullptr;
    const auto it = object.find(key);
    return it == object.end() || it->is_null() ? nullptr : &*it;
}

double numberField(const Json& object, const char* key, double fallback)
{
    const auto* json = member(object, key);
    return json ? numberFromJson(*json, fallback) : fallback;
}

int64_t integerField(const Json& object, const char* key, int64_t fallback)
{
    // Not jsonValue: it would cast a floating number that no int64_t can hold.
    const auto* json = member(object, key);
    return json && json->is_number_integer() ? json->get<int64_t>() : fallback;
}

std::string textField(const Json& object, const char* key)
{
    const auto* json = member(object, key);
    return json && json->is_string() ? json->get<std::string>() : std::string();
}

Json toJson(const Interval& interval)
{
    return { { "value", numberToJson(interval.value) }, { "lo", numberToJson(interval.lo) },
        { "hi", numberToJson(interval.hi) } };
}

Interval intervalField(const Json& object, const char* key)
{
    const auto* json = member(object, key);
    if (!json)
        return {};
    return { numberField(*json, "value"), numberField(*json, "lo"), numberField(*json, "hi") };
}

Json axesToJson(const spec::Axes& axes)
{
    Json json = Json::object();
    for (const auto& [name, size] : axes)
        json[name] = size;
    return json;
}

Result<spec::Axes> axesField(const Json& object)
{
    spec::Axes axes;
    const auto* json = member(object, "axes");
    if (!json)
        return axes;
    if (!json->is_object())
        return Error{ ErrorCode::Parse, "A case's \"axes\" must be an object of names and sizes.", {} };
    for (const auto& [name, size] : json->items()) {
        if (!size.is_number_integer())
            return Error{ ErrorCode::Parse, "The axis \"" + name + "\" of a case must be a whole number.", {} };
        axes[name] = size.get<int64_t>();
    }
    return axes;
}

Result<std::span<const Json>> arrayField(const Json& object, const char* key)
{
    const auto* json = member(object, key);
    if (!json)
        return std::span<const Json>{};
    if (!json->is_array())
        return Error{ ErrorCode::Parse, std::string("\"").append(key) + "\" must be an array.", {} };
    return std::span<const Json>(json->get_ref<const Json::array_t&>());
}

} // namespace rooftree::measure
