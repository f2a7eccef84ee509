// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/device.h"
#include "core/base/files.h"
#include "core/base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <sched.h>
#include <set>
#include <sys/utsname.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace rooftree::target {

namespace {

// What kernels are written for; the hundred other flags of a CPU only make noise.
const std::set<std::string> interestingFeatures{ "sse4_2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512bw",
    "avx512dq", "avx512vl", "avx512_bf16", "avx512_fp16", "avx512_vnni", "avx_vnni", "amx_tile", "amx_bf16", "amx_int8",
    "asimd", "asimdhp", "asimddp", "bf16", "i8mm", "sve", "sve2", "rva22" };

std::string textOf(const fs::path& path)
{
    auto content = readFile(path, 16 << 20);
    return content ? std::move(content).value() : std::string();
}

std::optional<int64_t> leadingNumber(std::string_view text)
{
    int64_t number = 0;
    text = trimmed(text);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end != text.data() ? std::optional(number) : std::nullopt;
}

// "32K", "1024 KB", "32M", "24683652 kB"
int64_t parseSize(std::string_view text)
{
    const auto number = leadingNumber(text).value_or(0);
    if (number < 0 || number > (int64_t{ 1 } << 40))
        return 0;
    const auto unit = text.find_first_of("kKmMgG");
    if (unit == std::string_view::npos)
        return number;
    const char letter = text[unit];
    return number
        * (letter == 'k' || letter == 'K'        ? 1LL << 10
                : letter == 'm' || letter == 'M' ? 1LL << 20
                                                 : 1LL << 30);
}

// "key : value" lines; the first of each key.
std::map<std::string, std::string> keyValues(const std::string& text)
{
    std::map<std::string, std::string> out;
    for (const auto line : splitLines(text))
        if (const auto colon = line.find(':'); colon != std::string_view::npos)
            out.emplace(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
    return out;
}

std::string firstOf(const std::map<std::string, std::string>& values, std::initializer_list<const char*> keys)
{
    for (const auto* key : keys)
        if (const auto it = values.find(key); it != values.end() && !it->second.empty())
            return it->second;
    return {};
}

void readCaches(const fs::path& root, const std::vector<int>& cpus, Device& device)
{
    std::map<int, std::map<std::string, int64_t>> levels; // level -> the cores that share an instance -> size
    for (const int cpu : cpus) {
        const auto folder = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu)) / "cache";
        for (int index = 0; index < 8; ++index) {
            const auto cache = folder / ("index" + std::to_string(index));
            const auto level = static_cast<int>(leadingNumber(textOf(cache / "level")).value_or(0));
            const int64_t size = parseSize(textOf(cache / "size"));
            if (level < 1 || size <= 0 || trimmed(textOf(cache / "type")) == "Instruction")
                continue;
            auto sharers = std::string(trimmed(textOf(cache / "shared_cpu_list")));
            levels[level][sharers.empty() ? std::to_string(cpu) : sharers] = size;
        }
    }
    const auto oneOf = [&](int level) { return levels.contains(level) ? levels[level].begin()->second : 0; };
    device.l1Bytes = oneOf(1);
    device.l2Bytes = oneOf(2);
    if (!levels.empty())
        for (const auto& [sharers, size] : levels.rbegin()->second)
            device.lastLevelCacheBytes += size;
}

// A container's share of the machine, in cores; nothing when it is not limited.
std::optional<int> cpuQuota(const fs::path& root)
{
    const auto parts = splitList(trimmed(textOf(root / "sys/fs/cgroup/cpu.max")), ' ');
    auto quota = parts.empty() ? std::nullopt : leadingNumber(parts[0]);
    auto period = parts.size() < 2 ? std::nullopt : leadingNumber(parts[1]);
    if (parts.empty()) {
        quota = leadingNumber(textOf(root / "sys/fs/cgroup/cpu/cpu.cfs_quota_us"));
        period = leadingNumber(textOf(root / "sys/fs/cgroup/cpu/cpu.cfs_period_us"));
    }
    if (!quota || !period || *quota <= 0 || *period <= 0)
        return std::nullopt;
    return static_cast<int>(std::clamp<int64_t>((*quota + *period - 1) / *period, 1, 1 << 16));
}

int64_t memorySize(const fs::path& root)
{
    const auto values = keyValues(textOf(root / "proc/meminfo"));
    int64_t bytes = parseSize(firstOf(values, { "MemTotal" }));
    for (const auto* limitFile : { "sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes" })
        if (const auto limit = leadingNumber(textOf(root / limitFile)); limit && *limit > 0)
            bytes = bytes > 0 ? std::min(bytes, *limit) : *limit;
    return bytes;
}

// Where /sys shows no caches, the C library may still know them from the CPU itself.
void askLibrary(Device& device)
{
    const auto ask = [](int64_t& bytes, int name) {
        if (bytes == 0)
            bytes = std::max<int64_t>(0, ::sysconf(name));
    };
    ask(device.l1Bytes, _SC_LEVEL1_DCACHE_SIZE);
    ask(device.l2Bytes, _SC_LEVEL2_CACHE_SIZE);
    ask(device.lastLevelCacheBytes, _SC_LEVEL3_CACHE_SIZE);
    if (device.memoryBytes == 0)
        device.memoryBytes = static_cast<int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
}

} // namespace

std::vector<int> usableCpus()
{
    std::vector<int> cpus;
    // Machines with more cores than the static set holds need a larger one; the kernel says EINVAL until it is large enough.
    for (int capacity = 1024; capacity <= 1 << 16 && cpus.empty(); capacity *= 4) {
        cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(capacity));
        const auto bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(capacity));
        if (set && ::sched_getaffinity(0, bytes, set) == 0)
            for (int cpu = 0; cpu < capacity; ++cpu)
                if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set))
                    cpus.push_back(cpu);
        CPU_FREE(set);
    }
    if (cpus.empty())
        cpus.push_back(0);
    return cpus;
}

Device cpuFromFiles(const fs::path& root, const std::vector<int>& cpus)
{
    Device device;
    device.id = device.kind = "cpu";
    const auto info = keyValues(textOf(root / "proc/cpuinfo"));
    device.name = firstOf(info, { "model name", "Model", "cpu model", "Hardware", "uarch" });
    if (device.name.empty()) {
        utsname system{};
        device.name = ::uname(&system) == 0 ? std::string(system.machine) + " CPU" : "CPU";
    }
    device.name = sanitizedUtf8(device.name);
    for (auto& feature : splitList(firstOf(info, { "flags", "Features" }), ' '))
        if (interestingFeatures.contains(feature))
            device.features.push_back(std::move(feature));
    std::sort(device.features.begin(), device.features.end());
    device.threads = std::max(1, static_cast<int>(cpus.size()));
    if (const auto quota = cpuQuota(root))
        device.threads = std::min(device.threads, *quota);
    readCaches(root, cpus, device);
    if (device.lastLevelCacheBytes == 0)
        device.lastLevelCacheBytes = parseSize(firstOf(info, { "cache size" }));
    device.memoryBytes = memorySize(root);
    return device;
}

Device localCpu()
{
    auto device = cpuFromFiles("/", usableCpus());
    askLibrary(device);
    return device;
}

} // namespace rooftree::target
