// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/measure/evaluation.h"
#include "core/worker/subject.h"

namespace rooftree::worker {

struct Verification {
    measure::EvaluationStatus status = measure::EvaluationStatus::Passed;
    std::string reason;
    std::vector<measure::CaseResult> cases; // those that ran, in the operator's order
    bool launched = false; // a call came back
    int sandboxLevel = 0;
    std::string log; // what the candidate printed
};

// Runs a subject on every case, the smallest first, and compares with the truth; the first case that fails ends it unless all are wanted. Blocks.
class Verifier {
public:
    enum class Extent { UntilFailure, AllCases };
    Verifier(const Machine& machine, CaseStore& store)
        : m_machine(machine)
        , m_store(store)
    {
    }
    // An Error is a fault of this machine or of the reference.
    Result<Verification> verify(const Subject& subject, JobContext& context, Extent extent = Extent::UntilFailure);

private:
    Result<measure::CaseResult> verifyCase(
        const Subject& subject, Runner& runner, const spec::Case& which, JobContext& context);
    StepOutcome repeatCall(
        const Subject& subject, Runner& runner, BoundCase& bound, measure::CaseResult& result, JobContext& context);

    const Machine& m_machine;
    CaseStore& m_store;
};

} // namespace rooftree::worker
