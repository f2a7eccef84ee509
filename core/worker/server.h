// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_fwd.h"
#include "core/worker/evaluator.h"
#include "core/worker/jobpool.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace rooftree::worker {

// Answers the lines of an engine: the calling thread reads, jobs run in threads of their own, answers come in the order in which they are
// ready. Returns when the input closes or after "shutdown", with every job canceled and every child gone.
class Server {
public:
    // Reads and writes these descriptors; they stay open.
    Server(int input, int output);
    ~Server();
    int run();

private:
    struct Job {
        std::atomic<bool> cancel{ false };
        JobId id;
    };
    using OperatorPointer = std::shared_ptr<const spec::Operator>;
    using Work = std::function<Result<Json>(Job&)>;

    bool handle(const Frame& frame);
    void dispatch(int64_t id, const std::string& method, const Json& params);
    void startJob(int64_t id, JobId job, Work work);
    void handleHello(int64_t id);
    void handleOperator(int64_t id, const Json& params);
    void handleAdmit(int64_t id, const Json& params);
    void handleEvaluate(int64_t id, const Json& params);
    void handleDuel(int64_t id, const Json& params);
    void cancelJobs(std::optional<JobId> which);
    JobContext contextOf(Job& job);
    // The machine is explored on first use, by whichever job comes first.
    Evaluator& evaluator();
    void write(const std::string& line);

    const int m_input;
    const int m_output;
    std::mutex m_writeMutex;
    std::mutex m_jobsMutex;
    std::map<Job*, std::shared_ptr<Job>> m_jobs;
    OperatorPointer m_operator; // reader thread only
    std::once_flag m_explored;
    std::unique_ptr<Evaluator> m_evaluator;
    std::unique_ptr<JobPool> m_pool; // last: its threads use the rest
};

} // namespace rooftree::worker
