// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rooftree {

// Limits that the child gets by setrlimit before exec; 0 means "as inherited".
struct ProcessLimits {
    int64_t cpuSeconds = 0;
    int64_t addressSpaceBytes = 0;
    int64_t fileSizeBytes = 0;
};

struct ProcessSpec {
    std::vector<std::string> argv; // argv[0] is looked up in PATH
    std::filesystem::path workingDir; // empty: as inherited
    std::optional<std::vector<std::string>> environment; // "NAME=value"; empty: as inherited
    std::string standardInput;
    int64_t timeoutMs = 0; // 0: none
    std::size_t maxOutputBytes = 1 << 20; // of each stream; what is beyond is read and dropped
    ProcessLimits limits;
    const std::atomic<bool>* cancel = nullptr; // looked at every 50 ms
};

struct ProcessResult {
    int exitCode = -1; // -1 when a signal ended it
    int signal = 0;
    bool timedOut = false;
    bool canceled = false;
    bool truncated = false; // an output was longer than maxOutputBytes
    std::string out;
    std::string err;
    double wallMs = 0;
    bool succeeded() const { return exitCode == 0 && !timedOut && !canceled; }
};

// Runs a program in a process group of its own and waits; the whole group is killed at the time limit, on cancel and
// when the program has ended but left others behind. Blocks. Safe from any thread. An Error means that it could not be
// started.
Result<ProcessResult> runProcess(const ProcessSpec& spec);

// Full path of a program in PATH, or nothing.
std::optional<std::filesystem::path> findProgram(const std::string& name);

} // namespace rooftree
