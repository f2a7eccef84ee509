// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace rooftree {

std::string_view trimmed(std::string_view text)
{
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (!text.empty() && blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && blank(text.back()))
        text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> splitLines(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        lines.push_back(text.substr(0, end));
        if (!lines.back().empty() && lines.back().back() == '\r')
            lines.back().remove_suffix(1);
        if (end == std::string_view::npos)
            break;
        text.remove_prefix(end + 1);
    }
    return lines;
}

std::vector<std::string> splitList(std::string_view text, char separator)
{
    std::vector<std::string> parts;
    while (true) {
        const auto end = text.find(separator);
        const auto part = trimmed(text.substr(0, end));
        if (!part.empty())
            parts.emplace_back(part);
        if (end == std::string_view::npos)
            return parts;
        text.remove_prefix(end + 1);
    }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator)
{
    std::string out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i)
            out += separator;
        out += parts[i];
    }
    return out;
}

bool isIdentifierChar(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string replaceIdentifier(std::string_view text, std::string_view from, std::string_view to)
{
    std::string out;
    std::size_t at = 0;
    while (true) {
        const auto hit = text.find(from, at);
        if (hit == std::string_view::npos)
            return out += text.substr(at);
        const auto end = hit + from.size();
        const bool whole =
            (hit == 0 || !isIdentifierChar(text[hit - 1])) && (end == text.size() || !isIdentifierChar(text[end]));
        out += text.substr(at, hit - at);
        out += whole ? to : from;
        at = end;
    }
}

static std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({ row[j] + 1, row[j - 1] + 1, substituted });
        }
    }
    return row[b.size()];
}

std::optional<std::string> nearestName(std::string_view name, const std::vector<std::string>& names)
{
    const auto* best = static_cast<const std::string*>(nullptr);
    std::size_t bestDistance = std::max<std::size_t>(2, name.size() / 3) + 1;
    for (const auto& other : names) {
        const auto distance = other.starts_with(name) && name.size() >= 2 ? 1 : editDistance(name, other);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = &other;
        }
    }
    return best ? std::optional(*best) : std::nullopt;
}

std::optional<int64_t> parseDurationMs(std::string_view text)
{
    text = trimmed(text);
    if (text.empty())
        return std::nullopt;
    double total = 0;
    while (!text.empty()) {
        double number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc() || number < 0 || !std::isfinite(number))
            return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        const auto unitSize = std::min(text.find_first_of("0123456789."), text.size());
        const auto unit = text.substr(0, unitSize);
        text.remove_prefix(unitSize);
        if (unit == "ms")
            total += number;
        else if (unit == "s" || unit.empty())
            total += number * 1e3;
        else if (unit == "m" || unit == "min")
            total += number * 60e3;
        else if (unit == "h")
            total += number * 3600e3;
        else
            return std::nullopt;
    }
    if (total > 1e15)
        return std::nullopt;
    return static_cast<int64_t>(std::llround(total));
}

static std::string threeDigits(double value, const char* unit)
{
    char buffer[64];
    const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    std::snprintf(buffer, sizeof buffer, "%.*f%s", decimals, value, unit);
    return buffer;
}

std::string formatNs(double ns)
{
    if (!std::isfinite(ns))
        return "-";
    if (ns < 1e3)
        return threeDigits(ns, " ns");
    if (ns < 1e6)
        return threeDigits(ns / 1e3, " us");
    if (ns < 1e9)
        return threeDigits(ns / 1e6, " ms");
    return threeDigits(ns / 1e9, " s");
}

std::string formatRatio(double ratio)
{
    return std::isfinite(ratio) ? threeDigits(ratio, "x") : "-";
}

std::string formatBytes(double bytes)
{
    static constexpr const char* units[] = { " B", " kB", " MB", " GB", " TB" };
    int unit = 0;
    while (bytes >= 1000 && unit < 4) {
        bytes /= 1000;
        ++unit;
    }
    return threeDigits(bytes, units[unit]);
}

// Length of the well-formed UTF-8 sequence at the start of text, 0 when there is none.
static std::size_t utf8Length(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80)
        return 1;
    const std::size_t size = lead >= 0xf0 && lead <= 0xf4 ? 4
        : lead >= 0xe0 && lead < 0xf0                     ? 3
        : lead >= 0xc2 && lead < 0xe0                     ? 2
                                                          : 0;
    if (size == 0 || text.size() < size)
        return 0;
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
    }
    const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
    const bool surrogateOrBeyond = (lead == 0xed && byte(1) >= 0xa0) || (lead == 0xf4 && byte(1) >= 0x90);
    return overlong || surrogateOrBeyond ? 0 : size;
}

std::string sanitizedUtf8(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto length = utf8Length(text);
        const auto c = static_cast<unsigned char>(text[0]);
        const bool control = length == 1 && ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f);
        if (length == 0 || control) {
            out += "\xef\xbf\xbd";
            text.remove_prefix(1);
        } else {
            out += text.substr(0, length);
            text.remove_prefix(length);
        }
    }
    return out;
}

std::string elided(std::string_view text, std::size_t maxBytes)
{
    if (text.size() <= maxBytes)
        return std::string(text);
    const auto half = maxBytes / 2;
    const auto left = text.size() - 2 * half;
    return std::string(text.substr(0, half)) + "\n... " + std::to_string(left) + " bytes left out ...\n"
        + std::string(text.substr(text.size() - half));
}

} // namespace rooftree
