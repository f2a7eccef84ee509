// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rooftree::worker {

// What keeps a candidate's process in its place. The levels are those of the sandbox ladder (docs/architecture.md):
// 0 process group, rlimits, closed descriptors, scrubbed environment, private folder; 1 also seccomp.
struct SandboxInfo {
    int level = 0;
    std::vector<std::string> reasons; // why the next levels are not reached
};

struct SandboxLimits {
    int64_t cpuSeconds = 0;
    int64_t addressSpaceBytes = 0; // 0: no limit
};

// What this machine offers. Looks only, changes nothing.
SandboxInfo probeSandbox();

// In the child, just before the candidate is loaded: from here on no new programs, processes, sockets or signals to others.
// Returns the level reached. Only for a process that has one thread.
int enterSandbox(const SandboxLimits& limits);

// Resource limits alone: level 0.
void applyResourceLimits(const SandboxLimits& limits);
// The system call filter of level 1. False when the kernel has no seccomp.
bool installSystemCallFilter();

} // namespace rooftree::worker
