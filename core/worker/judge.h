// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/measure/evaluation.h"
#include "core/spec/operator.h"
#include "core/worker/casestore.h"

#include <span>
#include <string>
#include <vector>

namespace rooftree::worker {

// All outputs of a case against the truth. Pure.
measure::Correctness judgeOutputs(
    const spec::Operator& op, const std::vector<std::span<const std::byte>>& outputs, const CaseTruth& truth);
std::vector<std::span<const std::byte>> outputViews(const OutputBuffers& outputs, std::size_t count);

// One sentence: how many are wrong, and the first one.
std::string describeWrong(const measure::Correctness& correctness);

// Indices of the operator's cases, the one with the least work first.
std::vector<std::size_t> casesBySize(const spec::Operator& op);

} // namespace rooftree::worker
