// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/process.h"
#include "core/base/clock.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rooftree {

namespace {

struct Pipe {
    int ends[2] = { -1, -1 };
    Pipe() = default;
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe()
    {
        closeEnd(0);
        closeEnd(1);
    }
    bool open() { return ::pipe2(ends, O_CLOEXEC) == 0; }
    void closeEnd(int which)
    {
        if (ends[which] >= 0)
            ::close(std::exchange(ends[which], -1));
    }
};

void setLimit(int resource, int64_t value)
{
    if (value <= 0)
        return;
    const rlimit limit{ static_cast<rlim_t>(value), static_cast<rlim_t>(value) };
    ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

// Only async-signal-safe calls between fork and exec: everything that allocates is prepared by the parent.
[[noreturn]] void becomeChild(
    const ProcessSpec& spec, char* const* argv, char* const* environment, int in, int out, int err, int report)
{
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(in, 0);
    ::dup2(out, 1);
    ::dup2(err, 2);
    setLimit(RLIMIT_CPU, spec.limits.cpuSeconds);
    setLimit(RLIMIT_AS, spec.limits.addressSpaceBytes);
    setLimit(RLIMIT_FSIZE, spec.limits.fileSizeBytes);
    const rlimit noCore{ 0, 0 };
    ::setrlimit(RLIMIT_CORE, &noCore);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    if (spec.workingDir.empty() || ::chdir(spec.workingDir.c_str()) == 0) {
        if (environment)
            ::execvpe(argv[0], argv, environment);
        else
            ::execvp(argv[0], argv);
    }
    const int number = errno;
    [[maybe_unused]] const auto ignored = ::write(report, &number, sizeof number);
    ::_exit(127);
}

std::vector<char*> pointers(const std::vector<std::string>& strings)
{
    std::vector<char*> out;
    for (const auto& s : strings)
        out.push_back(const_cast<char*>(s.c_str()));
    out.push_back(nullptr);
    return out;
}

// Reads what is there; false at the end of the stream.
bool drain(int fd, std::string& into, std::size_t maxBytes, bool& truncated)
{
    char buffer[1 << 16];
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got <= 0)
        return got < 0 && (errno == EINTR || errno == EAGAIN);
    const auto room = maxBytes - std::min(maxBytes, into.size());
    into.append(buffer, std::min(room, static_cast<std::size_t>(got)));
    truncated |= static_cast<std::size_t>(got) > room;
    return true;
}

class Pump {
public:
    Pump(const ProcessSpec& spec, Pipe& in, Pipe& out, Pipe& err, ProcessResult& result)
        : m_spec(spec)
        , m_in(in)
        , m_out(out)
        , m_err(err)
        , m_result(result)
    {
    }

    // Until both outputs are closed, the child has ended, the time is up or somebody cancels.
    void run(pid_t child, int& waitStatus, bool& reaped)
    {
        const int64_t start = Clock::system().monotonicNs();
        std::string_view left = m_spec.standardInput;
        if (left.empty())
            m_in.closeEnd(1);
        while (true) {
            if (m_spec.cancel && m_spec.cancel->load()) {
                m_result.canceled = true;
                return;
            }
            const double elapsedMs = static_cast<double>(Clock::system().monotonicNs() - start) / 1e6;
            if (m_spec.timeoutMs > 0 && elapsedMs > static_cast<double>(m_spec.timeoutMs)) {
                m_result.timedOut = true;
                return;
            }
            if (!reaped)
                reaped = ::waitpid(child, &waitStatus, WNOHANG) == child;
            const bool open = step(left);
            if (reaped && (!open || !m_moved))
                return;
        }
    }

private:
    bool step(std::string_view& left)
    {
        pollfd fds[3] = { { m_out.ends[0], POLLIN, 0 }, { m_err.ends[0], POLLIN, 0 }, { m_in.ends[1], POLLOUT, 0 } };
        m_moved = false;
        const bool open = fds[0].fd >= 0 || fds[1].fd >= 0;
        ::poll(fds, 3, open ? 20 : 2);
        if (fds[0].fd >= 0 && fds[0].revents) {
            m_moved = true;
            if (!drain(fds[0].fd, m_result.out, m_spec.maxOutputBytes, m_result.truncated))
                m_out.closeEnd(0);
        }
        if (fds[1].fd >= 0 && fds[1].revents) {
            m_moved = true;
            if (!drain(fds[1].fd, m_result.err, m_spec.maxOutputBytes, m_result.truncated))
                m_err.closeEnd(0);
        }
        if (fds[2].fd >= 0 && fds[2].revents) {
            const ssize_t put = ::write(fds[2].fd, left.data(), left.size());
            if (put > 0)
                left.remove_prefix(static_cast<std::size_t>(put));
            if (left.empty() || (put < 0 && errno != EAGAIN && errno != EINTR))
                m_in.closeEnd(1);
        }
        return open;
    }

