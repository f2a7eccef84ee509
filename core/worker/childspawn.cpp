// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/childspawn.h"
#include "core/worker/childmain.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>

namespace rooftree::worker {

namespace {

// Only seen by children that are built with a sanitizer: its handlers must not hide how a candidate died.
constexpr const char* addressOptions =
    "ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigill=0:handle_sigfpe=0"
    ":use_sigaltstack=0:allocator_may_return_null=1";

std::vector<std::string> childEnvironment(const RunnerOptions& options, const std::string& privateDir)
{
    const auto threads = std::to_string(std::max<std::size_t>(1, options.cpus.size()));
    std::vector<std::string> environment{ "PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=" + privateDir,
        "TMPDIR=" + privateDir, "OMP_NUM_THREADS=" + threads, "OMP_DYNAMIC=false",
        // Not bound one to one: threads that a library makes by itself (OpenBLAS) would inherit the single core of the first one.
        "OMP_PROC_BIND=false", "OPENBLAS_NUM_THREADS=" + threads, addressOptions,
        "TSAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigill=0:handle_sigfpe=0:report_bugs=0" };
    if (const char* libraries = std::getenv("LD_LIBRARY_PATH"))
        environment.push_back(std::string("LD_LIBRARY_PATH=") + libraries);
    return environment;
}

std::vector<char*> pointers(std::vector<std::string>& strings)
{
    std::vector<char*> out;
    for (auto& string : strings)
        out.push_back(string.data());
    out.push_back(nullptr);
    return out;
}

int spawn(const RunnerOptions& options, const std::string& dir, int socket, int output, pid_t& process)
{
    auto environment = childEnvironment(options, dir);
    std::vector<std::string> arguments{ "rooftree-worker", childArgument, std::to_string(::getpid()) };
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, output, 2);
    posix_spawn_file_actions_adddup2(&actions, socket, childSocket);
    posix_spawn_file_actions_addclosefrom_np(&actions, childSocket + 1);
    posix_spawn_file_actions_addchdir_np(&actions, dir.c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int error = posix_spawn(&process, options.program.c_str(), &actions, &attributes, pointers(arguments).data(),
        pointers(environment).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

} // namespace

Result<SpawnedChild> spawnChild(const RunnerOptions& options, const std::filesystem::path& privateDir)
{
    int sockets[2]{ -1, -1 };
    int output[2]{ -1, -1 };
    const bool open =
        ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) == 0 && ::pipe2(output, O_CLOEXEC) == 0;
    SpawnedChild child{ -1, Descriptor(sockets[0]), Descriptor(output[0]) };
    const Descriptor theirSocket(sockets[1]);
    const Descriptor theirOutput(output[1]);
    if (!open)
        return Error{ ErrorCode::Environment,
            std::string("Cannot make a connection to a child process: ") + std::strerror(errno) + ".", {} };
    ::fcntl(child.output.get(), F_SETFL, O_NONBLOCK);
    const int error = spawn(options, privateDir.string(), theirSocket.get(), theirOutput.get(), child.process);
    if (error != 0)
        return Error{ ErrorCode::Environment,
            std::string("Cannot start a child process: ") + std::strerror(error) + ".", {} };
    return child;
}

} // namespace rooftree::worker
