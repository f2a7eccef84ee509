// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Computes bins with vectors, then counts into several tables per thread so that equal bins do not wait.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <vector>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define BLOCK 256 // rooftree: tune {64, 128, 256, 512, 1024}
#define TABLES 2 // rooftree: tune {1, 2, 4, 8}
#define TABLE_BYTES 65536 // rooftree: tune {16384, 65536, 262144, 1048576}
#define AHEAD 4096 // rooftree: tune {0, 1024, 4096, 16384}
// rooftree: require BLOCK % TABLES == 0

namespace {

// Values outside of 0 .. 1 go to one more bin, which nobody reads: no branch to mispredict.
inline int32_t findBin(float value, int32_t bins)
{
    const bool inside = value >= 0.0f && value <= 1.0f;
    const auto scaled = static_cast<int32_t>(inside ? value * static_cast<float>(bins) : 0.0f);
    return inside ? std::min(scaled, bins - 1) : bins;
}

inline void findBlock(const float* x, int32_t bins, int32_t* bin)
{
#ifdef __AVX512F__
    const __m512 scale = _mm512_set1_ps(static_cast<float>(bins));
    for (int64_t i = 0; i < BLOCK; i += 16) {
        const __m512 values = _mm512_loadu_ps(x + i);
        const __mmask16 low = _mm512_cmp_ps_mask(values, _mm512_setzero_ps(), _CMP_GE_OQ);
        const __mmask16 inside = _mm512_mask_cmp_ps_mask(low, values, _mm512_set1_ps(1.0f), _CMP_LE_OQ);
        const __m512i scaled = _mm512_maskz_cvttps_epi32(inside, _mm512_mul_ps(values, scale));
        const __m512i found =
            _mm512_mask_min_epi32(_mm512_set1_epi32(bins), inside, scaled, _mm512_set1_epi32(bins - 1));
        _mm512_store_si512(bin + i, found);
    }
#else
    for (int64_t i = 0; i < BLOCK; ++i)
        bin[i] = findBin(x[i], bins);
#endif
}

inline void prefetchBlock(const float* x)
{
    for (int64_t i = 0; AHEAD > 0 && i < BLOCK; i += 16)
        __builtin_prefetch(reinterpret_cast<const char*>(x + i) + AHEAD);
}

// 'stride' apart lie the tables; with one table the stride is 0.
inline void countBlock(const int32_t* bin, int32_t* table, int64_t stride)
{
    for (int64_t i = 0; i < BLOCK; i += TABLES) {
#pragma GCC unroll 8
        for (int64_t t = 0; t < TABLES; ++t)
            ++table[t * stride + bin[i + t]];
    }
}

void countRange(const float* x, int64_t count, int32_t bins, int32_t* table, int64_t stride)
{
    alignas(64) int32_t bin[BLOCK];
    int64_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK) {
        prefetchBlock(x + i);
        findBlock(x + i, bins, bin);
        countBlock(bin, table, stride);
    }
    for (; i < count; ++i)
        ++table[findBin(x[i], bins)];
}

} // namespace

extern "C" void histogram(const float* x, int32_t* counts, int64_t n, int64_t bins)
{
    const int64_t tableSize =
        ((bins + 16) / 16 | 1) * 16; // an odd number of lines spreads the tables over the cache sets
    const bool several = tableSize * TABLES * static_cast<int64_t>(sizeof(int32_t)) <= TABLE_BYTES;
    const int64_t stride = several ? tableSize : 0;
    std::fill(counts, counts + bins, 0);
    // Fewer values than bins: a table per thread would cost more than it saves.
#pragma omp parallel if (n > bins)
    {
        std::vector<int32_t> table(tableSize * (several ? TABLES : 1));
#pragma omp for schedule(static) nowait
        for (int64_t chunk = 0; chunk < (n + 65535) / 65536; ++chunk)
            countRange(x + chunk * 65536, std::min<int64_t>(65536, n - chunk * 65536), static_cast<int32_t>(bins),
                table.data(), stride);
        for (int64_t t = 1; t < TABLES && several; ++t)
            for (int64_t b = 0; b < bins; ++b)
                table[b] += table[t * stride + b];
#pragma omp critical
        for (int64_t b = 0; b < bins; ++b)
            counts[b] += table[b];
    }
}
