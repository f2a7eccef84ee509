// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/peakloops.h"

#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace rooftree::target {

namespace {

// Read at run time, so that no compiler can work out what the loops compute. The chain x = x * 0.5 + 1 stays near 2.
volatile double factor = 0.5;
volatile double addend = 1.0;

template <typename T, int bytes> struct Vector {
    typedef T type __attribute__((vector_size(bytes)));
};

} // namespace

// One text for each instruction set: a target attribute belongs to a function, and a function without it that takes part in
// the loop would be compiled for the narrow machine. 'chains' hides the latency of the multiply-add (4 cycles, two a cycle) and
// still fits the registers.
#define ROOFTREE_FMA_LOOP(name, targetAttribute, T, bytes, chains)                                                     \
    targetAttribute static double name(int64_t rounds)                                                                 \
    {                                                                                                                  \
        using V = Vector<T, bytes>::type;                                                                              \
        const V scale = V{} + static_cast<T>(factor);                                                                  \
        const V offset = V{} + static_cast<T>(addend);                                                                 \
        V x[chains];                                                                                                   \
        for (int i = 0; i < (chains); ++i)                                                                             \
            x[i] = V{} + static_cast<T>(i);                                                                            \
        for (int64_t round = 0; round < rounds; ++round)                                                               \
            for (int i = 0; i < (chains); ++i)                                                                         \
                x[i] = x[i] * scale + offset;                                                                          \
        V sum{};                                                                                                       \
        for (int i = 0; i < (chains); ++i)                                                                             \
            sum += x[i];                                                                                               \
        return static_cast<double>(sum[0]);                                                                            \
    }

#define ROOFTREE_MEMORY_LOOPS(suffix, targetAttribute, bytes)                                                          \
    targetAttribute static double sum##suffix(const double* from, std::size_t count)                                   \
    {                                                                                                                  \
        using V = Vector<double, bytes>::type;                                                                         \
        constexpr std::size_t lanes = (bytes) / sizeof(double);                                                        \
        const auto* vectors = reinterpret_cast<const V*>(from);                                                        \
        V sums[8]{};                                                                                                   \
        for (std::size_t i = 0; i < count / lanes; i += 8)                                                             \
            for (std::size_t k = 0; k < 8; ++k)                                                                        \
                sums[k] += vectors[i + k];                                                                             \
        V all{};                                                                                                       \
        for (std::size_t k = 0; k < 8; ++k)                                                                            \
            all += sums[k];                                                                                            \
        return all[0] + all[1];                                                                                        \
    }                                                                                                                  \
    targetAttribute static void triad##suffix(double* to, const double* a, const double* b, std::size_t count)         \
    {                                                                                                                  \
        using V = Vector<double, bytes>::type;                                                                         \
        constexpr std::size_t lanes = (bytes) / sizeof(double);                                                        \
        auto* out = reinterpret_cast<V*>(to);                                                                          \
        const auto* x = reinterpret_cast<const V*>(a);                                                                 \
        const auto* y = reinterpret_cast<const V*>(b);                                                                 \
        const V scale = V{} + factor;                                                                                  \
        for (std::size_t i = 0; i < count / lanes; i += 4)                                                             \
            for (std::size_t k = 0; k < 4; ++k)                                                                        \
                out[i + k] = x[i + k] + scale * y[i + k];                                                              \
    }

#if defined(__x86_64__)
#if defined(__clang__) // does not know prefer-vector-width here, and keeps the vectors that it is given
#define ROOFTREE_AVX512 __attribute__((target("avx512f,fma,avx2")))
#else
#define ROOFTREE_AVX512 __attribute__((target("avx512f,fma,avx2,prefer-vector-width=512")))
#endif
#define ROOFTREE_AVX2 __attribute__((target("avx2,fma")))
ROOFTREE_FMA_LOOP(fma32Avx512, ROOFTREE_AVX512, float, 64, 20)
ROOFTREE_FMA_LOOP(fma64Avx512, ROOFTREE_AVX512, double, 64, 20)
ROOFTREE_MEMORY_LOOPS(Avx512, ROOFTREE_AVX512, 64)
ROOFTREE_FMA_LOOP(fma32Avx2, ROOFTREE_AVX2, float, 32, 12)
ROOFTREE_FMA_LOOP(fma64Avx2, ROOFTREE_AVX2, double, 32, 12)
ROOFTREE_MEMORY_LOOPS(Avx2, ROOFTREE_AVX2, 32)
#endif
ROOFTREE_FMA_LOOP(fma32Base, , float, 16, 12)
ROOFTREE_FMA_LOOP(fma64Base, , double, 16, 12)
ROOFTREE_MEMORY_LOOPS(Base, , 16)

std::vector<PeakLoops> usablePeakLoops()
{
    // A multiply-add is two operations on each of the vector's elements.
    std::vector<PeakLoops> loops;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        loops.push_back({ "avx512", fma32Avx512, fma64Avx512, 2.0 * 16 * 20, 2.0 * 8 * 20, sumAvx512, triadAvx512 });
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        loops.push_back({ "avx2", fma32Avx2, fma64Avx2, 2.0 * 8 * 12, 2.0 * 4 * 12, sumAvx2, triadAvx2 });
#endif
    loops.push_back({ "base", fma32Base, fma64Base, 2.0 * 4 * 12, 2.0 * 2 * 12, sumBase, triadBase });
    return loops;
}

void streamingTriad(double* to, const double* a, const double* b, std::size_t count)
{
#ifdef __SSE2__
    const __m128d scale = _mm_set1_pd(factor);
    for (std::size_t i = 0; i < count; i += 2)
        _mm_stream_pd(to + i, _mm_add_pd(_mm_load_pd(a + i), _mm_mul_pd(scale, _mm_load_pd(b + i))));
    _mm_sfence();
#else
    triadBase(to, a, b, count);
#endif
}

} // namespace rooftree::target
