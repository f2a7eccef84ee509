// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/runner.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/worker/childspawn.h"
#include "core/worker/packetsocket.h"
#include "core/worker/protocol.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace rooftree::worker {

namespace {

constexpr int cancelCheckMs = 20;
constexpr int64_t startMs = 60'000; // of our own code; generous, since a loaded machine is not the candidate's fault
constexpr int endGraceMs = 1000; // between losing the connection and the end of the process

using measure::EvaluationStatus;

} // namespace

std::optional<Error> faultOf(const StepOutcome& step)
{
    if (step.end == StepOutcome::End::Broken)
        return Error{ ErrorCode::Environment, step.reason, {} };
    if (step.end == StepOutcome::End::Canceled)
        return Error{ ErrorCode::Failed, canceledText, {} };
    return std::nullopt;
}

Runner::Runner(const RunnerOptions& options, const JobContext& context, TemporaryDir dir)
    : m_options(options)
    , m_context(context)
    , m_dir(std::move(dir))
{
}

Result<std::unique_ptr<Runner>> Runner::start(const RunnerOptions& options, const JobContext& context)
{
    auto dir = TemporaryDir::make("rooftree-run");
    if (!dir)
        return dir.error();
    std::unique_ptr<Runner> runner(new Runner(options, context, std::move(dir).value()));
    if (auto status = runner->spawn(); !status)
        return status.error();
    return runner;
}

Status Runner::spawn()
{
    auto child = spawnChild(m_options, m_dir.path());
    if (!child)
        return child.error();
    m_process = child->process;
    m_socket = std::move(child->socket);
    m_output = std::move(child->output);
    if (::getrandom(&m_nonce, sizeof m_nonce, 0) != static_cast<ssize_t>(sizeof m_nonce))
        m_nonce = static_cast<uint64_t>(Clock::system().monotonicNs());
    return success();
}

Runner::~Runner()
{
    killGroup();
}

void Runner::killGroup()
{
    if (m_process <= 0)
        return;
    ::kill(-m_process, SIGKILL);
    ::waitpid(m_process, nullptr, 0);
    m_process = -1;
    drainLog();
}

template <typename Message> Message Runner::message(ChildMessage kind) const
{
    Message message;
    message.head = { m_nonce, kind, 0 };
    return message;
}

StepOutcome Runner::failed(EvaluationStatus status, std::string reason)
{
    killGroup();
    return { StepOutcome::End::Failed, status, std::move(reason) };
}

void Runner::drainLog()
{
    char buffer[1 << 16];
    while (true) {
        const ssize_t got = ::read(m_output.get(), buffer, sizeof buffer);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            m_output.reset();
        if (got <= 0)
            return;
        const auto room = m_options.logBytes - std::min(m_options.logBytes, m_log.size());
        const auto kept = std::min(room, static_cast<std::size_t>(got));
        m_log.append(buffer, kept);
        m_dropped += static_cast<std::size_t>(got) - kept;
        if (got < static_cast<ssize_t>(sizeof buffer))
            return;
    }
}

std::string Runner::takeLog()
{
    drainLog();
    std::string log = sanitizedUtf8(std::exchange(m_log, {}));
    if (m_dropped > 0)
        log += "\n[" + std::to_string(std::exchange(m_dropped, 0)) + " more bytes were printed and dropped]\n";
    return log;
}

StepOutcome Runner::receive(std::span<std::byte> into, ChildMessage expected)
{
    // Room for the largest of the child's messages, so that a crash report is read whole whatever was expected.
    std::byte packet[sizeof(LoadedMessage)];
    const auto received = receivePacket(m_socket.get(), packet);
    if (received.bytes == 0)
        return childEnded();
    MessageHead head;
    if (received.failed || received.bytes < sizeof head)
        return failed(
            EvaluationStatus::Rejected, "It interfered with its measurement: a message that nobody had asked for.");
    std::memcpy(&head, packet, sizeof head);
    if (head.nonce == m_nonce && head.kind == ChildMessage::Crashed && received.bytes == sizeof(CrashedMessage)) {
        CrashedMessage crash;
        std::memcpy(&crash, packet, sizeof crash);
        m_crash = crash;
        return childEnded();
    }
    if (head.nonce != m_nonce || head.kind != expected || received.bytes != into.size())
        return failed(
            EvaluationStatus::Rejected, "It interfered with its measurement: a message that nobody had asked for.");
    std::memcpy(into.data(), packet, into.size());
    return {};
}

