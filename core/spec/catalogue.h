// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/spec/operator.h"

#include <filesystem>

namespace rooftree::spec {

// The names of the operators that come with Rooftree, sorted. Reads resources/operators.
std::vector<std::string> catalogueNames();

// A catalogue name, a folder with an operator.toml, or the path of an operator.toml.
// NotFound suggests the nearest name.
Result<Operator> findOperator(const std::string& nameOrPath);

} // namespace rooftree::spec
