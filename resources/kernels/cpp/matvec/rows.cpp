// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Several rows at once with vectors of sums for each, so that many streams of the matrix are under way.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>

#define ROWS 4 // rooftree: tune {1, 2, 4, 8}
#define VECTORS 4 // rooftree: tune {1, 2, 4}
#define AHEAD 0 // rooftree: tune {0, 256, 512, 1024, 2048}
// rooftree: require ROWS * VECTORS <= 16

namespace {

#if defined(__AVX512F__)
constexpr int lanes = 16;
#elif defined(__AVX__)
constexpr int lanes = 8;
#else
constexpr int lanes = 4;
#endif
typedef float Vector __attribute__((vector_size(4 * lanes)));
typedef float Loose __attribute__((vector_size(4 * lanes), aligned(4), may_alias)); // at any address
constexpr int step = VECTORS * lanes;

float total(Vector v)
{
    float sum = 0;
    for (int lane = 0; lane < lanes; ++lane)
        sum += v[lane];
    return sum;
}

template <int rows> void multiplyRows(const float* a, int64_t n, const float* x, float* y)
{
    Vector sum[rows][VECTORS] = {};
    int64_t j = 0;
    for (; j + step <= n; j += step) {
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
            for (int v = 0; v < VECTORS; ++v) {
                const float* at = a + i * n + j + v * lanes;
                if (AHEAD > 0)
                    __builtin_prefetch(at + AHEAD);
                sum[i][v] += *reinterpret_cast<const Loose*>(at) * *reinterpret_cast<const Loose*>(x + j + v * lanes);
            }
        }
    }
    for (int i = 0; i < rows; ++i) {
        for (int v = 1; v < VECTORS; ++v)
            sum[i][0] += sum[i][v];
        y[i] = total(sum[i][0]);
        for (int64_t rest = j; rest < n; ++rest)
            y[i] += a[i * n + rest] * x[rest];
    }
}

} // namespace

extern "C" void matvec(const float* a, const float* x, float* y, int64_t m, int64_t n)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < m; i += ROWS) {
        if (i + ROWS <= m) {
            multiplyRows<ROWS>(a + i * n, n, x, y + i);
            continue;
        }
        for (int64_t row = i; row < m; ++row)
            multiplyRows<1>(a + row * n, n, x, y + row);
    }
}
