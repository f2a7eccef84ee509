// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/files.h"
#include "core/base/result.h"
#include "core/measure/evaluation.h"
#include "core/worker/bufferlayout.h"
#include "core/worker/childprotocol.h"
#include "core/worker/descriptor.h"
#include "core/worker/jobcontext.h"
#include "core/worker/memoryfile.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rooftree::worker {

// How a step of a child ended. A child that fails is a measurement: it has a status and one sentence for the user.
struct StepOutcome {
    enum class End { Done, Failed, Canceled, Broken };
    End end = End::Done;
    measure::EvaluationStatus status = measure::EvaluationStatus::Passed;
    std::string reason; // Failed: of the candidate; Broken: of this machine
    int64_t insideNs = 0; // of a call: what the child's clock says
    int64_t outsideNs = 0; // and what ours says about the same span
    bool done() const { return end == End::Done; }
};

// The Error of a step that was canceled or that this machine could not do; nothing for the others.
std::optional<Error> faultOf(const StepOutcome& step);

struct RunnerOptions {
    std::filesystem::path program = "/proc/self/exe";
    std::vector<int> cpus; // that the kernel may use, with as many OpenMP threads
    int64_t memoryBytes = 0; // beyond the buffers
    int64_t bufferBytes = 0; // of the largest case
    int64_t cpuSeconds = 0;
    std::size_t logBytes = 0;
};

// What a child needs of a case. Points to the caller's values, which outlive the call.
struct CaseView {
    const MemoryFile* inputs = nullptr;
    const BufferLayout* inputLayout = nullptr;
    const MemoryFile* outputs = nullptr;
    const BufferLayout* outputLayout = nullptr;
    std::vector<int64_t> axes;
    std::vector<std::string> tensorNames; // inputs, then outputs
};

// The parent's side of one child process with one candidate in it. Every step has a time limit; when it is over, when the job is canceled or when the
// child misbehaves, the whole process group is killed. One thread, the one that started it (the child dies with that thread).
class Runner {
public:
    static Result<std::unique_ptr<Runner>> start(const RunnerOptions& options, const JobContext& context);
    ~Runner();
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    StepOutcome load(const MemoryFile& object, const std::string& entry, int64_t timeoutMs);
    StepOutcome map(const CaseView& view, int64_t timeoutMs);
    StepOutcome call(int64_t calls, int64_t flushBytes, int64_t timeoutMs);

    // Stops every thread of the child, and lets it go on.
    void freeze();
    void thaw();

    int sandboxLevel() const { return m_sandboxLevel; }
    // What the candidate has printed, at most logBytes of it.
    std::string takeLog();

private:
    Runner(const RunnerOptions& options, const JobContext& context, TemporaryDir dir);
    Status spawn();
    template <typename Reply>
    StepOutcome exchange(std::span<const std::byte> packet, std::span<const int> descriptors, ChildMessage expected,
        Reply& reply, int64_t timeoutMs);
    template <typename Reply> StepOutcome waitFor(ChildMessage expected, Reply& reply, int64_t timeoutMs);
    StepOutcome receive(std::span<std::byte> into, ChildMessage expected);
    StepOutcome childEnded();
    StepOutcome failed(measure::EvaluationStatus status, std::string reason);
    std::string describeSignal(int signal) const;
    void drainLog();
    void killGroup();
    template <typename Message> Message message(ChildMessage kind) const;

    RunnerOptions m_options;
    const JobContext& m_context;
    TemporaryDir m_dir;
    Descriptor m_socket;
    Descriptor m_output; // the child's standard output and error
    int m_process = -1;
    bool m_frozen = false;
    uint64_t m_nonce = 0;
    int m_sandboxLevel = 0;
    std::optional<CrashedMessage> m_crash;
    std::vector<std::string> m_tensorNames;
    std::string m_log;
    std::size_t m_dropped = 0;
};

} // namespace rooftree::worker
