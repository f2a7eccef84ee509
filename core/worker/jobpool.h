// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rooftree::worker {

// Threads for jobs that mostly wait: as many as are needed, up to a bound; what is beyond it queues. The destructor waits for the
// running jobs and drops the queued ones. submit() is safe from any thread.
class JobPool {
public:
    explicit JobPool(std::size_t maxThreads);
    ~JobPool();
    JobPool(const JobPool&) = delete;
    JobPool& operator=(const JobPool&) = delete;
    void submit(std::function<void()> job);

private:
    void work();
    const std::size_t m_maxThreads;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<std::function<void()>> m_queue;
    std::vector<std::thread> m_threads;
    std::size_t m_idle = 0;
    bool m_closing = false;
};

} // namespace rooftree::worker
