// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Bias and tanh gelu in one plain loop over each row, which the compiler vectorises.
// rooftree: flags {"-O3 -march=native", "-O3 -march=native -mprefer-vector-width=512", "-O3 -march=native -ffast-math -mprefer-vector-width=512"}
// rooftree: compiler {"g++", "clang++"}
#include <bit>
#include <cstdint>

#define ROWS_PER_TASK 16 // rooftree: tune {1, 4, 16, 64}

namespace {

// exp(x) for x <= 0, to 2 ulp: 2^n times a polynomial in the fraction of x log2(e). A loop around it vectorises.
inline float expOf(float x)
{
    constexpr float log2e = 1.44269504f;
    // Clamped to -87 as an integer: a comparison of floats may trap, which keeps some compilers from vectorising.
    constexpr int32_t most = std::bit_cast<int32_t>(87.0f);
    const int32_t magnitude = std::bit_cast<int32_t>(x) & 0x7fffffff;
    x = -std::bit_cast<float>(magnitude < most ? magnitude : most);
    const int32_t n = int32_t(x * log2e - 0.5f);
    const float f = x * log2e - float(n);
    float p = f * 0.00132764718f + 0.00967554133f;
    p = p * f + 0.0555071327f;
    p = p * f + 0.240221197f;
    p = p * f + 0.693146967f;
    p = p * f + 1.00000007f;
    return p * std::bit_cast<float>((n + 127) << 23);
}

// 1 / (1 + exp(-x)) from exp(-|x|), which cannot overflow.
inline float sigmoidOf(float x)
{
    const float e = expOf(-std::bit_cast<float>(std::bit_cast<int32_t>(x) & 0x7fffffff));
    const float low = e / (1 + e);
    return std::bit_cast<int32_t>(x) < 0 ? low : 1 - low;
}

// v times the sigmoid of twice the inner value is the tanh form.
inline float geluOf(float v)
{
    return v * sigmoidOf(v * (1.59576912f + 0.0713548163f * v * v));
}

} // namespace

extern "C" void bias_gelu(const float* x, const float* bias, float* y, int64_t rows, int64_t cols)
{
#pragma omp parallel for schedule(dynamic, ROWS_PER_TASK)
    for (int64_t r = 0; r < rows; ++r) {
#pragma omp simd
        for (int64_t c = 0; c < cols; ++c)
            y[r * cols + c] = geluOf(x[r * cols + c] + bias[c]);
    }
}
