// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Softmax in three plain passes over each row, in plain loops that the compiler vectorises.
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

// Sixteen maxima side by side, since compilers do not reorder a maximum by themselves.
inline float largestOf(const float* in, int64_t count)
{
    float lane[16];
    for (float& l : lane)
        l = in[0];
    int64_t c = 0;
    for (; c + 16 <= count; c += 16) {
#pragma omp simd
        for (int64_t k = 0; k < 16; ++k)
            lane[k] = in[c + k] > lane[k] ? in[c + k] : lane[k];
    }
    for (; c < count; ++c)
        lane[0] = in[c] > lane[0] ? in[c] : lane[0];
    float largest = lane[0];
    for (float l : lane)
        largest = l > largest ? l : largest;
    return largest;
}

// out = exp(in - largest), the sum comes back.
inline float exponentials(const float* in, float* out, int64_t count, float largest)
{
    float lane[16] = {};
    int64_t c = 0;
    for (; c + 16 <= count; c += 16) {
#pragma omp simd
        for (int64_t k = 0; k < 16; ++k) {
            const float e = expOf(in[c + k] - largest);
            out[c + k] = e;
            lane[k] += e;
        }
    }
    for (; c < count; ++c) {
        out[c] = expOf(in[c] - largest);
        lane[0] += out[c];
    }
    float sum = 0;
    for (float l : lane)
        sum += l;
    return sum;
}

} // namespace

extern "C" void softmax(const float* x, float* y, int64_t rows, int64_t cols)
{
#pragma omp parallel for schedule(dynamic, ROWS_PER_TASK)
    for (int64_t r = 0; r < rows; ++r) {
        const float* in = x + r * cols;
        float* out = y + r * cols;
        const float largest = largestOf(in, cols);
        const float sum = exponentials(in, out, cols, largest);
        const float factor = 1 / sum;
#pragma omp simd
        for (int64_t c = 0; c < cols; ++c)
            out[c] *= factor;
    }
}
