// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

// Rooftree's own costs, as DESIGN's promises name them.
namespace rooftree::app {

struct BenchRow {
    std::string name;
    double value = 0;
    std::string unit;
    double promise = 0; // value must be below
    bool kept() const { return value < promise; }
};

Result<std::vector<BenchRow>> benchEngine(); // a search with null workers
Result<std::vector<BenchRow>> benchStore(); // writing and opening large sessions
Result<std::vector<BenchRow>> benchEvaluate(); // the worker beyond compiling and running

} // namespace rooftree::app