    const ProcessSpec& m_spec;
    Pipe& m_in;
    Pipe& m_out;
    Pipe& m_err;
    ProcessResult& m_result;
    bool m_moved = false;
};

} // namespace

Result<ProcessResult> runProcess(const ProcessSpec& spec)
{
    Pipe in;
    Pipe out;
    Pipe err;
    Pipe report;
    if (spec.argv.empty() || !in.open() || !out.open() || !err.open() || !report.open())
        return Error{ ErrorCode::Environment, "Cannot start a program: no more file descriptors.", {} };
    auto argv = pointers(spec.argv);
    auto environment = spec.environment ? pointers(*spec.environment) : std::vector<char*>{};
    const int64_t start = Clock::system().monotonicNs();
    const pid_t child = ::fork();
    if (child < 0)
        return Error{ ErrorCode::Environment, "Cannot start " + spec.argv[0] + ": " + std::strerror(errno) + ".", {} };
    if (child == 0)
        becomeChild(spec, argv.data(), spec.environment ? environment.data() : nullptr, in.ends[0], out.ends[1],
            err.ends[1], report.ends[1]);
    ::setpgid(child, child);
    in.closeEnd(0);
    out.closeEnd(1);
    err.closeEnd(1);
    report.closeEnd(1);
    ::fcntl(in.ends[1], F_SETFL, O_NONBLOCK);

    int startError = 0;
    if (::read(report.ends[0], &startError, sizeof startError) == static_cast<ssize_t>(sizeof startError)) {
        ::waitpid(child, nullptr, 0);
        const auto code = startError == ENOENT ? ErrorCode::Environment : ErrorCode::Io;
        return Error{ code, "Cannot start " + spec.argv[0] + ": " + std::strerror(startError) + ".", {} };
    }
    ProcessResult result;
    int waitStatus = 0;
    bool reaped = false;
    Pump(spec, in, out, err, result).run(child, waitStatus, reaped);
    ::kill(-child, SIGKILL);
    if (!reaped)
        ::waitpid(child, &waitStatus, 0);
    if (WIFEXITED(waitStatus))
        result.exitCode = WEXITSTATUS(waitStatus);
    else if (WIFSIGNALED(waitStatus))
        result.signal = WTERMSIG(waitStatus);
    result.wallMs = static_cast<double>(Clock::system().monotonicNs() - start) / 1e6;
    return result;
}

std::optional<std::filesystem::path> findProgram(const std::string& name)
{
    const char* path = std::getenv("PATH");
    std::string_view rest = path ? path : "/usr/bin:/bin";
    while (!rest.empty()) {
        const auto end = rest.find(':');
        const auto candidate = std::filesystem::path(rest.substr(0, end)) / name;
        if (::access(candidate.c_str(), X_OK) == 0)
            return candidate;
        if (end == std::string_view::npos)
            break;
        rest.remove_prefix(end + 1);
    }
    return std::nullopt;
}

} // namespace rooftree
