// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/worker/protocol.h"
#include "core/worker/subject.h"

namespace rooftree::worker {

// Tries out an operator before any search: its own check must accept the reference and the naive kernel and reject outputs that are wrong in
// ways that optimisers find (zeros, ones, untouched memory, the answer to other inputs, less precision, another order). Blocks.
class Admission {
public:
    Admission(const Machine& machine, const Builder& builder, CaseStore& store)
        : m_machine(machine)
        , m_builder(builder)
        , m_store(store)
    {
    }
    // An Error: this machine's fault, or a reference that does not run.
    Result<AdmissionReport> examine(const spec::Operator& op, JobContext& context);

private:
    struct Trial; // a control with what the cases said about it
    Result<std::vector<Trial>> tryCase(const spec::Operator& op, const spec::Case& which, JobContext& context);
    Result<Control> tryNaive(const spec::Operator& op, JobContext& context);

    const Machine& m_machine;
    const Builder& m_builder;
    CaseStore& m_store;
};

} // namespace rooftree::worker
