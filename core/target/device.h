// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_fwd.h"
#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// Devices with their peaks, and the toolchains of each language. Plain values, any thread.
namespace rooftree::target {

// Measured, not read from a table; 0 = not measured.
struct Peaks {
    double bandwidthGBs = 0; // DRAM, triad, all threads
    double cacheBandwidthGBs = 0; // last-level cache, triad, all threads
    double coreBandwidthGBs =
        0; // first-level caches of all threads: the most that data which fits the cores' own caches can move
    double gflops32 = 0; // fused multiply-add, all threads
    double gflops64 = 0;
};

struct Device {
    std::string id; // "cpu"
    std::string kind; // "cpu"
    std::string name; // "AMD EPYC ..."
    int threads = 1; // the cores that this process may use
    int64_t l1Bytes = 0; // data cache of one core
    int64_t l2Bytes = 0; // of one core
    int64_t lastLevelCacheBytes = 0; // all instances that this process' cores reach
    int64_t memoryBytes = 0;
    std::vector<std::string> features; // "avx2", "avx512f", "fma"
    Peaks peaks;
};

// This machine's CPU, from /proc, /sys and the affinity mask; peaks are left at 0.
Device localCpu();
// The same from the proc and sys folders below 'root'. What is missing there (virtual machines, containers) stays 0 or at a neutral
// value; 'cpus' are the numbers of the usable cores.
Device cpuFromFiles(const std::filesystem::path& root, const std::vector<int>& cpus);
std::vector<int> usableCpus(); // the affinity mask

struct Toolchain {
    std::string language; // "cpp"
    std::string name; // "g++"
    std::string path;
    std::string version; // "12.2.0"
    std::string identity; // SHA-256 of the version text and target: part of every build's cache key
    std::string why; // not usable: what is missing, and the command that mends it; empty when usable
    bool usable() const { return why.empty(); }
};

// g++ and clang++ as they are on this machine, tried out with a small OpenMP program. Runs them; about 0.3 s.
std::vector<Toolchain> probeCppToolchains();

Json toJson(const Device& device);
Result<Device> deviceFromJson(const Json& json);
Json toJson(const Toolchain& toolchain);
Result<Toolchain> toolchainFromJson(const Json& json);

} // namespace rooftree::target
