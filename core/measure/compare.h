// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/measure/evaluation.h"
#include "core/spec/operator.h"

#include <cstddef>
#include <span>

namespace rooftree::measure {

// One output as the candidate left it, beside the truth. Floating truths are doubles; integer ones are int64.
struct OutputView {
    const spec::Tensor* tensor = nullptr;
    std::span<const std::byte> got; // in the tensor's dtype
    std::span<const double> truth; // floating dtypes
    std::span<const int64_t> integerTruth; // integer dtypes
    std::span<const double> condition; // Scale::Condition: S per element; else empty
};

// Compares every element; NaN and infinity positions must match. Adds to what is already in 'into', so that an operator's outputs
// are judged one after the other. Pure; any thread.
void compareOutput(const OutputView& output, const spec::Check& check, Correctness& into);

} // namespace rooftree::measure
