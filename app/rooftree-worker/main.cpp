// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/childmain.h"
#include "core/worker/server.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

int main(int argc, char** argv)
{
    if (argc == 3 && std::strcmp(argv[1], rooftree::worker::childArgument) == 0)
        return rooftree::worker::childMain(argv[2]);
    if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
        std::puts("rooftree-worker " ROOFTREE_VERSION);
        return 0;
    }
    if (argc > 1) {
        std::fputs("usage: rooftree-worker\nServes one engine over standard input and output: JSON-RPC 2.0, one "
                   "message a line.\n",
            stderr);
        return 2;
    }
    spdlog::set_default_logger(spdlog::stderr_logger_mt("worker"));
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGINT, SIG_IGN); // Ctrl-C is for the engine, which then closes our input
    // The protocol keeps standard output for itself: whatever else prints there lands in the log.
    const int output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
    if (output < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        std::fputs("rooftree-worker: standard output is not open. Start it from a program that reads it.\n", stderr);
        return 3;
    }
    return rooftree::worker::Server(STDIN_FILENO, output).run();
}
