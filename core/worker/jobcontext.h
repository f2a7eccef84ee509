// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>

namespace rooftree::worker {

// What a job carries through the stages: whether somebody canceled it, whom to tell about progress, and how much of its total time is
// left. Used by the job's own thread; 'cancel' is set by others. Whatever fails while canceled() is true failed because of that.
class JobContext {
public:
    using Report = std::function<void(const std::string& stage, double fraction, const std::string& text)>;
    JobContext(const std::atomic<bool>* cancel, Report report)
        : m_cancel(cancel)
        , m_report(std::move(report))
    {
    }

    bool canceled() const { return m_cancel && m_cancel->load(); }
    const std::atomic<bool>* cancelFlag() const { return m_cancel; }
    void report(const std::string& stage, double fraction = -1, const std::string& text = {}) const
    {
        if (m_report)
            m_report(stage, fraction, text);
    }

    // The total limit counts from here, without the time between pause and resume.
    void startBudget(int64_t totalMs) { m_endNs = Clock::system().monotonicNs() + totalMs * 1'000'000; }
    void pauseBudget() { m_pausedNs = Clock::system().monotonicNs(); }
    void resumeBudget()
    {
        if (m_endNs != 0)
            m_endNs += Clock::system().monotonicNs() - m_pausedNs;
    }
    // The smaller of a stage's own limit and what is left of the total; at least 1.
    int64_t limitMs(int64_t stageMs) const
    {
        if (m_endNs == 0)
            return stageMs;
        const int64_t left = (m_endNs - Clock::system().monotonicNs()) / 1'000'000;
        return std::max<int64_t>(1, std::min(stageMs, left));
    }

private:
    const std::atomic<bool>* m_cancel;
    Report m_report;
    int64_t m_endNs = 0;
    int64_t m_pausedNs = 0;
};

} // namespace rooftree::worker
