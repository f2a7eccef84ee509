// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Plain loads instead of gathers: several partial sums per row, and prefetches of the elements that later rows need.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <cstdint>

#define SUMS 4 // rooftree: tune {1, 2, 4, 8}
#define AHEAD 32 // rooftree: tune {0, 16, 32, 64, 128, 256}
#define ROWS 512 // rooftree: tune {64, 512, 4096}

namespace {

struct Matrix {
    const float* values;
    const int32_t* columns;
    const float* x;
    int64_t nonzeros;
};

inline float product(const Matrix& matrix, int64_t p)
{
    if (AHEAD > 0)
        __builtin_prefetch(matrix.x + matrix.columns[p + AHEAD < matrix.nonzeros ? p + AHEAD : p]);
    return matrix.values[p] * matrix.x[matrix.columns[p]];
}

inline float rowSum(const Matrix& matrix, int64_t first, int64_t last)
{
    float sums[SUMS] = {};
    int64_t p = first;
    for (; p + SUMS <= last; p += SUMS) {
#pragma GCC unroll 8
        for (int64_t s = 0; s < SUMS; ++s)
            sums[s] += product(matrix, p + s);
    }
    for (; p < last; ++p)
        sums[0] += product(matrix, p);
    float sum = 0;
    for (const float part : sums)
        sum += part;
    return sum;
}

} // namespace

extern "C" void csr_matvec(const float* values, const int32_t* columns, const int64_t* starts, const float* x, float* y,
    int64_t rows, int64_t, int64_t nonzeros)
{
    const Matrix matrix{ values, columns, x, nonzeros };
#pragma omp parallel for schedule(dynamic, ROWS)
    for (int64_t i = 0; i < rows; ++i)
        y[i] = rowSum(matrix, starts[i], starts[i + 1]);
}
