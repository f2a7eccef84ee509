// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Sum as a tree: vector lanes within a block, doubles over blocks and threads.
// rooftree: flags {"-O3 -march=native", "-O3 -march=native -ffast-math", "-O2 -march=native"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <cstring>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#define UNROLL 8 // rooftree: tune {2, 4, 8, 16}
#define AHEAD 0 // rooftree: tune {0, 512, 1024, 4096}
#define BLOCK 16384 // rooftree: tune {4096, 16384, 65536}
#define SCHEDULE static // rooftree: tune {static, guided}

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

// Whole vectors first, in UNROLL independent chains.
float sumOf(const float* in, int64_t count)
{
    Vec sum[UNROLL] = {};
    int64_t c = 0;
    for (; c + UNROLL * lanes <= count; c += UNROLL * lanes) {
        for (int64_t k = 0; k < UNROLL; ++k) {
#if AHEAD
            __builtin_prefetch(in + c + k * lanes + AHEAD);
#endif
            sum[k] += load(in + c + k * lanes);
        }
    }
    for (; c + lanes <= count; c += lanes)
        sum[0] += load(in + c);
    Vec all = {};
    for (const Vec& v : sum)
        all += v;
    float result = sumOf(all);
    for (; c < count; ++c)
        result += in[c];
    return result;
}

} // namespace

extern "C" void full_sum(const float* x, float* y, int64_t n)
{
    double sum = 0;
#pragma omp parallel for schedule(SCHEDULE) reduction(+ : sum)
    for (int64_t i = 0; i < n; i += BLOCK)
        sum += sumOf(x + i, std::min<int64_t>(BLOCK, n - i));
    y[0] = float(sum);
}
