// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/machine.h"
#include "core/target/peaks.h"

#include <algorithm>
#include <sched.h>

namespace rooftree::worker {

namespace {

std::vector<int> affinity()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> cpus;
    if (::sched_getaffinity(0, sizeof set, &set) != 0)
        return cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set))
            cpus.push_back(cpu);
    }
    return cpus;
}

} // namespace

RunnerOptions Machine::runnerOptions(int64_t memoryBytes, int64_t totalMs, int64_t logBytes) const
{
    constexpr int64_t graceSeconds = 10;
    RunnerOptions options;
    options.program = program;
    options.cpus = cpus;
    options.memoryBytes = memoryBytes;
    // All threads together: a second wall, should the wall clock's limit ever not be enforced.
    options.cpuSeconds = (totalMs / 1000 + graceSeconds) * std::max<int64_t>(1, static_cast<int64_t>(cpus.size()));
    options.logBytes = static_cast<std::size_t>(logBytes);
    return options;
}

Machine exploreMachine(const std::filesystem::path& cacheDir)
{
    Machine machine;
    machine.cacheDir = cacheDir;
    machine.device = target::localCpu();
    machine.device.peaks = target::cachedPeaks(machine.device);
    machine.toolchains = target::probeCppToolchains();
    machine.cpus = affinity();
    machine.sandbox = probeSandbox();
    return machine;
}

} // namespace rooftree::worker
