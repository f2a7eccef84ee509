// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/target/device.h"
#include "core/worker/runner.h"
#include "core/worker/sandbox.h"

#include <filesystem>
#include <vector>

namespace rooftree::worker {

// What the worker knows about the machine it runs on. Made once, then constant: any thread.
struct Machine {
    target::Device device; // peaks filled in
    std::vector<target::Toolchain> toolchains;
    std::vector<int> cpus; // this process's affinity mask
    SandboxInfo sandbox;
    std::filesystem::path program = "/proc/self/exe"; // what children are started from
    std::filesystem::path cacheDir;

    // Options for a child of the given limits; the caller adds the size of its buffers.
    RunnerOptions runnerOptions(int64_t memoryBytes, int64_t totalMs, int64_t logBytes) const;
};

// Tries the compilers and measures the peaks (about a second, remembered on disk). Blocks.
Machine exploreMachine(const std::filesystem::path& cacheDir);

} // namespace rooftree::worker
