// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/jobpool.h"

namespace rooftree::worker {

JobPool::JobPool(std::size_t maxThreads)
    : m_maxThreads(maxThreads)
{
}

JobPool::~JobPool()
{
    {
        const std::lock_guard lock(m_mutex);
        m_closing = true;
        m_queue.clear();
    }
    m_changed.notify_all();
    for (auto& thread : m_threads)
        thread.join();
}

void JobPool::submit(std::function<void()> job)
{
    const std::lock_guard lock(m_mutex);
    m_queue.push_back(std::move(job));
    if (m_queue.size() > m_idle && m_threads.size() < m_maxThreads)
        m_threads.emplace_back([this] { work(); });
    m_changed.notify_one();
}

void JobPool::work()
{
    std::unique_lock lock(m_mutex);
    while (true) {
        ++m_idle;
        m_changed.wait(lock, [this] { return m_closing || !m_queue.empty(); });
        --m_idle;
        if (m_closing)
            return;
        auto job = std::move(m_queue.front());
        m_queue.pop_front();
        lock.unlock();
        job();
        lock.lock();
    }
}

} // namespace rooftree::worker
