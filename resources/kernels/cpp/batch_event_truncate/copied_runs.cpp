// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Each thread counts what its lists keep, starts where the threads before it end, and copies the runs.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#define PARTS 2 // rooftree: tune {1, 2, 4, 16, 64}
#define AHEAD 0 // rooftree: tune {0, 8, 16, 32}

namespace {

struct Lists {
    const int64_t* events;
    const int64_t* offsets;
    int64_t lists;
    int64_t keep;

    int64_t kept(int64_t list) const { return std::min(offsets[list + 1] - offsets[list], keep); }

    int64_t keptOf(int64_t first, int64_t last) const
    {
        int64_t sum = 0;
        for (int64_t i = first; i < last; ++i)
            sum += kept(i);
        return sum;
    }
};

inline void prefetchList(const Lists& lists, int64_t list)
{
    if (AHEAD == 0 || list >= lists.lists)
        return;
    const char* last = reinterpret_cast<const char*>(lists.events + lists.offsets[list + 1]);
    for (const char* at = last - lists.kept(list) * 8; at < last; at += 64)
        __builtin_prefetch(at);
}

void copyLists(const Lists& lists, int64_t first, int64_t last, int64_t next, int64_t* kept, int64_t* keptOffsets)
{
    for (int64_t i = first; i < last; ++i) {
        prefetchList(lists, i + AHEAD);
        const int64_t count = lists.kept(i);
        std::memcpy(kept + next, lists.events + lists.offsets[i + 1] - count, count * sizeof(int64_t));
        next += count;
        keptOffsets[i + 1] = next;
    }
}

} // namespace

extern "C" void batch_event_truncate(const int64_t* events, const int64_t* offsets, int64_t* kept,
    int64_t* kept_offsets, int64_t lists, int64_t keep, int64_t)
{
    const Lists all{ events, offsets, lists, keep };
    std::vector<int64_t> starts(PARTS + 1);
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < PARTS; ++p)
        starts[p + 1] = all.keptOf(lists * p / PARTS, lists * (p + 1) / PARTS);
    for (int64_t p = 0; p < PARTS; ++p)
        starts[p + 1] += starts[p];
    kept_offsets[0] = 0;
    const int64_t rest = lists * keep - starts[PARTS];
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < PARTS; ++p) {
        copyLists(all, lists * p / PARTS, lists * (p + 1) / PARTS, starts[p], kept, kept_offsets);
        int64_t* zeros = kept + starts[PARTS];
        std::fill(zeros + rest * p / PARTS, zeros + rest * (p + 1) / PARTS, 0);
    }
}
