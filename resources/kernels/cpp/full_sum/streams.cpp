// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Sum with each thread walking several distant blocks at once, which keeps more memory requests in flight.
// rooftree: flags {"-O3 -march=native", "-O3 -march=native -ffast-math", "-O2 -march=native"}
// rooftree: compiler {"g++", "clang++"}
#include <cstdint>
#include <cstring>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#define STREAMS 4 // rooftree: tune {2, 4, 8}
#define BLOCK 16384 // rooftree: tune {4096, 16384, 65536}

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

// The sum of STREAMS blocks that follow one another, all read side by side.
float sumOfBlocks(const float* in)
{
    Vec sum[STREAMS] = {};
    for (int64_t c = 0; c < BLOCK; c += lanes)
        for (int64_t s = 0; s < STREAMS; ++s)
            sum[s] += load(in + s * BLOCK + c);
    Vec all = {};
    for (const Vec& v : sum)
        all += v;
    return sumOf(all);
}

} // namespace

extern "C" void full_sum(const float* x, float* y, int64_t n)
{
    constexpr int64_t group = int64_t(STREAMS) * BLOCK;
    const int64_t whole = n / group * group;
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < whole; i += group)
        sum += sumOfBlocks(x + i);
    for (int64_t i = whole; i < n; ++i)
        sum += x[i];
    y[0] = float(sum);
}
