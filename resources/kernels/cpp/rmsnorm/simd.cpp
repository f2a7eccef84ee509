// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Root mean square normalisation in plain loops that the compiler vectorises.
// rooftree: flags {"-O3 -march=native", "-O3 -march=native -mprefer-vector-width=512", "-O3 -march=native -ffast-math -mprefer-vector-width=512"}
// rooftree: compiler {"g++", "clang++"}
#include <cmath>
#include <cstdint>

#define ROWS_PER_TASK 16 // rooftree: tune {1, 4, 16, 64}

namespace {

// Sixteen sums side by side, since compilers do not reorder a sum by themselves.
inline float squaresOf(const float* in, int64_t count)
{
    float lane[16] = {};
    int64_t c = 0;
    for (; c + 16 <= count; c += 16) {
#pragma omp simd
        for (int64_t k = 0; k < 16; ++k)
            lane[k] += in[c + k] * in[c + k];
    }
    for (; c < count; ++c)
        lane[0] += in[c] * in[c];
    float sum = 0;
    for (float l : lane)
        sum += l;
    return sum;
}

} // namespace

extern "C" void rmsnorm(const float* x, const float* weight, float* y, int64_t rows, int64_t cols)
{
#pragma omp parallel for schedule(dynamic, ROWS_PER_TASK)
    for (int64_t r = 0; r < rows; ++r) {
        const float* in = x + r * cols;
        float* out = y + r * cols;
        const float scale = 1 / std::sqrt(squaresOf(in, cols) / float(cols) + 1e-6f);
#pragma omp simd
        for (int64_t c = 0; c < cols; ++c)
            out[c] = in[c] * scale * weight[c];
    }
}
