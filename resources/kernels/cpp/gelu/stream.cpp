// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Exact gelu by a polynomial for the normal distribution; results bypass the caches.
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
inline void storeThrough(float* to, Vec value)
{
    *reinterpret_cast<Vec*>(to) = value;
}
inline void fence() { }
#endif

// x Phi(x). Phi(x) - 1/2 is x times a polynomial in x squared, to 2e-7; beyond 5.5 Phi is 0 or 1 for a float.
inline Vec geluOf(Vec x)
{
    constexpr float edge = 5.5f;
    const Vec z = smaller(larger(x, Vec{} - edge), Vec{} + edge);
    const Vec u = z * z * (2 / (edge * edge)) - 1.0f;
    Vec p = u * -0.00121277094f + 0.00284096997f;
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
    return x * (z * p + 0.5f);
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
void part(const float* x, float* y, int64_t count)
{
    Vec vx = {};
    std::memcpy(&vx, x, count * sizeof(float));
    const Vec result = geluOf(vx);
    std::memcpy(y, &result, count * sizeof(float));
}

} // namespace

extern "C" void gelu(const float* x, float* y, int64_t n)
{
    // Up to where y is aligned to a vector, which streaming stores ask for.
    const int64_t head = std::min<int64_t>(n, -(reinterpret_cast<uintptr_t>(y) / sizeof(float)) % lanes);
    const int64_t end = head + (n - head) / lanes * lanes;
    part(x, y, head);
#pragma omp parallel
    {
#pragma omp for schedule(SCHEDULE)
        for (int64_t i = head; i < end; i += lanes) {
#if AHEAD
            __builtin_prefetch(x + i + AHEAD);
#endif
            put(y + i, geluOf(load(x + i)));
        }
        fence();
    }
    part(x + end, y + end, n - end);
}
