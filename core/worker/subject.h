// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/worker/builder.h"
#include "core/worker/casestore.h"
#include "core/worker/machine.h"
#include "core/worker/runner.h"

namespace rooftree::worker {

// What is run and with what: values of one job, which the stages share.
struct Subject {
    const spec::Operator& op;
    std::shared_ptr<const Object> object;
    uint64_t seed = 1;
    Limits limits;
    // Bytes of the largest case, for the child's memory limit.
    int64_t bufferBytes = 0;
};

int64_t largestCaseBytes(const spec::Operator& op);

// A child with the subject's object in it, ready for cases. An Error is a fault of this machine; a candidate's failure is in 'outcome'.
struct StartedRunner {
    std::unique_ptr<Runner> runner;
    StepOutcome outcome;
};
Result<StartedRunner> startRunner(const Machine& machine, const Subject& subject, const JobContext& context);

// One case of the subject in a child: inputs, truth and output buffers.
class BoundCase {
public:
    static Result<BoundCase> make(
        CaseStore& store, const Subject& subject, const spec::Case& which, JobContext& context);
    StepOutcome mapInto(Runner& runner, int64_t timeoutMs) const;
    OutputBuffers& outputs() { return m_outputs; }
    const CaseTruth& truth() const { return *m_truth; }
    const spec::Case& which() const { return m_case; }

private:
    BoundCase(
        const spec::Operator& op, spec::Case which, InputsPointer inputs, TruthPointer truth, OutputBuffers outputs)
        : m_op(&op)
        , m_case(std::move(which))
        , m_inputs(std::move(inputs))
        , m_truth(std::move(truth))
        , m_outputs(std::move(outputs))
    {
    }
    const spec::Operator* m_op;
    spec::Case m_case;
    InputsPointer m_inputs;
    TruthPointer m_truth;
    OutputBuffers m_outputs;
};

} // namespace rooftree::worker
