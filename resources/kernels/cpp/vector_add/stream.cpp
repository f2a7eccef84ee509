// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Sum by whole vectors; results bypass the caches.
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
inline void storeThrough(float* to, Vec value)
{
    _mm512_stream_ps(to, value);
}
inline void fence()
{
    _mm_sfence();
}
#else
inline void storeThrough(float* to, Vec value)
{
    *reinterpret_cast<Vec*>(to) = value;
}
inline void fence() { }
#endif

inline Vec sumOf(Vec a, Vec b)
{
    return a + b;
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
void part(const float* a, const float* b, float* c, int64_t count)
{
    Vec va = {}, vb = {};
    std::memcpy(&va, a, count * sizeof(float));
    std::memcpy(&vb, b, count * sizeof(float));
    const Vec result = sumOf(va, vb);
    std::memcpy(c, &result, count * sizeof(float));
}

} // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int64_t n)
{
    // Up to where c is aligned to a vector, which streaming stores ask for.
    const int64_t head = std::min<int64_t>(n, -(reinterpret_cast<uintptr_t>(c) / sizeof(float)) % lanes);
    const int64_t end = head + (n - head) / lanes * lanes;
    part(a, b, c, head);
#pragma omp parallel
    {
#pragma omp for schedule(SCHEDULE)
        for (int64_t i = head; i < end; i += lanes) {
#if AHEAD
            __builtin_prefetch(a + i + AHEAD);
            __builtin_prefetch(b + i + AHEAD);
#endif
            put(c + i, sumOf(load(a + i), load(b + i)));
        }
        fence();
    }
    part(a + end, b + end, c + end, n - end);
}
