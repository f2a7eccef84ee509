// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/sampler.h"
#include "core/base/clock.h"
#include "core/measure/statistics.h"

#include <algorithm>
#include <cmath>

namespace rooftree::worker {

namespace {

constexpr double shortestSampleNs = 1e6; // 100 times the resolution of any clock in use, and long beside a system call
constexpr double slowCallNs = 50e6;
constexpr int64_t mostInnerCalls = 1'000'000;
constexpr int calibrations = 6;

double msToNs(int64_t ms)
{
    return static_cast<double>(ms) * 1e6;
}

} // namespace

StepOutcome Sampler::timedCall(int64_t calls)
{
    auto step = m_runner.call(calls, m_flushBytes, m_runMs);
    if (step.done())
        m_callNs = std::max(1.0, static_cast<double>(step.insideNs) / static_cast<double>(calls));
    return step;
}

void Sampler::keepSample(const StepOutcome& step)
{
    const int64_t hidden = step.outsideNs - step.insideNs;
    m_sampled.leastHiddenNs = m_sampled.samplesNs.empty() ? hidden : std::min(hidden, m_sampled.leastHiddenNs);
    m_sampled.samplesNs.push_back(m_callNs);
}

bool Sampler::slow() const
{
    return m_callNs >= slowCallNs;
}

StepOutcome Sampler::warmUp()
{
    auto step = timedCall(1);
    if (!step.done())
        return step;
    if (m_callNs > msToNs(m_options.maxMs)) { // a second one would tell nothing new
        keepSample(step);
        return step;
    }
    for (int i = 0; i < calibrations && m_flushBytes == 0; ++i) {
        const double wanted = std::ceil(shortestSampleNs / m_callNs);
        m_sampled.innerCalls = std::clamp(static_cast<int64_t>(wanted), int64_t{ 1 }, mostInnerCalls);
        step = timedCall(m_sampled.innerCalls);
        const bool longEnough = m_callNs * static_cast<double>(m_sampled.innerCalls) >= 0.9 * shortestSampleNs;
        if (!step.done() || (longEnough && i > 0) || slow())
            break;
    }
    return step;
}

void Sampler::adopt(int64_t innerCalls, double callNs)
{
    m_sampled.innerCalls = innerCalls;
    m_callNs = callNs;
}

StepOutcome Sampler::sampleOnce()
{
    if (slow())
        m_outputs.poison(
            m_sampled.samplesNs.size() % 2 == 0 ? OutputBuffers::Poison::NotANumber : OutputBuffers::Poison::Pattern);
    auto step = timedCall(m_sampled.innerCalls);
    if (!step.done())
        return step;
    keepSample(step);
    return step;
}

int64_t Sampler::wantedSamples() const
{
    const double sampleNs = m_callNs * static_cast<double>(m_sampled.innerCalls);
    if (sampleNs > msToNs(m_options.maxMs))
        return 1;
    if (sampleNs > msToNs(m_options.maxMs) / 3)
        return std::min<int64_t>(3, m_options.minSamples);
    return m_options.minSamples;
}

StepOutcome Sampler::sampleUntilPrecise()
{
    const int64_t start = Clock::system().monotonicNs();
    StepOutcome step;
    std::size_t nextLook = 0;
    while (true) {
        const auto& samples = m_sampled.samplesNs;
        const bool enough = !samples.empty() && static_cast<int64_t>(samples.size()) >= wantedSamples();
        if (enough && static_cast<double>(Clock::system().monotonicNs() - start) > msToNs(m_options.maxMs))
            return step;
        if (enough && samples.size() >= nextLook) {
            if (measure::relativeErrorOfMedian(samples) < m_options.precision)
                return step;
            nextLook = samples.size() + 1 + samples.size() / 8;
        }
        if (enough && wantedSamples() < m_options.minSamples)
            return step; // slower than the time allows for more
        step = sampleOnce();
        if (!step.done())
            return step;
    }
}

StepOutcome Sampler::callForRecheck()
{
    if (slow() && !m_sampled.samplesNs.empty())
        return {};
    m_outputs.poison(OutputBuffers::Poison::Pattern);
    return m_runner.call(1, m_flushBytes, m_runMs);
}

measure::Timing timingOf(const Sampled& sampled, measure::CacheMode cache)
{
    measure::Timing timing;
    const auto interval = measure::medianInterval(sampled.samplesNs);
    timing.medianNs = measure::median(sampled.samplesNs);
    timing.loNs = interval.lo;
    timing.hiNs = interval.hi;
    timing.samplesNs = sampled.samplesNs;
    timing.innerCalls = sampled.innerCalls;
    timing.cache = cache;
    timing.relativeError = measure::relativeErrorOfMedian(sampled.samplesNs);
    return timing;
}

} // namespace rooftree::worker
