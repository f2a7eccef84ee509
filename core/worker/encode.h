// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/worker/casestore.h"

#include <span>
#include <vector>

// Outputs as a kernel would leave them, made from a truth: what the admission's controls feed to an operator's check.
namespace rooftree::worker {

using EncodedOutputs = std::vector<std::vector<std::byte>>;

enum class Precision { Native, Lowered }; // Lowered: floating values rounded to the next smaller format first
EncodedOutputs encoded(const spec::Operator& op, const CaseTruth& truth, Precision precision);
EncodedOutputs constantOutputs(const spec::Operator& op, const EncodedOutputs& like, int value);
EncodedOutputs poisonedOutputs(const EncodedOutputs& like, int byte);
EncodedOutputs rotatedOutputs(const spec::Operator& op, const EncodedOutputs& outputs); // by one element
std::vector<std::span<const std::byte>> views(const EncodedOutputs& outputs);

} // namespace rooftree::worker
