// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Gated unit with a polynomial exponential; results bypass the caches.
// rooftree: flags {"-O3 -march=native", "-O3 -march=native -ffast-math", "-O2 -march=native"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <cstring>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#define STREAM 1 // rooftree: tune {0, 1}
#define AHEAD 0 // rooftree: tune {0, 512, 1024, 4096}
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

inline Vec siluTimes(Vec gate, Vec up)
{
    const Vec limited = smaller(larger(gate, Vec{} - 87.0f), Vec{} + 87.0f);
    return gate * up / (1.0f + expOf(-limited));
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
void part(const float* gate, const float* up, float* y, int64_t count)
{
    Vec vgate = {}, vup = {};
    std::memcpy(&vgate, gate, count * sizeof(float));
    std::memcpy(&vup, up, count * sizeof(float));
    const Vec result = siluTimes(vgate, vup);
    std::memcpy(y, &result, count * sizeof(float));
}

} // namespace

extern "C" void silu_mul(const float* gate, const float* up, float* y, int64_t n)
{
    // Up to where y is aligned to a vector, which streaming stores ask for.
    const int64_t head = std::min<int64_t>(n, -(reinterpret_cast<uintptr_t>(y) / sizeof(float)) % lanes);
    const int64_t end = head + (n - head) / lanes * lanes;
    part(gate, up, y, head);
#pragma omp parallel
    {
#pragma omp for schedule(SCHEDULE)
        for (int64_t i = head; i < end; i += lanes) {
#if AHEAD
            __builtin_prefetch(gate + i + AHEAD);
            __builtin_prefetch(up + i + AHEAD);
#endif
            put(y + i, siluTimes(load(gate + i), load(up + i)));
        }
        fence();
    }
    part(gate + end, up + end, y + end, n - end);
}
