// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/files.h"
#include "core/worker/evaluator.h"

#include <string>

namespace rooftree::worker::test {

// An evaluator with a cache folder of its own, made once for all tests of the program.
Evaluator& evaluator();
const std::filesystem::path& cacheFolder();

// y = 2 * x + 1, on 7, 4000 and (held-out) 1021 elements.
const spec::Operator& affine();
// Row sums with a chosen [check] block, and the text of a reference.
spec::Operator rowSum(const std::string& check, const std::string& fill = R"(kind = "normal")");
Result<spec::Operator> operatorFrom(const std::string& toml, const std::string& reference);

EvaluateRequest requestFor(const spec::Operator& op, const std::string& source);
measure::Evaluation evaluate(const spec::Operator& op, const EvaluateRequest& request);
// The affine operator's kernel with this body; parameters are x, y and n.
std::string affineKernel(const std::string& body, const std::string& before = {});
measure::Evaluation evaluateAffine(const std::string& body, const std::string& before = {});

inline constexpr const char* goodBody = "for (int64_t i = 0; i < n; ++i) y[i] = 2 * x[i] + 1;";

// "RUNTIME_ERROR: It crashed ...", for failure messages.
std::string statusText(const measure::Evaluation& evaluation);

// Processes that descend from this program, without it.
int descendants();

} // namespace rooftree::worker::test
