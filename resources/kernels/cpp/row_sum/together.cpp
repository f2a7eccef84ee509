// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Sums of several rows at once, which keeps more memory requests in flight.
// rooftree: flags {"-O3 -march=native", "-O3 -march=native -ffast-math", "-O2 -march=native"}
// rooftree: compiler {"g++", "clang++"}
#include <cstdint>
#include <cstring>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#define TOGETHER 8 // rooftree: tune {2, 4, 8, 16}
#define CHAINS 1 // rooftree: tune {1, 2, 4}
#define GROUPS_PER_TASK 16 // rooftree: tune {1, 4, 16, 64}

namespace {

using Vec = float __attribute__((vector_size(64)));
constexpr int64_t lanes = 16;

inline Vec load(const float* from)
{
    Vec value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

[[maybe_unused]] inline void store(float* to, Vec value)
{
    std::memcpy(to, &value, sizeof value);
}

#if defined(__AVX512F__)
inline float sumOf(Vec v)
{
    return _mm512_reduce_add_ps(v);
}
#else
inline float sumOf(Vec v)
{
    float sum = 0;
    for (int64_t i = 0; i < lanes; ++i)
        sum += v[i];
    return sum;
}
#endif

template <int n> void sums(const float* in, float* out, int64_t cols)
{
    Vec sum[n][CHAINS] = {};
    int64_t c = 0;
    for (; c + CHAINS * lanes <= cols; c += CHAINS * lanes)
        for (int r = 0; r < n; ++r)
            for (int k = 0; k < CHAINS; ++k)
                sum[r][k] += load(in + r * cols + c + k * lanes);
    for (int r = 0; r < n; ++r) {
        Vec all = {};
        for (const Vec& v : sum[r])
            all += v;
        out[r] = sumOf(all);
        for (int64_t i = c; i < cols; ++i)
            out[r] += in[r * cols + i];
    }
}

} // namespace

extern "C" void row_sum(const float* x, float* y, int64_t rows, int64_t cols)
{
    const int64_t groups = rows / TOGETHER;
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, GROUPS_PER_TASK) nowait
        for (int64_t g = 0; g < groups; ++g)
            sums<TOGETHER>(x + g * TOGETHER * cols, y + g * TOGETHER, cols);
#pragma omp for
        for (int64_t r = groups * TOGETHER; r < rows; ++r)
            sums<1>(x + r * cols, y + r, cols);
    }
}
