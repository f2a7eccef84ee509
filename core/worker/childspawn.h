// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/worker/descriptor.h"
#include "core/worker/runner.h"

namespace rooftree::worker {

// A new child process in a session of its own: socket at childSocket, output into a pipe, nothing else open, a scrubbed environment.
struct SpawnedChild {
    int process = -1;
    Descriptor socket;
    Descriptor output;
};
Result<SpawnedChild> spawnChild(const RunnerOptions& options, const std::filesystem::path& privateDir);

} // namespace rooftree::worker
