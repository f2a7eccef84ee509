// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Each vector lane keeps its own maximum and the step at which it came; the lanes are compared at the end of the row.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define VECTORS 4 // rooftree: tune {1, 2, 4, 8}
#define AHEAD 2048 // rooftree: tune {0, 512, 2048, 4096}
#define CHUNK 262144 // rooftree: tune {16384, 65536, 262144, 1048576}

namespace {

#ifdef __AVX512F__
constexpr int64_t width = 16;

struct Best {
    __m512 value;
    __m512i step;
};

inline void take(Best& best, __mmask16 present, __m512 value, __m512i step)
{
    const __mmask16 larger = _mm512_mask_cmp_ps_mask(present, value, best.value, _CMP_GT_OQ);
    best.value = _mm512_mask_mov_ps(best.value, larger, value);
    best.step = _mm512_mask_mov_epi32(best.step, larger, step);
}

// Of equal values the earlier one, as everywhere here. Both hold the same lanes of different vectors.
inline void merge(Best& best, const Best& other)
{
    const __mmask16 larger = _mm512_cmp_ps_mask(other.value, best.value, _CMP_GT_OQ);
    const __mmask16 equal = _mm512_cmp_ps_mask(other.value, best.value, _CMP_EQ_OQ);
    const __mmask16 earlier = _mm512_mask_cmplt_epi32_mask(equal, other.step, best.step);
    const auto better = static_cast<__mmask16>(larger | earlier);
    best.value = _mm512_mask_mov_ps(best.value, better, other.value);
    best.step = _mm512_mask_mov_epi32(best.step, better, other.step);
}

// Folds the upper half of the lanes on the lower one until each lane holds the result.
template <typename Vector, typename Fold> inline Vector fold(Vector lanes, Fold pick)
{
    lanes = pick(lanes, __builtin_shufflevector(lanes, lanes, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    lanes = pick(lanes, __builtin_shufflevector(lanes, lanes, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
    lanes = pick(lanes, __builtin_shufflevector(lanes, lanes, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    return pick(lanes, __builtin_shufflevector(lanes, lanes, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
}

inline int64_t firstLane(const Best& best)
{
    typedef int Ints __attribute__((vector_size(64)));
    const __m512 largest = fold(best.value, [](__m512 a, __m512 b) { return _mm512_maskz_max_ps(0xffff, a, b); });
    const __mmask16 equal = _mm512_cmp_ps_mask(best.value, largest, _CMP_EQ_OQ);
    const auto steps = reinterpret_cast<Ints>(_mm512_mask_mov_epi32(_mm512_set1_epi32(INT32_MAX), equal, best.step));
    const Ints least = fold(steps, [](Ints a, Ints b) { return a < b ? a : b; });
    const __mmask16 first = _mm512_mask_cmpeq_epi32_mask(equal, best.step, reinterpret_cast<__m512i>(least));
    return least[0] * width + __builtin_ctz(first);
}

// A step is one vector: steps fit 32 bits in rows below 2^35 elements.
int64_t firstLargest(const float* x, int64_t cols)
{
    Best best[VECTORS];
    for (Best& one : best)
        one = { _mm512_set1_ps(x[0]), _mm512_setzero_si512() };
    const int64_t whole = cols / width;
    int64_t step = 0;
    for (; step + VECTORS <= whole; step += VECTORS) {
#pragma GCC unroll 8
        for (int64_t v = 0; v < VECTORS; ++v) {
            const float* from = x + (step + v) * width;
            if (AHEAD > 0)
                _mm_prefetch(reinterpret_cast<const char*>(from) + AHEAD, _MM_HINT_T0);
            take(best[v], 0xffff, _mm512_loadu_ps(from), _mm512_set1_epi32(static_cast<int>(step + v)));
        }
    }
    for (; step * width < cols; ++step) {
        const int64_t left = cols - step * width;
        const auto present = static_cast<__mmask16>(left >= width ? 0xffff : (1u << left) - 1);
        take(best[0], present, _mm512_maskz_loadu_ps(present, x + step * width),
            _mm512_set1_epi32(static_cast<int>(step)));
    }
    for (int64_t v = 1; v < VECTORS; ++v)
        merge(best[0], best[v]);
    return firstLane(best[0]);
}
#else
int64_t firstLargest(const float* x, int64_t cols)
{
    int64_t best = 0;
    for (int64_t j = 1; j < cols; ++j)
        best = x[j] > x[best] ? j : best;
    return best;
}
#endif

} // namespace

extern "C" void argmax(const float* x, int64_t* index, int64_t rows, int64_t cols)
{
    const int64_t chunk = std::max<int64_t>(1, CHUNK / cols);
#pragma omp parallel for schedule(dynamic, chunk)
    for (int64_t i = 0; i < rows; ++i)
        index[i] = firstLargest(x + i * cols, cols);
}
