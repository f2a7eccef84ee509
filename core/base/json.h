// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

namespace rooftree {

// Keys keep their order. Include this header in .cpp files; headers use json_fwd.h.
using Json = nlohmann::ordered_json;

// 'what' names the source of the text in the message ("worker message", "definition.json").
Result<Json> parseJson(std::string_view text, std::string_view what);
// One line, never throws: broken UTF-8 is replaced.
std::string toLine(const Json& json);

// Reads a member of the wanted type or gives the fallback: for formats where unknown and missing fields are ignored.
template <typename T> T jsonValue(const Json& object, const char* key, T fallback)
{
    if (!object.is_object())
        return fallback;
    const auto it = object.find(key);
    if (it == object.end() || it->is_null())
        return fallback;
    try {
        return it->template get<T>();
    } catch (const nlohmann::json::exception&) {
        return fallback;
    }
}

} // namespace rooftree
