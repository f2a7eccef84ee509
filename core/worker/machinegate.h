// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/machinelock.h"
#include "core/worker/jobcontext.h"

#include <condition_variable>
#include <memory>
#include <mutex>

namespace rooftree::worker {

// Who of this worker's jobs may use the cores. Work (build, verify) runs on as many jobs as there are cores; a timing runs alone. What waits for
// work goes first, so that builds gather while nothing is measured yet, but a timing that has waited for 'patience' overtakes
// new work. Inside, the machine's lock keeps other programs of ours out too. Safe from any thread.
class MachineGate {
public:
    explicit MachineGate(int slots);

    // Holds a place until it is destroyed.
    class Pass {
    public:
        Pass() = default;
        Pass(MachineGate* gate, MachineLock::Mode mode, std::unique_ptr<MachineLock> lock)
            : m_gate(gate)
            , m_mode(mode)
            , m_lock(std::move(lock))
        {
        }
        Pass(Pass&& other) noexcept;
        Pass& operator=(Pass&& other) noexcept;
        ~Pass() { release(); }
        void release();
        bool held() const { return m_gate != nullptr; }

    private:
        MachineGate* m_gate = nullptr;
        MachineLock::Mode m_mode{};
        std::unique_ptr<MachineLock> m_lock;
    };

    // Blocks; the context's budget does not run meanwhile. Not held when the job was canceled.
    Pass enter(MachineLock::Mode mode, JobContext& context);

private:
    bool mayEnter(MachineLock::Mode mode) const;
    void leave(MachineLock::Mode mode);

    const int m_slots;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    int m_working = 0;
    int m_waitingForWork = 0;
    bool m_timing = false;
    int64_t m_overdue = 0; // timings that have lost their patience
};

} // namespace rooftree::worker
