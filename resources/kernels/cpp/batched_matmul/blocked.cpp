// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Blocked i-k-j for each product of the batch without packing: a strip of c is updated by STEPS rows of b at once, plain loops that the compiler
// vectorises.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O3 -march=native -fopenmp -ffast-math"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>

#define BLOCK_ROWS 16 // rooftree: tune {4, 8, 16, 32, 64}
#define BLOCK_DEPTH 64 // rooftree: tune {16, 32, 64, 128, 256}
#define STEPS 8 // rooftree: tune {1, 2, 4, 8, 16}
// rooftree: require BLOCK_DEPTH % STEPS == 0

namespace {

// c += the STEPS values at a times the STEPS rows at b.
void addRows(const float* __restrict a, const float* __restrict b, int64_t stride, float* __restrict c, int64_t columns)
{
    for (int64_t j = 0; j < columns; ++j) {
        float sum = c[j];
#pragma GCC unroll 16
        for (int s = 0; s < STEPS; ++s)
            sum += a[s] * b[s * stride + j];
        c[j] = sum;
    }
}

void addRow(float a, const float* __restrict b, float* __restrict c, int64_t columns)
{
    for (int64_t j = 0; j < columns; ++j)
        c[j] += a * b[j];
}

} // namespace

extern "C" void batched_matmul(const float* a, const float* b, float* c, int64_t batch, int64_t m, int64_t n, int64_t k)
{
#pragma omp parallel for collapse(2) schedule(dynamic)
    for (int64_t which = 0; which < batch; ++which) {
        for (int64_t i0 = 0; i0 < m; i0 += BLOCK_ROWS) {
            const float* factors = a + which * m * k;
            const float* rows = b + which * k * n;
            float* to = c + which * m * n;
            const int64_t rowsEnd = std::min<int64_t>(i0 + BLOCK_ROWS, m);
            std::fill(to + i0 * n, to + rowsEnd * n, 0.0F);
            for (int64_t p0 = 0; p0 < k; p0 += BLOCK_DEPTH) {
                const int64_t end = std::min<int64_t>(p0 + BLOCK_DEPTH, k);
                for (int64_t i = i0; i < rowsEnd; ++i) {
                    int64_t p = p0;
                    for (; p + STEPS <= end; p += STEPS)
                        addRows(factors + i * k + p, rows + p * n, n, to + i * n, n);
                    for (; p < end; ++p)
                        addRow(factors[i * k + p], rows + p * n, to + i * n, n);
                }
            }
        }
    }
}
