// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooftree {

std::string_view trimmed(std::string_view text);
std::vector<std::string_view> splitLines(std::string_view text); // without line ends; no empty last line
std::vector<std::string> splitList(std::string_view text, char separator); // trimmed, empty parts dropped
std::string join(const std::vector<std::string>& parts, std::string_view separator);
bool isIdentifierChar(char c); // [A-Za-z0-9_]
std::string replaceIdentifier(std::string_view text, std::string_view from, std::string_view to); // whole tokens only

// The nearest of the names by edit distance, for "did you mean"; nothing when all are far.
std::optional<std::string> nearestName(std::string_view name, const std::vector<std::string>& names);

// "90s", "3m", "2h", "1m30s", "250ms", a plain number is seconds. Empty when it is none of these.
std::optional<int64_t> parseDurationMs(std::string_view text);

std::string formatNs(double ns); // "11.2 ms", three significant digits
std::string formatRatio(double ratio); // "12.3x"
std::string formatBytes(double bytes); // "1.5 MB"

// UTF-8 that is safe to print and to store: broken sequences and control characters (but newline and tab) become
// U+FFFD.
std::string sanitizedUtf8(std::string_view text);
// At most maxBytes: the head and the tail, with a line in between that says how much was left out.
std::string elided(std::string_view text, std::size_t maxBytes);

} // namespace rooftree
