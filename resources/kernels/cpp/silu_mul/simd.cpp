// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Gated unit with a polynomial exponential, in one plain loop that the compiler vectorises.
// rooftree: flags {"-O3 -march=native", "-O3 -march=native -mprefer-vector-width=512", "-O3 -march=native -ffast-math -mprefer-vector-width=512"}
// rooftree: compiler {"g++", "clang++"}
#include <bit>
#include <cstdint>

#define SCHEDULE static // rooftree: tune {static, guided}

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

} // namespace

extern "C" void silu_mul(const float* gate, const float* up, float* y, int64_t n)
{
#pragma omp parallel for simd schedule(SCHEDULE)
    for (int64_t i = 0; i < n; ++i)
        y[i] = gate[i] * up[i] * sigmoidOf(gate[i]);
}
