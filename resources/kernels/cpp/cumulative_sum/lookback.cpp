// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// One sweep: each chunk is summed, waits for the sum before it, and is scanned from the cache of the core.
// rooftree: flags {"-O3 -march=native", "-O3 -march=native -ffast-math", "-O2 -march=native"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <cstring>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#define CHUNK 65536 // rooftree: tune {16384, 65536, 131072}
#define STREAM 1 // rooftree: tune {0, 1}
#define UNROLL 4 // rooftree: tune {2, 4, 8}

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

// Sum of the values.
float totalOf(const float* in, int64_t count)
{
    Vec sum[UNROLL] = {};
    int64_t c = 0;
    for (; c + UNROLL * lanes <= count; c += UNROLL * lanes) {
        for (int64_t k = 0; k < UNROLL; ++k) {
            const Vec v = load(in + c + k * lanes);
            sum[k] += v;
        }
    }
    for (; c + lanes <= count; c += lanes) {
        const Vec v = load(in + c);
        sum[0] += v;
    }
    Vec all = {};
    for (const Vec& v : sum)
        all += v;
    float result = sumOf(all);
    for (; c < count; ++c)
        result += in[c];
    return result;
}

// Prefix sums within the vector: four steps that each double the reach.
inline Vec prefixOf(Vec v)
{
    const Vec zero = {};
    v += __builtin_shufflevector(zero, v, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
    v += __builtin_shufflevector(zero, v, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);
    v += __builtin_shufflevector(zero, v, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27);
    v += __builtin_shufflevector(zero, v, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
    return v;
}

// Writes the running sums of in, which begin at start; the last one comes back.
float scanned(const float* in, float* out, int64_t count, float start)
{
    int64_t c = 0;
    for (const int64_t head = headOf(out, count); c < head; ++c)
        out[c] = start += in[c];
    Vec carry = Vec{} + start;
    for (; c + lanes <= count; c += lanes) {
        const Vec prefix = prefixOf(load(in + c));
        put(out + c, prefix + carry);
        carry +=
            __builtin_shufflevector(prefix, prefix, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15);
    }
    start = carry[0];
    for (; c < count; ++c)
        out[c] = start += in[c];
    return start;
}

} // namespace

extern "C" void cumulative_sum(const float* x, float* y, int64_t rows, int64_t cols)
{
    if (cols <= CHUNK) {
#pragma omp parallel
        {
#pragma omp for schedule(dynamic, 16)
            for (int64_t r = 0; r < rows; ++r)
                scanned(x + r * cols, y + r * cols, cols, 0);
            fence();
        }
        return;
    }
    // The threads take the chunks in turn; only the passing on of the sum is serial.
    const int64_t chunks = (cols + CHUNK - 1) / CHUNK;
    double before = 0;
#pragma omp parallel
    {
#pragma omp for ordered schedule(static, 1)
        for (int64_t i = 0; i < rows * chunks; ++i) {
            const int64_t c = i % chunks * CHUNK;
            const int64_t at = i / chunks * cols + c;
            const int64_t length = std::min<int64_t>(CHUNK, cols - c);
            const float total = totalOf(x + at, length);
            float start = 0;
#pragma omp ordered
            {
                before = c == 0 ? 0 : before;
                start = float(before);
                before += total;
            }
            scanned(x + at, y + at, length, start);
        }
        fence();
    }
}
