// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// One row at a time, sixteen elements in one gather; the elements of x that later rows need are prefetched.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define AHEAD 32 // rooftree: tune {16, 32, 64, 128, 256}
#define NEAR_BYTES 4194304 // rooftree: tune {0, 1048576, 4194304, 16777216}
#define ROWS 512 // rooftree: tune {64, 512, 4096}

namespace {

constexpr int64_t width = 16;

struct Matrix {
    const float* values;
    const int32_t* columns;
    int64_t nonzeros;
    bool ahead; // x does not fit the near caches
};

inline void prefetchElements(const Matrix& matrix, const float* x, int64_t from, int64_t count)
{
    const int64_t last = std::min(from + count, matrix.nonzeros);
    for (int64_t p = from; p < last; ++p)
        __builtin_prefetch(x + matrix.columns[p]);
}

#ifdef __AVX512F__
inline float sumLanes(__m512 lanes)
{
    lanes += __builtin_shufflevector(lanes, lanes, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    lanes += __builtin_shufflevector(lanes, lanes, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    lanes += __builtin_shufflevector(lanes, lanes, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    return lanes[0] + lanes[1];
}

inline float rowSum(const Matrix& matrix, const float* x, int64_t first, int64_t last)
{
    __m512 sum = _mm512_setzero_ps();
    for (int64_t p = first; p < last; p += width) {
        const int64_t count = std::min(width, last - p);
        if (matrix.ahead)
            prefetchElements(matrix, x, p + AHEAD, count);
        const auto present = static_cast<__mmask16>((1u << count) - 1);
        const __m512i columns = _mm512_maskz_loadu_epi32(present, matrix.columns + p);
        const __m512 elements = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), present, columns, x, 4);
        sum = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(present, matrix.values + p), elements, sum);
    }
    return sumLanes(sum);
}
#else
inline float rowSum(const Matrix& matrix, const float* x, int64_t first, int64_t last)
{
    float sum = 0;
    if (matrix.ahead)
        prefetchElements(matrix, x, first + AHEAD, last - first);
#pragma omp simd reduction(+ : sum)
    for (int64_t p = first; p < last; ++p)
        sum += matrix.values[p] * x[matrix.columns[p]];
    return sum;
}
#endif

} // namespace

extern "C" void csr_matvec(const float* values, const int32_t* columns, const int64_t* starts, const float* x, float* y,
    int64_t rows, int64_t cols, int64_t nonzeros)
{
    const Matrix matrix{ values, columns, nonzeros, cols * static_cast<int64_t>(sizeof(float)) > NEAR_BYTES };
#pragma omp parallel for schedule(dynamic, ROWS)
    for (int64_t i = 0; i < rows; ++i)
        y[i] = rowSum(matrix, x, starts[i], starts[i + 1]);
}
