// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rooftree::exporter {

using Values = std::map<std::string, std::string>;

// A file below resources/templates, as it is. Blocks on the disk.
Result<std::string> readTemplate(const std::string& path);

// The text with every @NAME@ replaced; the values are not looked at again. A name that has no value is an Error (Internal).
Result<std::string> filled(std::string_view text, const Values& values);

// Text for one comment line or table cell: one line, no control characters, no backslash at the end.
std::string oneLine(std::string_view text);
std::string cppNumber(double number); // shortest form that reads back; "2.0", "1e-05"
std::string cmakeList(const std::vector<std::string>& words); // quoted where needed

} // namespace rooftree::exporter
