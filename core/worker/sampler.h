// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/measure/evaluation.h"
#include "core/worker/outputs.h"
#include "core/worker/protocol.h"
#include "core/worker/runner.h"

namespace rooftree::worker {

struct Sampled {
    std::vector<double> samplesNs; // of one call
    int64_t innerCalls = 1;
    int64_t leastHiddenNs = 0; // time of a sample that our clock saw and the child's did not: the least of all samples
};

// Takes samples of a mapped case: warm-up, enough calls in a sample that it lasts a millisecond, repetition until the median is known to the wanted
// precision or the time is up. Where one call is long enough to hide it, the outputs are poisoned before every sample.
class Sampler {
public:
    Sampler(Runner& runner, OutputBuffers& outputs, const TimingOptions& options, int64_t runMs, int64_t flushBytes)
        : m_runner(runner)
        , m_outputs(outputs)
        , m_options(options)
        , m_runMs(runMs)
        , m_flushBytes(flushBytes)
    {
    }
    // Calls until the kernel's time is known and sets the calls of a sample.
    StepOutcome warmUp();
    // Instead of a warm-up: what another process has found out about the same kernel and case.
    void adopt(int64_t innerCalls, double callNs);
    StepOutcome sampleUntilPrecise();
    StepOutcome sampleOnce();
    // One more call on poisoned outputs, so that what it leaves can be compared; nothing to do when the last sample was such a call.
    StepOutcome callForRecheck();

    const Sampled& sampled() const { return m_sampled; }
    double callNs() const { return m_callNs; }

private:
    StepOutcome timedCall(int64_t calls);
    void keepSample(const StepOutcome& step);
    bool slow() const;
    int64_t wantedSamples() const;

    Runner& m_runner;
    OutputBuffers& m_outputs;
    const TimingOptions& m_options;
    int64_t m_runMs;
    int64_t m_flushBytes;
    double m_callNs = 0;
    Sampled m_sampled;
};

// Median, its interval and what else is stored of a case's samples.
measure::Timing timingOf(const Sampled& sampled, measure::CacheMode cache);

} // namespace rooftree::worker
