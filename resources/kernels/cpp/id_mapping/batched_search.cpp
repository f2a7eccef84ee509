// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Binary search without branches, a batch of ids in step, so that their cache misses overlap.
// rooftree: flags {"-O3 -march=native -mprefer-vector-width=512 -fopenmp", "-O3 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>

#define BATCH 64 // rooftree: tune {8, 16, 32, 64, 128}
#define AHEAD 0 // rooftree: tune {0, 1}

namespace {

// In each step the first entry that is not below the id lies in start .. start + left.
inline void searchBatch(const int64_t* ids, const int64_t* table, int64_t* position, int64_t known)
{
    int64_t start[BATCH] = {};
    for (int64_t left = known; left > 0;) {
        const int64_t half = (left + 1) / 2;
        for (int64_t i = 0; i < BATCH; ++i)
            start[i] += half & -static_cast<int64_t>(table[start[i] + half - 1] < ids[i]);
        left -= half;
        for (int64_t i = 0; AHEAD && left > 1 && i < BATCH; ++i)
            __builtin_prefetch(table + start[i] + (left + 1) / 2 - 1);
    }
    for (int64_t i = 0; i < BATCH; ++i) {
        const int64_t at = std::min(start[i], known - 1);
        position[i] = table[at] == ids[i] ? at : -1;
    }
}

} // namespace

extern "C" void id_mapping(const int64_t* ids, const int64_t* table, int64_t* position, int64_t n, int64_t known)
{
    const int64_t whole = n / BATCH * BATCH;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < whole; i += BATCH)
        searchBatch(ids + i, table, position + i, known);
    for (int64_t i = whole; i < n; ++i) {
        const int64_t* found = std::lower_bound(table, table + known, ids[i]);
        position[i] = found != table + known && *found == ids[i] ? found - table : -1;
    }
}
