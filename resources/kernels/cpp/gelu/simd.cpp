// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Exact gelu by a polynomial for the normal distribution, in one plain loop that the compiler vectorises.
// rooftree: flags {"-O3 -march=native", "-O3 -march=native -mprefer-vector-width=512", "-O3 -march=native -ffast-math -mprefer-vector-width=512"}
// rooftree: compiler {"g++", "clang++"}
#include <bit>
#include <cstdint>

#define SCHEDULE static // rooftree: tune {static, guided}

namespace {

// x Phi(x). Phi(x) - 1/2 is x times a polynomial in x squared, to 2e-7; beyond 5.5 Phi is 0 or 1 for a float.
inline float geluOf(float x)
{
    constexpr float edge = 5.5f;
    // Clamped as an integer: a comparison of floats may trap, which keeps some compilers from vectorising.
    constexpr int32_t most = std::bit_cast<int32_t>(edge);
    const int32_t magnitude = std::bit_cast<int32_t>(x) & 0x7fffffff;
    const float z = std::bit_cast<float>(magnitude < most ? magnitude : most);
    const float u = z * z * (2 / (edge * edge)) - 1.0f;
    float p = u * -0.00121277094f + 0.00284096997f;
    p = p * u + -0.00170818928f;
    p = p * u + 0.00183295304f;
    p = p * u + -0.00711333134f;
    p = p * u + 0.0120394247f;
    p = p * u + -0.0149848287f;
    p = p * u + 0.0197631064f;
    p = p * u + -0.0260281783f;
    p = p * u + 0.0321648642f;
    p = p * u + -0.0387968669f;
    p = p * u + 0.0477320807f;
    p = p * u + -0.0641721673f;
    p = p * u + 0.128551984f;
    return 0.5f * x + std::bit_cast<float>(magnitude) * (z * p);
}

} // namespace

extern "C" void gelu(const float* x, float* y, int64_t n)
{
#pragma omp parallel for simd schedule(SCHEDULE)
    for (int64_t i = 0; i < n; ++i)
        y[i] = geluOf(x[i]);
}
