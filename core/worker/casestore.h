// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/worker/builder.h"
#include "core/worker/diskcache.h"
#include "core/worker/inputs.h"
#include "core/worker/machine.h"
#include "core/worker/outputs.h"
#include "core/worker/sharedcache.h"

namespace rooftree::worker {

// What the reference says about a case: one entry per output, in the kind of the output's dtype.
struct CaseTruth {
    std::vector<std::vector<double>> floating;
    std::vector<std::vector<int64_t>> integers;
    std::vector<std::vector<double>> condition; // Scale::Condition only
    int64_t bytes() const;
};

using InputsPointer = std::shared_ptr<const CaseInputs>;
using TruthPointer = std::shared_ptr<const CaseTruth>;

// Inputs and truths of the cases, made on first use and kept within bounds (truths on disk too). Safe from any thread.
class CaseStore {
public:
    CaseStore(const Machine& machine, const Builder& builder);

    Result<InputsPointer> inputs(const spec::Operator& op, const spec::Case& which, uint64_t seed);
    // Runs the reference in a child of its own when the truth is not known yet. The Error is one sentence about the operator.
    Result<TruthPointer> truth(const spec::Operator& op, const spec::Case& which, uint64_t seed, JobContext& context);
    // The reference on inputs in another form; not kept.
    Result<CaseTruth> runReference(const spec::Operator& op, const spec::Case& which, const CaseInputs& inputs,
        RealForm form, JobContext& context) const;
    // Compiles the reference; an Error says why it cannot be the truth.
    Result<std::shared_ptr<const Object>> referenceObject(const spec::Operator& op, const JobContext& context) const;

private:
    Result<CaseTruth> makeTruth(const spec::Operator& op, const spec::Case& which, uint64_t seed, JobContext& context);

    const Machine& m_machine;
    const Builder& m_builder;
    DiskCache m_disk;
    SharedCache<CaseInputs> m_inputs;
    SharedCache<CaseTruth> m_truths;
};

} // namespace rooftree::worker
