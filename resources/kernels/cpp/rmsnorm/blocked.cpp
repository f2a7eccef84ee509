// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Root mean square normalisation: squares, then the results from the cache of the core.
// rooftree: flags {"-O3 -march=native", "-O3 -march=native -ffast-math", "-O2 -march=native"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#define UNROLL 4 // rooftree: tune {2, 4, 8}
#define STREAM 1 // rooftree: tune {0, 1}
#define AHEAD 4096 // rooftree: tune {0, 1024, 4096, 8192}
#define ROWS_PER_TASK 16 // rooftree: tune {1, 4, 16, 64}

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
inline void storeThrough(float* to, Vec value)
{
    _mm512_stream_ps(to, value);
}
inline void fence()
{
    _mm_sfence();
}
#else
inline float sumOf(Vec v)
{
    float sum = 0;
    for (int64_t i = 0; i < lanes; ++i)
        sum += v[i];
    return sum;
}
inline void storeThrough(float* to, Vec value)
{
    *reinterpret_cast<Vec*>(to) = value;
}
inline void fence() { }
#endif

inline void put(float* to, Vec value)
{
#if STREAM
    storeThrough(to, value);
#else
    store(to, value);
#endif
}

// How many elements come before out is aligned to a vector, which streaming stores ask for.
inline int64_t headOf(const float* out, int64_t count)
{
    return std::min<int64_t>(count, -(reinterpret_cast<uintptr_t>(out) / sizeof(float)) % lanes);
}

// Sum of squares.
float squaresOf(const float* in, int64_t count)
{
    Vec sum[UNROLL] = {};
    int64_t c = 0;
    for (; c + UNROLL * lanes <= count; c += UNROLL * lanes) {
        for (int64_t k = 0; k < UNROLL; ++k) {
            const Vec v = load(in + c + k * lanes);
            sum[k] += v * v;
        }
    }
    for (; c + lanes <= count; c += lanes) {
        const Vec v = load(in + c);
        sum[0] += v * v;
    }
    Vec all = {};
    for (const Vec& v : sum)
        all += v;
    float result = sumOf(all);
    for (; c < count; ++c)
        result += in[c] * in[c];
    return result;
}

void scaled(const float* in, const float* weight, float* out, int64_t count, float scale)
{
    int64_t c = 0;
    for (const int64_t head = headOf(out, count); c < head; ++c)
        out[c] = in[c] * scale * weight[c];
    for (; c + lanes <= count; c += lanes) {
#if AHEAD
        __builtin_prefetch(in + c + AHEAD);
#endif
        put(out + c, load(in + c) * scale * load(weight + c));
    }
    for (; c < count; ++c)
        out[c] = in[c] * scale * weight[c];
}

} // namespace

extern "C" void rmsnorm(const float* x, const float* weight, float* y, int64_t rows, int64_t cols)
{
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, ROWS_PER_TASK)
        for (int64_t r = 0; r < rows; ++r) {
            const float* in = x + r * cols;
            const float scale = 1 / std::sqrt(squaresOf(in, cols) / float(cols) + 1e-6f);
            scaled(in, weight, y + r * cols, cols, scale);
        }
        fence();
    }
}
