// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Softmax of several short rows at a time, so that the chains of one row hide behind the others.
// rooftree: flags {"-O3 -march=native", "-O3 -march=native -ffast-math", "-O2 -march=native"}
// rooftree: compiler {"g++", "clang++"}
#include <cstdint>
#include <cstring>
#include <vector>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#define TOGETHER 4 // rooftree: tune {2, 4, 8}
#define STREAM 1 // rooftree: tune {0, 1}
#define GROUPS_PER_TASK 16 // rooftree: tune {4, 16, 64}
#define AHEAD 4096 // rooftree: tune {0, 1024, 4096, 8192}

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
inline float largestOf(Vec v)
{
    return _mm512_reduce_max_ps(v);
}
inline float sumOf(Vec v)
{
    return _mm512_reduce_add_ps(v);
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
inline float largestOf(Vec v)
{
    float largest = v[0];
    for (int64_t i = 1; i < lanes; ++i)
        largest = v[i] > largest ? v[i] : largest;
    return largest;
}
inline float sumOf(Vec v)
{
    float sum = 0;
    for (int64_t i = 0; i < lanes; ++i)
        sum += v[i];
    return sum;
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

// A vector that ends with padding.
inline Vec loadPart(const float* from, int64_t count, float padding)
{
    Vec value = Vec{} + padding;
    for (int64_t k = 0; k < count; ++k)
        value[k] = from[k];
    return value;
}

// The rows lie one after the other in 'in'; 'hold' has room for count rounded up to whole vectors for each.
template <int n> void exponentials(const float* in, float* hold, int64_t count, int64_t pitch, float* factor)
{
    const int64_t whole = count / lanes * lanes;
    Vec m[n];
    for (int k = 0; k < n; ++k)
        m[k] = loadPart(in + k * count + whole, count - whole, in[k * count]);
    for (int64_t c = 0; c < whole; c += lanes)
        for (int k = 0; k < n; ++k)
            m[k] = larger(m[k], load(in + k * count + c));
    float largest[n];
    for (int k = 0; k < n; ++k)
        largest[k] = largestOf(m[k]);
    Vec sum[n] = {};
    for (int64_t c = 0; c < whole; c += lanes) {
        for (int k = 0; k < n; ++k) {
#if AHEAD
            __builtin_prefetch(in + k * count + c + AHEAD);
#endif
            const Vec e = expOf(load(in + k * count + c) - largest[k]);
            store(hold + k * pitch + c, e);
            sum[k] += e;
        }
    }
    for (int k = 0; k < n; ++k) {
        if (whole < count) { // e^-120 counts nothing in the sum
            const Vec e = expOf(loadPart(in + k * count + whole, count - whole, largest[k] - 120) - largest[k]);
            store(hold + k * pitch + whole, e);
            sum[k] += e;
        }
        factor[k] = 1 / sumOf(sum[k]);
    }
}

void scaled(const float* hold, float* out, int64_t count, float factor)
{
    int64_t c = 0;
#if STREAM
    for (; c < count && reinterpret_cast<uintptr_t>(out + c) % sizeof(Vec) != 0; ++c)
        out[c] = hold[c] * factor;
    for (; c + lanes <= count; c += lanes)
        storeThrough(out + c, load(hold + c) * factor);
#else
    for (; c + lanes <= count; c += lanes)
        store(out + c, load(hold + c) * factor);
#endif
    for (; c < count; ++c)
        out[c] = hold[c] * factor;
}

template <int n> void rowsTogether(const float* in, float* out, float* hold, int64_t cols)
{
    const int64_t pitch = (cols + lanes - 1) / lanes * lanes;
    float factor[n];
    exponentials<n>(in, hold, cols, pitch, factor);
    for (int k = 0; k < n; ++k)
        scaled(hold + k * pitch, out + k * cols, cols, factor[k]);
}

} // namespace

extern "C" void softmax(const float* x, float* y, int64_t rows, int64_t cols)
{
    const int64_t groups = rows / TOGETHER;
#pragma omp parallel
    {
        std::vector<float> hold(TOGETHER * (cols + lanes));
#pragma omp for schedule(dynamic, GROUPS_PER_TASK) nowait
        for (int64_t g = 0; g < groups; ++g)
            rowsTogether<TOGETHER>(x + g * TOGETHER * cols, y + g * TOGETHER * cols, hold.data(), cols);
#pragma omp for
        for (int64_t r = groups * TOGETHER; r < rows; ++r)
            rowsTogether<1>(x + r * cols, y + r * cols, hold.data(), cols);
        fence();
    }
}
