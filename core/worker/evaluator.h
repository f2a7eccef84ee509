// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/worker/builder.h"
#include "core/worker/casestore.h"
#include "core/worker/machine.h"
#include "core/worker/machinegate.h"
#include "core/worker/protocol.h"

#include <memory>

namespace rooftree::worker {

// Judges candidates on this machine: build, verify, time; duels; admission. Holds the caches. Every method blocks; many
// may run at once, each in a thread of its own. An Error is a fault of this machine or of the operator, never of a
// candidate. When context.canceled() is true afterwards, the job was stopped and what came back means nothing.
class Evaluator {
public:
    explicit Evaluator(Machine machine);

    const Machine& machine() const { return m_machine; }
    // Builds the reference and runs it on the smallest case, so that an operator without a truth is refused at once.
    Status prepare(const spec::Operator& op, JobContext& context);
    Result<measure::Evaluation> evaluate(const spec::Operator& op, const EvaluateRequest& request, JobContext& context);
    Result<measure::DuelResult> duel(const spec::Operator& op, const DuelRequest& request, JobContext& context);
    Result<AdmissionReport> admit(const spec::Operator& op, JobContext& context);

private:
    struct Draft;
    Result<measure::Evaluation> run(const spec::Operator& op, const EvaluateRequest& request, JobContext& context);
    Status buildStage(Draft& draft, JobContext& context);
    Status verifyStage(Draft& draft, JobContext& context);
    Status timeStage(Draft& draft, JobContext& context);

    const Machine m_machine;
    Builder m_builder;
    CaseStore m_store;
    MachineGate m_gate;
};

} // namespace rooftree::worker
