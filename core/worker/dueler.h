// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/measure/duel.h"
#include "core/worker/machinegate.h"
#include "core/worker/protocol.h"
#include "core/worker/sampler.h"
#include "core/worker/subject.h"

#include <array>

namespace rooftree::worker {

// Measures two kernels against each other: blocks of a fresh process pair, in each block pairs of samples in the order AB BA AB ..., the process
// that is not measured stopped. Both were verified before. Blocks; holds the machine for the whole duel.
class Dueler {
public:
    Dueler(const Machine& machine, const Builder& builder, CaseStore& store, MachineGate& gate)
        : m_machine(machine)
        , m_builder(builder)
        , m_store(store)
        , m_gate(gate)
    {
    }
    // An Error: this machine's fault, or a kernel that fails (ErrorCode::Failed, naming which).
    Result<measure::DuelResult> duel(const spec::Operator& op, const DuelRequest& request, JobContext& context);

private:
    static constexpr std::size_t sides = 2; // candidate, incumbent
    struct Side; // one kernel: its subject and name
    struct Arena; // a duel's cases and what is known about them
    Result<std::shared_ptr<const Object>> build(const char* who, const kernel::Candidate& candidate, Purpose purpose,
        const DuelRequest& request, const JobContext& context) const;
    Result<Arena> prepare(const spec::Operator& op, const DuelRequest& request, JobContext& context);
    Result<std::array<std::unique_ptr<Runner>, sides>> startPair(const Arena& arena, const JobContext& context) const;
    Status estimate(Arena& arena, JobContext& context) const;
    Status runBlock(Arena& arena, int process, int pairs, JobContext& context) const;

    const Machine& m_machine;
    const Builder& m_builder;
    CaseStore& m_store;
    MachineGate& m_gate;
};

} // namespace rooftree::worker
