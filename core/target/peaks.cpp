// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/peaks.h"
#include "core/target/peakloops.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <ctime>
#include <functional>
#include <numeric>
#include <pthread.h>
#include <sys/mman.h>
#include <thread>

namespace rooftree::target {

namespace {

using SteadyClock = std::chrono::steady_clock;

// What a thread works on: one block, seen as three arrays or as one. Unmapped by the owner of the team.
struct Block {
    double* data = nullptr;
    std::size_t count = 0; // of each third
};

// One thread on each core, all of them starting a repetition together.
class Team {
public:
    explicit Team(const Device& device)
        : m_cpus(usableCpus())
    {
        // A container's share may be smaller than its affinity mask.
        m_cpus.resize(std::clamp<std::size_t>(static_cast<std::size_t>(std::max(1, device.threads)), 1, m_cpus.size()));
        m_sinks.resize(m_cpus.size());
        m_cpuNs.resize(m_cpus.size());
        m_wallNs.resize(m_cpus.size());
    }

    std::size_t size() const { return m_cpus.size(); }

    // The shortest time, in nanoseconds, that all threads together need for work(thread); its results are kept alive.
    double bestNs(int repetitions, const std::function<double(std::size_t)>& work)
    {
        std::barrier<> line(static_cast<std::ptrdiff_t>(size()));
        std::vector<std::vector<SteadyClock::time_point>> starts(size());
        std::vector<std::vector<SteadyClock::time_point>> ends(size());
        std::atomic<int> end = repetitions;
        const auto began = SteadyClock::now();
        const auto body = [&](std::size_t index) {
            pin(m_cpus[index]);
            for (int i = 0; i < repetitions; ++i) {
                // On a busy machine two repetitions have to do. Said before the line, and by number: a thread that passed the line
                // before and reads late must not leave one repetition early.
                if (index == 0 && i >= 2 && SteadyClock::now() - began > std::chrono::milliseconds(100))
                    end = i;
                line.arrive_and_wait();
                if (i >= end)
                    return;
                const double cpuBefore = threadCpuNs();
                starts[index].push_back(SteadyClock::now());
                m_sinks[index] += work(index);
                ends[index].push_back(SteadyClock::now());
                m_cpuNs[index] += threadCpuNs() - cpuBefore;
                m_wallNs[index] +=
                    std::chrono::duration<double, std::nano>(ends[index].back() - starts[index].back()).count();
            }
        };
        // The calling thread stays unpinned.
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < size(); ++i)
            threads.emplace_back(body, i);
        for (auto& thread : threads)
            thread.join();
        return shortest(starts, ends);
    }

    // Of all time between start and end, how much the threads were running.
    double cpuShare() const
    {
        const double wall = std::accumulate(m_wallNs.begin(), m_wallNs.end(), 0.0);
        return wall > 0 ? std::accumulate(m_cpuNs.begin(), m_cpuNs.end(), 0.0) / wall : 0;
    }

private:
    using Times = std::vector<std::vector<SteadyClock::time_point>>;

    static double threadCpuNs()
    {
        timespec now{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
    }

    static void pin(int cpu)
    {
        cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(cpu) + 1);
        const auto bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(cpu) + 1);
        CPU_ZERO_S(bytes, set);
        CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set);
        ::pthread_setaffinity_np(::pthread_self(), bytes, set); // unpinned it is a little noisier, nothing else
        CPU_FREE(set);
    }

    static double shortest(const Times& starts, const Times& ends)
    {
        double best = 0;
        for (std::size_t i = 0; i < starts[0].size(); ++i) {
            auto first = starts[0][i];
            auto last = ends[0][i];
            for (std::size_t t = 1; t < starts.size(); ++t) {
                first = std::min(first, starts[t][i]);
                last = std::max(last, ends[t][i]);
            }
            const double ns = std::chrono::duration<double, std::nano>(last - first).count();
            best = best == 0 ? ns : std::min(best, ns);
        }
        return best;
    }

    std::vector<int> m_cpus;
    std::vector<double> m_sinks;
    std::vector<double> m_cpuNs;
    std::vector<double> m_wallNs;
};

