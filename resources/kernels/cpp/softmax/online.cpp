// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Softmax in two passes: maximum and sum together with rescaling, then the results; long rows are shared by the threads.
// rooftree: flags {"-O3 -march=native", "-O3 -march=native -ffast-math", "-O2 -march=native"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#define CHUNK 512 // rooftree: tune {128, 512, 2048}
#define PREFETCH 0 // rooftree: tune {0, 1}
#define SEGMENT 16384 // rooftree: tune {4096, 16384, 65536}
#define STREAM 1 // rooftree: tune {0, 1}

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

struct Partial {
    float largest;
    float sum; // of exp(value - largest)
};

inline Partial merged(Partial a, Partial b)
{
    const float largest = std::max(a.largest, b.largest);
    return { largest, a.sum * std::exp(a.largest - largest) + b.sum * std::exp(b.largest - largest) };
}

Vec largestOf(const float* in, int64_t count)
{
    Vec m[2] = { load(in), load(in + lanes) };
    for (int64_t c = 2 * lanes; c < count; c += 2 * lanes)
        for (int64_t k = 0; k < 2; ++k)
            m[k] = larger(m[k], load(in + c + k * lanes));
    return larger(m[0], m[1]);
}

// One pass: each chunk is read for its maximum and again, from the L1 cache, for its sum; the sum so far is scaled when a
// chunk raises the maximum of a lane. The next chunk is fetched meanwhile.
Partial partialOf(const float* in, int64_t count)
{
    Vec largest = Vec{} + in[0];
    Vec sum = {};
    int64_t c = 0;
    for (; c + CHUNK <= count; c += CHUNK) {
        const Vec next = larger(largest, largestOf(in + c, CHUNK));
        Vec added[2] = { sum * expOf(largest - next), Vec{} };
        for (int64_t i = 0; i < CHUNK; i += 2 * lanes)
            for (int64_t k = 0; k < 2; ++k) {
#if PREFETCH
                __builtin_prefetch(in + c + i + k * lanes + CHUNK);
#endif
                added[k] += expOf(load(in + c + i + k * lanes) - next);
            }
        sum = added[0] + added[1];
        largest = next;
    }
    for (; c < count; c += lanes) {
        const int64_t rest = std::min(lanes, count - c);
        const Vec values = loadPart(in + c, rest, largestOf(largest) - 120);
        const Vec next = larger(largest, values);
        sum = sum * expOf(largest - next) + expOf(values - next);
        largest = next;
    }
    const float all = largestOf(largest);
    return { all, sumOf(sum * expOf(largest - all)) };
}

void results(const float* in, float* out, int64_t count, Partial of)
{
    const float factor = 1 / of.sum;
    int64_t c = 0;
#if STREAM
    for (; c < count && reinterpret_cast<uintptr_t>(out + c) % sizeof(Vec) != 0; ++c)
        out[c] = std::exp(in[c] - of.largest) * factor;
    for (; c + lanes <= count; c += lanes)
        storeThrough(out + c, expOf(load(in + c) - of.largest) * factor);
#else
    for (; c + lanes <= count; c += lanes)
        store(out + c, expOf(load(in + c) - of.largest) * factor);
#endif
    for (; c < count; ++c)
        out[c] = std::exp(in[c] - of.largest) * factor;
}

inline Partial whole(const std::vector<Partial>& parts, int64_t first, int64_t count)
{
    Partial result = parts[first];
    for (int64_t s = 1; s < count; ++s)
        result = merged(result, parts[first + s]);
    return result;
}

} // namespace

extern "C" void softmax(const float* x, float* y, int64_t rows, int64_t cols)
{
    const int64_t segments = (cols + SEGMENT - 1) / SEGMENT;
    if (segments == 1) {
#pragma omp parallel
        {
#pragma omp for schedule(dynamic, 8)
            for (int64_t r = 0; r < rows; ++r)
                results(x + r * cols, y + r * cols, cols, partialOf(x + r * cols, cols));
            fence();
        }
        return;
    }
    std::vector<Partial> parts(rows * segments);
#pragma omp parallel
    {
#pragma omp for collapse(2) schedule(dynamic, 1)
        for (int64_t r = 0; r < rows; ++r)
            for (int64_t s = 0; s < segments; ++s)
                parts[r * segments + s] =
                    partialOf(x + r * cols + s * SEGMENT, std::min<int64_t>(SEGMENT, cols - s * SEGMENT));
#pragma omp for collapse(2) schedule(dynamic, 1)
        for (int64_t r = 0; r < rows; ++r)
            for (int64_t s = 0; s < segments; ++s)
                results(x + r * cols + s * SEGMENT, y + r * cols + s * SEGMENT,
                    std::min<int64_t>(SEGMENT, cols - s * SEGMENT), whole(parts, r * segments, segments));
        fence();
    }
}
