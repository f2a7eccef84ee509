// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/spec/operator.h"
#include "core/worker/bufferlayout.h"
#include "core/worker/memoryfile.h"

namespace rooftree::worker {

// The inputs of a case as a child may map them: sealed, so that nobody changes them any more.
struct CaseInputs {
    BufferLayout layout;
    MemoryFile file;
};

// From a seed, in the operator's dtypes.
Result<CaseInputs> makeInputs(const spec::Operator& op, const spec::Axes& axes, uint64_t seed);

// What the reference is fed: floating tensors as double, others as they are.
enum class RealForm {
    Exact,
    Absolute, // |x|: for Scale::Condition
    Lowered, // rounded to the next smaller floating format: float32 to bfloat16, float64 to float32
};
Result<CaseInputs> realInputs(
    const spec::Operator& op, const spec::Axes& axes, const CaseInputs& native, RealForm form);

double loweredPrecision(double value, spec::DType dtype);

// Values of the axes in the order of the signature.
std::vector<int64_t> axisValues(const spec::Operator& op, const spec::Axes& axes);
std::vector<std::string> tensorNames(const spec::Operator& op);

} // namespace rooftree::worker