// Every thread's share of a working set, first touched by the thread itself so that it lies in its own memory.
class WorkingSet {
public:
    WorkingSet(Team& team, double totalBytes)
        : m_blocks(team.size())
    {
        // Thirds of whole multiples of 64 doubles, as the loops want them.
        const auto thirds =
            static_cast<std::size_t>(totalBytes / static_cast<double>(team.size()) / 3 / sizeof(double));
        const std::size_t count = std::max<std::size_t>(64, thirds / 64 * 64);
        m_bytesEach = 3 * count * sizeof(double);
        team.bestNs(1, [&](std::size_t thread) {
            void* memory = ::mmap(nullptr, m_bytesEach, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (memory == MAP_FAILED)
                return 0.0;
            ::madvise(memory, m_bytesEach, MADV_HUGEPAGE);
            m_blocks[thread] = { static_cast<double*>(memory), count };
            std::fill_n(m_blocks[thread].data, 3 * count, 1.0);
            return 0.0;
        });
    }
    ~WorkingSet()
    {
        for (const auto& block : m_blocks)
            if (block.data)
                ::munmap(block.data, m_bytesEach);
    }
    WorkingSet(const WorkingSet&) = delete;
    WorkingSet& operator=(const WorkingSet&) = delete;

    bool complete() const
    {
        return std::all_of(m_blocks.begin(), m_blocks.end(), [](const Block& block) { return block.data != nullptr; });
    }
    const Block& of(std::size_t thread) const { return m_blocks[thread]; }
    double bytes() const { return static_cast<double>(m_bytesEach * m_blocks.size()); }

private:
    std::vector<Block> m_blocks;
    std::size_t m_bytesEach = 0;
};

using Pass = std::function<double(const Block&)>;

double bandwidthOf(Team& team, const WorkingSet& set, const Pass& pass)
{
    // Milliseconds long, so that starting together and reading the clock do not count.
    constexpr double bytesOfEach = 200e6;
    const double threads = static_cast<double>(team.size());
    const auto count = static_cast<int64_t>(std::max(1.0, std::round(bytesOfEach * threads / set.bytes())));
    const double bestNs = team.bestNs(7, [&](std::size_t thread) {
        double sum = 0;
        for (int64_t i = 0; i < count; ++i)
            sum += pass(set.of(thread));
        return sum;
    });
    return set.bytes() * static_cast<double>(count) / bestNs;
}

enum class Stores { Cached, Streaming };

// In GB/s, which is bytes per nanosecond.
double bandwidth(Team& team, double totalBytes, Stores stores)
{
    const WorkingSet set(team, totalBytes);
    if (!set.complete())
        return 0;
    const auto loops = usablePeakLoops().front();
    double best = bandwidthOf(team, set, [&](const Block& b) { return loops.sum(b.data, 3 * b.count); });
    best = std::max(best, bandwidthOf(team, set, [&](const Block& b) {
        loops.triad(b.data, b.data + b.count, b.data + 2 * b.count, b.count);
        return b.data[0];
    }));
    if (stores == Stores::Streaming)
        best = std::max(best, bandwidthOf(team, set, [](const Block& b) {
            streamingTriad(b.data, b.data + b.count, b.data + 2 * b.count, b.count);
            return b.data[0];
        }));
    return best;
}

void measureArithmetic(Team& team, Peaks& peaks)
{
    constexpr int64_t rounds = 300'000; // about 2 ms
    auto loops = usablePeakLoops();
    loops.resize(std::min<std::size_t>(loops.size(), 2)); // the widest is not always the fastest
    const auto rate = [&](double (*loop)(int64_t), double flopsPerRound) {
        const double flops = flopsPerRound * static_cast<double>(rounds) * static_cast<double>(team.size());
        return flops / team.bestNs(8, [&](std::size_t) { return loop(rounds); });
    };
    for (const auto& loop : loops) {
        peaks.gflops32 = std::max(peaks.gflops32, rate(loop.fma32, loop.flopsPerRound32));
        peaks.gflops64 = std::max(peaks.gflops64, rate(loop.fma64, loop.flopsPerRound64));
    }
}

} // namespace

Peaks measurePeaks(const Device& device)
{
    return measurePeaksAndShare(device).peaks;
}

PeakMeasurement measurePeaksAndShare(const Device& device)
{
    Peaks peaks;
    Team team(device);
    measureArithmetic(team, peaks);
    const auto threads = static_cast<double>(team.size());
    const double firstLevel = device.l1Bytes > 0 ? static_cast<double>(device.l1Bytes) : 32 << 10;
    peaks.coreBandwidthGBs = bandwidth(team, firstLevel / 2 * threads, Stores::Cached);
    const auto lastLevel = static_cast<double>(device.lastLevelCacheBytes);
    if (lastLevel > 0) {
        // More than the cores' own caches hold, where the last level leaves room for it.
        const double own = static_cast<double>(device.l2Bytes) * threads;
        peaks.cacheBandwidthGBs =
            bandwidth(team, std::max(lastLevel / 2, std::min(2 * own, lastLevel * 3 / 4)), Stores::Cached);
    }
    double total = std::max(4 * lastLevel, 64e6);
    if (device.memoryBytes > 0)
        total = std::min(total, static_cast<double>(device.memoryBytes) / 8);
    peaks.bandwidthGBs = bandwidth(team, total, Stores::Streaming);
    return { peaks, team.cpuShare() };
}

} // namespace rooftree::target
