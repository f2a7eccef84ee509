// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Bias and tanh gelu by whole vectors along each row; results bypass the caches.
// rooftree: flags {"-O3 -march=native", "-O3 -march=native -ffast-math", "-O2 -march=native"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <cstring>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#define STREAM 1 // rooftree: tune {0, 1}
#define AHEAD 0 // rooftree: tune {0, 1024, 4096}
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
inline Vec larger(Vec a, Vec b)
{
    return _mm512_max_ps(a, b);
}
inline Vec smaller(Vec a, Vec b)
{
    return _mm512_min_ps(a, b);
}
inline Vec nearest(Vec a)
{
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline Vec timesPowerOfTwo(Vec a, Vec exponent)
{
    return _mm512_scalef_ps(a, exponent);
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
inline Vec larger(Vec a, Vec b)
{
    return a > b ? a : b;
}
inline Vec smaller(Vec a, Vec b)
{
    return a < b ? a : b;
}
using Whole = int32_t __attribute__((vector_size(64)));
inline Vec nearest(Vec a)
{
    const Vec half = a < 0.0f ? Vec{} - 0.5f : Vec{} + 0.5f;
    return __builtin_convertvector(__builtin_convertvector(a + half, Whole), Vec);
}
inline Vec timesPowerOfTwo(Vec a, Vec exponent)
{
    const Vec low = Vec{} - 126.0f;
    const Whole e = __builtin_convertvector(exponent > low ? exponent : low, Whole);
    return a * reinterpret_cast<Vec>((e + 127) << 23);
}
inline void storeThrough(float* to, Vec value)
{
    *reinterpret_cast<Vec*>(to) = value;
}
inline void fence() { }
#endif

// exp(x) to 2 ulp: 2^n times a polynomial in the fraction of x log2(e).
inline Vec expOf(Vec x)
{
    constexpr float log2e = 1.44269502f;
    constexpr float log2eRest = 1.92596299e-8f;
    const Vec n = nearest(x * log2e);
    const Vec f = x * log2eRest + (x * log2e - n);
    Vec p = f * 0.00132764718f + 0.00967554133f;
    p = p * f + 0.0555071327f;
    p = p * f + 0.240221197f;
    p = p * f + 0.693146967f;
    p = p * f + 1.00000007f;
    return timesPowerOfTwo(p, n);
}

// The tanh form is v times the sigmoid of twice the inner value.
inline Vec geluOf(Vec v)
{
    const Vec inner = v * (1.59576912f + 0.0713548163f * v * v);
    return v / (1.0f + expOf(smaller(larger(-inner, Vec{} - 87.0f), Vec{} + 87.0f)));
}

inline void put(float* to, Vec value)
{
#if STREAM
    storeThrough(to, value);
#else
    store(to, value);
#endif
}

// The first count elements, fewer than a vector has.
void part(const float* x, const float* bias, float* y, int64_t count)
{
    Vec v = {};
    Vec b = {};
    std::memcpy(&v, x, count * sizeof(float));
    std::memcpy(&b, bias, count * sizeof(float));
    const Vec result = geluOf(v + b);
    std::memcpy(y, &result, count * sizeof(float));
}

void row(const float* x, const float* bias, float* y, int64_t cols)
{
    // Up to where y is aligned to a vector, which streaming stores ask for.
    const int64_t head = std::min<int64_t>(cols, -(reinterpret_cast<uintptr_t>(y) / sizeof(float)) % lanes);
    const int64_t end = head + (cols - head) / lanes * lanes;
    part(x, bias, y, head);
    for (int64_t c = head; c < end; c += lanes) {
#if AHEAD
        __builtin_prefetch(x + c + AHEAD);
#endif
        put(y + c, geluOf(load(x + c) + load(bias + c)));
    }
    part(x + end, bias + end, y + end, cols - end);
}

} // namespace

extern "C" void bias_gelu(const float* x, const float* bias, float* y, int64_t rows, int64_t cols)
{
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, ROWS_PER_TASK)
        for (int64_t r = 0; r < rows; ++r)
            row(x + r * cols, bias, y + r * cols, cols);
        fence();
    }
}
