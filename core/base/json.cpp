// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"

namespace rooftree {

Result<Json> parseJson(std::string_view text, std::string_view what)
{
    try {
        return Json::parse(text);
    } catch (const nlohmann::json::exception& e) {
        return Error{ ErrorCode::Parse, std::string(what) + " is not valid JSON.", e.what() };
    }
}

std::string toLine(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace rooftree
