// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporter/templates.h"
#include "core/base/files.h"
#include "core/base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace rooftree::exporter {

Result<std::string> readTemplate(const std::string& path)
{
    auto text = readFile(resourcesDir() / "templates" / path);
    if (!text)
        return Error{ ErrorCode::Environment,
            "A template of the export is missing. Install Rooftree's resources again.", text.error().text };
    return text;
}

Result<std::string> filled(std::string_view text, const Values& values)
{
    std::string out;
    while (!text.empty()) {
        const auto at = text.find('@');
        out += text.substr(0, at);
        if (at == std::string_view::npos)
            break;
        text.remove_prefix(at);
        const auto name = text.substr(1, std::min(text.find('@', 1), text.size()) - 1);
        const bool placeholder = !name.empty() && text.size() > name.size() + 1
            && std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
        if (!placeholder) {
            out += '@';
            text.remove_prefix(1);
            continue;
        }
        const auto it = values.find(std::string(name));
        if (it == values.end())
            return Error{ ErrorCode::Internal, "The export has no value for @" + std::string(name) + "@.", {} };
        out += it->second;
        text.remove_prefix(name.size() + 2);
    }
    return out;
}

std::string oneLine(std::string_view text)
{
    std::string out = sanitizedUtf8(text);
    std::replace_if(
        out.begin(), out.end(), [](char c) { return c == '\n' || c == '\t' || c == '|'; }, ' ');
    while (!out.empty() && (out.back() == '\\' || out.back() == ' '))
        out.pop_back();
    return out;
}

std::string cppNumber(double number)
{
    if (std::isnan(number))
        return "std::numeric_limits<double>::quiet_NaN()";
    if (std::isinf(number))
        return number > 0 ? "std::numeric_limits<double>::infinity()" : "-std::numeric_limits<double>::infinity()";
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
    std::string out(buffer, end);
    return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

std::string cmakeList(const std::vector<std::string>& words)
{
    std::vector<std::string> quoted;
    for (const auto& word : words) {
        const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
            return isIdentifierChar(c) || c == '-' || c == '=' || c == '/' || c == '.' || c == '+' || c == ',';
        });
        std::string text = plain ? word : std::string("\"");
        if (!plain) {
            for (const char c : word) {
                if (c == '"' || c == '\\' || c == '$' || c == ';')
                    text += '\\';
                text += c;
            }
            text += '"';
        }
        quoted.push_back(std::move(text));
    }
    return join(quoted, " ");
}

} // namespace rooftree::exporter
