// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/machinegate.h"

#include <chrono>
#include <utility>

namespace rooftree::worker {

namespace {
using namespace std::chrono_literals;
constexpr auto patience = 3s;
constexpr auto cancelCheck = 20ms;
}

MachineGate::MachineGate(int slots)
    : m_slots(std::max(1, slots))
{
}

bool MachineGate::mayEnter(MachineLock::Mode mode) const
{
    if (m_timing)
        return false;
    if (mode == MachineLock::Mode::Work)
        return m_working < m_slots && m_overdue == 0;
    return m_working == 0 && (m_waitingForWork == 0 || m_overdue > 0);
}

MachineGate::Pass MachineGate::enter(MachineLock::Mode mode, JobContext& context)
{
    context.pauseBudget();
    const bool timing = mode == MachineLock::Mode::Timing;
    {
        std::unique_lock lock(m_mutex);
        m_waitingForWork += timing ? 0 : 1;
        const auto since = std::chrono::steady_clock::now();
        bool overdue = false;
        while (!mayEnter(mode) && !context.canceled()) {
            m_changed.wait_for(lock, cancelCheck);
            if (timing && !overdue && std::chrono::steady_clock::now() - since > patience) {
                overdue = true;
                ++m_overdue;
            }
        }
        m_waitingForWork -= timing ? 0 : 1;
        m_overdue -= overdue ? 1 : 0;
        if (!context.canceled()) {
            m_timing = timing;
            m_working += timing ? 0 : 1;
        }
        m_changed.notify_all();
    }
    Pass pass;
    if (!context.canceled())
        pass = Pass(this, mode, std::make_unique<MachineLock>(mode, context.cancelFlag()));
    context.resumeBudget();
    return pass;
}

void MachineGate::leave(MachineLock::Mode mode)
{
    const std::lock_guard lock(m_mutex);
    if (mode == MachineLock::Mode::Timing)
        m_timing = false;
    else
        --m_working;
    m_changed.notify_all();
}

MachineGate::Pass::Pass(Pass&& other) noexcept
    : m_gate(std::exchange(other.m_gate, nullptr))
    , m_mode(other.m_mode)
    , m_lock(std::move(other.m_lock))
{
}

MachineGate::Pass& MachineGate::Pass::operator=(Pass&& other) noexcept
{
    std::swap(m_gate, other.m_gate);
    std::swap(m_mode, other.m_mode);
    std::swap(m_lock, other.m_lock);
    return *this;
}

void MachineGate::Pass::release()
{
    m_lock.reset();
    if (m_gate)
        std::exchange(m_gate, nullptr)->leave(m_mode);
}

} // namespace rooftree::worker