template <typename Reply> StepOutcome Runner::waitFor(ChildMessage expected, Reply& reply, int64_t timeoutMs)
{
    const int64_t start = Clock::system().monotonicNs();
    while (true) {
        const int64_t left = timeoutMs - (Clock::system().monotonicNs() - start) / 1'000'000;
        if (left <= 0)
            return failed(EvaluationStatus::Timeout,
                "It did not finish within " + formatNs(static_cast<double>(timeoutMs) * 1e6) + ".");
        if (m_context.canceled()) {
            killGroup();
            return { StepOutcome::End::Canceled };
        }
        pollfd fds[2]{ { m_socket.get(), POLLIN, 0 }, { m_output.get(), POLLIN, 0 } };
        ::poll(fds, m_output.valid() ? 2 : 1, static_cast<int>(std::min<int64_t>(left, cancelCheckMs)));
        if (m_output.valid() && fds[1].revents)
            drainLog();
        if (fds[0].revents)
            return receive(std::as_writable_bytes(std::span<Reply, 1>(&reply, 1)), expected);
    }
}

template <typename Reply>
StepOutcome Runner::exchange(std::span<const std::byte> packet, std::span<const int> descriptors, ChildMessage expected,
    Reply& reply, int64_t timeoutMs)
{
    if (m_process <= 0)
        return { StepOutcome::End::Failed, EvaluationStatus::RuntimeError, "Its process has ended." };
    pollfd early{ m_socket.get(), POLLIN, 0 };
    if (::poll(&early, 1, 0) > 0
        && (early.revents & POLLIN)) // the end of the process, or an answer before the question
        return receive(std::as_writable_bytes(std::span<Reply, 1>(&reply, 1)), ChildMessage::Load);
    if (!sendPacket(m_socket.get(), packet, descriptors))
        return childEnded();
    return waitFor(expected, reply, timeoutMs);
}

StepOutcome Runner::load(const MemoryFile& object, const std::string& entry, int64_t timeoutMs)
{
    if (entry.size() >= maxEntryName)
        return failed(EvaluationStatus::CompileError, "The name of the entry is too long.");
    auto descriptor = object.readOnlyDescriptor();
    if (!descriptor)
        return { StepOutcome::End::Broken, {}, descriptor.error().text };
    constexpr int64_t program = 2LL << 30; // code, libraries and thread stacks
    auto request = message<LoadMessage>(ChildMessage::Load);
    request.cpuSeconds = m_options.cpuSeconds;
    request.addressSpaceBytes = m_options.memoryBytes > 0 ? m_options.memoryBytes + m_options.bufferBytes + program : 0;
    entry.copy(request.entry, sizeof request.entry - 1);
    const int fd = descriptor->get();
    EnteredMessage entered;
    auto outcome = exchange(asPacket(request), { &fd, 1 }, ChildMessage::Entered, entered, startMs);
    if (!outcome.done())
        return outcome.end == StepOutcome::End::Canceled
            ? outcome
            : StepOutcome{ StepOutcome::End::Broken, {}, "The child process did not start: " + outcome.reason };
    m_sandboxLevel = static_cast<int>(entered.sandboxLevel);
    LoadedMessage reply;
    outcome = waitFor(ChildMessage::Loaded, reply, timeoutMs);
    if (!outcome.done() || reply.problem == LoadProblem::None)
        return outcome;
    reply.text[sizeof reply.text - 1] = '\0';
    if (reply.problem == LoadProblem::Entry)
        return failed(EvaluationStatus::CompileError,
            "It has no entry \"" + entry + "\". Declare it extern \"C\" with the operator's signature.");
    return failed(EvaluationStatus::RuntimeError, "It cannot be loaded: " + sanitizedUtf8(reply.text) + ".");
}

