// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/measure/evaluation.h"
#include "core/worker/sampler.h"
#include "core/worker/subject.h"

namespace rooftree::worker {

struct TimedRun {
    measure::EvaluationStatus status = measure::EvaluationStatus::Passed;
    std::string reason;
    bool rechecked = false; // the outputs of timed calls were compared with the truth
    std::vector<std::string> suspicions;
    std::string log;
};

// Times a verified subject case by case in a fresh process and writes timing and floor into the results of its cases. The caller
// holds the machine. Blocks.
class Timer {
public:
    Timer(const Machine& machine, CaseStore& store)
        : m_machine(machine)
        , m_store(store)
    {
    }
    enum class Cases { Tune, All };
    Result<TimedRun> time(const Subject& subject, const TimingOptions& options, Cases which,
        std::vector<measure::CaseResult>& results, JobContext& context);

private:
    Result<StepOutcome> timeCase(const Subject& subject, Runner& runner, const TimingOptions& options,
        measure::CaseResult& result, TimedRun& run, JobContext& context);
    void checkPlausible(const Sampled& sampled, const measure::CaseResult& result, TimedRun& run) const;

    const Machine& m_machine;
    CaseStore& m_store;
};

} // namespace rooftree::worker
