// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Binary search without branches, a batch of values in step, so that their loads overlap and vectorise.
// rooftree: flags {"-O3 -march=native -mprefer-vector-width=512 -fopenmp", "-O3 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>

#define BATCH 32 // rooftree: tune {8, 16, 32, 64, 128}

namespace {

// In each step the answer lies in start .. start + left. A mask, so that compilers do not branch on the comparison.
inline void searchBatch(const float* x, const float* boundaries, int64_t* bucket, int32_t buckets)
{
    int32_t start[BATCH] = {};
    for (int32_t left = buckets; left > 0;) {
        const int32_t half = (left + 1) / 2;
        for (int64_t i = 0; i < BATCH; ++i)
            start[i] += half & -static_cast<int32_t>(boundaries[start[i] + half - 1] < x[i]);
        left -= half;
    }
    for (int64_t i = 0; i < BATCH; ++i)
        bucket[i] = start[i];
}

} // namespace

extern "C" void bucketize(const float* x, const float* boundaries, int64_t* bucket, int64_t n, int64_t buckets)
{
    const int64_t whole = n / BATCH * BATCH;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < whole; i += BATCH)
        searchBatch(x + i, boundaries, bucket + i, static_cast<int32_t>(buckets));
    for (int64_t i = whole; i < n; ++i)
        bucket[i] = std::lower_bound(boundaries, boundaries + buckets, x[i]) - boundaries;
}