StepOutcome Runner::map(const CaseView& view, int64_t timeoutMs)
{
    auto request = message<MapMessage>(ChildMessage::Map);
    const auto& inputs = view.inputLayout->regions;
    const auto& outputs = view.outputLayout->regions;
    const std::size_t tensors = inputs.size() + outputs.size();
    if (tensors > maxTensors || tensors + view.axes.size() > maxArguments)
        return { StepOutcome::End::Broken, {}, "The operator has too many tensors and axes." };
    request.inputs = static_cast<int32_t>(inputs.size());
    request.outputs = static_cast<int32_t>(outputs.size());
    request.axes = static_cast<int32_t>(view.axes.size());
    for (std::size_t i = 0; i < tensors; ++i) {
        const Region& region = i < inputs.size() ? inputs[i] : outputs[i - inputs.size()];
        request.tensors[i] = { region.regionOffset, region.regionBytes, region.dataOffset };
    }
    std::copy(view.axes.begin(), view.axes.end(), request.axisValues);
    m_tensorNames = view.tensorNames;
    auto inputFile = view.inputs->readOnlyDescriptor();
    if (!inputFile)
        return { StepOutcome::End::Broken, {}, inputFile.error().text };
    const int fds[2]{ inputFile->get(), view.outputs->descriptor() };
    MappedMessage reply;
    auto outcome = exchange(asPacket(request), fds, ChildMessage::Mapped, reply, timeoutMs);
    if (outcome.done() && reply.error != 0)
        return failed(EvaluationStatus::RuntimeError,
            std::string("Its buffers could not be mapped: ") + std::strerror(static_cast<int>(reply.error)) + ".");
    return outcome;
}

StepOutcome Runner::call(int64_t calls, int64_t flushBytes, int64_t timeoutMs)
{
    auto request = message<CallMessage>(ChildMessage::Call);
    request.calls = calls;
    request.flushBytes = flushBytes;
    CalledMessage reply;
    const int64_t start = Clock::system().monotonicNs();
    auto outcome = exchange(asPacket(request), {}, ChildMessage::Called, reply, timeoutMs);
    const int64_t end = Clock::system().monotonicNs();
    if (!outcome.done())
        return outcome;
    const bool possible =
        reply.firstStartNs >= start && reply.lastEndNs <= end && reply.insideNs >= 0 && reply.insideNs <= end - start;
    if (!possible)
        return failed(
            EvaluationStatus::Rejected, "It interfered with its measurement: its clock and the worker's disagree.");
    outcome.insideNs = reply.insideNs;
    outcome.outsideNs = end - start;
    return outcome;
}

void Runner::freeze()
{
    if (m_process <= 0 || m_frozen)
        return;
    ::kill(-m_process, SIGSTOP);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(m_process), &info, WSTOPPED | WEXITED | WNOWAIT);
    ::waitid(P_PID, static_cast<id_t>(m_process), &info, WSTOPPED | WNOHANG);
    m_frozen = true;
}

void Runner::thaw()
{
    if (m_process > 0 && m_frozen)
        ::kill(-m_process, SIGCONT);
    m_frozen = false;
}

std::string Runner::describeSignal(int signal) const
{
    const char* abbreviation = ::sigabbrev_np(signal);
    const std::string name = abbreviation ? std::string("SIG") + abbreviation : "signal " + std::to_string(signal);
    if (signal == SIGKILL)
        return "It was killed (SIGKILL), most likely because the machine ran out of memory.";
    if (!m_crash || m_crash->signal != signal)
        return "It crashed with " + name + ".";
    const auto index = static_cast<std::size_t>(m_crash->tensor);
    const std::string tensor =
        m_crash->tensor >= 0 && index < m_tensorNames.size() ? " \"" + m_tensorNames[index] + "\"" : "";
    switch (m_crash->place) {
    case FaultPlace::NearNull:
        return "It crashed with " + name + ": it used a null pointer.";
    case FaultPlace::BesideBuffer:
        return "It crashed with " + name + ": it wrote or read outside its buffers, beside"
            + (tensor.empty() ? " one of them." : tensor + ".");
    case FaultPlace::ReadOnlyInput:
        return "It crashed with " + name + ": it wrote to the input" + tensor + ". Inputs are read-only.";
    case FaultPlace::Elsewhere:
        break;
    }
    return "It crashed with " + name + ".";
}

StepOutcome Runner::childEnded()
{
    const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, m_process, 0)));
    pollfd end{ handle.get(), POLLIN, 0 };
    const bool ended = handle.valid() && ::poll(&end, 1, endGraceMs) > 0;
    if (!ended)
        return failed(EvaluationStatus::RuntimeError, "It closed its connection to the worker.");
    ::kill(-m_process, SIGKILL); // others of its group
    int status = 0;
    ::waitpid(m_process, &status, 0);
    m_process = -1;
    drainLog();
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return failed(EvaluationStatus::Timeout, "It used more processor time than its limit.");
    if (WIFSIGNALED(status))
        return failed(EvaluationStatus::RuntimeError, describeSignal(WTERMSIG(status)));
    return failed(EvaluationStatus::RuntimeError,
        "It ended its process (exit code " + std::to_string(WEXITSTATUS(status)) + ") before its work was done.");
}

} // namespace rooftree::worker
