// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_fwd.h"
#include "core/spec/operator.h"

#include <filesystem>

namespace rooftree::spec {

// Reads DIR/operator.toml and the sources that it names. Errors read "FILE:LINE: what is wrong. Do this."; unknown keys
// are errors with the nearest known one. Besides DESIGN's keys:
//   [reference] language = "cpp", file = "reference.cpp";   [naive] file = "naive.cpp" (optional, see Operator);
//   [vendor] name = "OpenBLAS", file = "vendor.cpp" (optional);   [check] scale = "max" | "condition" | "one".
// A path that leaves the folder is refused. Blocks on the disk.
Result<Operator> readOperator(const std::filesystem::path& dir);

// The same operator from texts instead of files, for tests and fuzzing: sources by file name.
Result<Operator> parseOperator(
    std::string_view toml, const std::string& fileName, const std::map<std::string, std::string>& sources);

// For the wire: an operator with its sources as one JSON value.
Json toJson(const Operator& op);
Result<Operator> operatorFromJson(const Json& json);

} // namespace rooftree::spec
