// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Direct convolution: register tiles of filters x positions over a padded copy of a piece of the line and packed weights.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

#define FILTERS 8 // rooftree: tune {4, 6, 8, 12, 14}
#define VECTORS 3 // rooftree: tune {1, 2, 3, 4}
#define STRIP 480 // rooftree: tune {96, 192, 240, 480, 960, 1920}
// rooftree: require FILTERS * VECTORS + VECTORS <= 31

namespace {

#if defined(__AVX512F__)
constexpr int lanes = 16;
constexpr int registers = 32;
#elif defined(__AVX__)
constexpr int lanes = 8;
constexpr int registers = 16;
#else
constexpr int lanes = 4;
constexpr int registers = 16;
#endif
typedef float Vector __attribute__((vector_size(4 * lanes)));
typedef float Loose __attribute__((vector_size(4 * lanes), aligned(4), may_alias)); // at any address

// The register tile: filters x width positions, no larger than the registers allow.
constexpr int vectors = std::min(VECTORS, registers / 8);
constexpr int filters = std::min(FILTERS, (registers - 1 - vectors) / vectors);
constexpr int width = vectors * lanes;

constexpr int64_t ceilDiv(int64_t x, int64_t y)
{
    return (x + y - 1) / y;
}

struct Free {
    void operator()(float* p) const { std::free(p); }
};

// Each thread's own memory. It grows and is kept, since fresh pages cost more than copying does.
float* scratch(int64_t floats)
{
    thread_local std::unique_ptr<float, Free> buffer;
    thread_local int64_t size = 0;
    if (size < floats) {
        buffer.reset(static_cast<float*>(std::aligned_alloc(64, ceilDiv(floats, 16) * 64)));
        size = buffer ? floats : 0;
    }
    return buffer.get();
}

constexpr int64_t taps = 5;
constexpr int64_t pad = taps / 2;
// One channel of a strip: its padding and what the last tile reads too much. An odd number of cache lines, so that the channels
// do not meet in the same sets of the cache.
constexpr int64_t plane = (ceilDiv(STRIP + 2 * pad + width, 16) | 1) * 16;

// Blocks of filters; in each, the weights that one step of the tile needs lie together. Missing filters are zeros.
void packWeights(const float* weights, int64_t c, int64_t k, float* to)
{
    for (int64_t first = 0; first < k; first += filters)
        for (int64_t i = 0; i < c * taps; ++i)
            for (int64_t f = first; f < first + filters; ++f)
                *to++ = f < k ? weights[f * c * taps + i] : 0.0F;
}

void copyStrip(const float* x, int64_t c, int64_t l, int64_t first, float* to)
{
    const int64_t from = first - pad;
    const int64_t begin = std::max<int64_t>(0, from);
    const int64_t end = std::min(l, first + STRIP + pad);
    for (int64_t channel = 0; channel < c; ++channel, to += plane) {
        std::fill_n(to, begin - from, 0.0F);
        float* rest = std::copy(x + channel * l + begin, x + channel * l + end, to + begin - from);
        std::fill(rest, to + plane, 0.0F);
    }
}

// y = sums for 'filters' filters and 'width' positions.
void convolveTile(const float* x, const float* weights, int64_t c, float* y, int64_t stride)
{
    Vector sum[filters][vectors] = {};
#pragma GCC unroll 1
    for (int64_t channel = 0; channel < c; ++channel) {
#pragma GCC unroll 1
        for (int64_t tap = 0; tap < taps; ++tap) {
            Vector line[vectors];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v)
                line[v] = *reinterpret_cast<const Loose*>(x + tap + v * lanes);
#pragma GCC unroll 16
            for (int f = 0; f < filters; ++f) {
                const float weight = weights[f];
#pragma GCC unroll 4
                for (int v = 0; v < vectors; ++v)
                    sum[f][v] += weight * line[v];
                asm volatile(
                    "" ::
                        : "memory"); // else clang loads all weights first and has no registers left for the sums
            }
            weights += filters;
        }
        x += plane;
    }
#pragma GCC unroll 16
    for (int f = 0; f < filters; ++f) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            *reinterpret_cast<Loose*>(y + f * stride + v * lanes) = sum[f][v];
    }
}

// 'length' positions of a line for all filters. Tiles that hang over an edge go through a buffer.
void convolveStrip(const float* strip, const float* weights, int64_t c, int64_t k, int64_t length, float* y, int64_t l)
{
    alignas(64) float tile[filters * width];
    for (int64_t f = 0; f < k; f += filters) {
        const float* block = weights + f * c * taps;
        for (int64_t i = 0; i < length; i += width) {
            float* to = y + f * l + i;
            if (f + filters <= k && i + width <= length) {
                convolveTile(strip + i, block, c, to, l);
                continue;
            }
            convolveTile(strip + i, block, c, tile, width);
            for (int64_t row = 0; row < std::min<int64_t>(filters, k - f); ++row)
                std::copy_n(tile + row * width, std::min<int64_t>(width, length - i), to + row * l);
        }
    }
}

} // namespace

extern "C" void conv1d(const float* x, const float* weights, float* y, int64_t n, int64_t c, int64_t l, int64_t k)
{
    const int64_t sizeWeights = ceilDiv(ceilDiv(k, filters) * filters * c * taps, 16) * 16;
#pragma omp parallel
    {
        float* packed = scratch(sizeWeights + c * plane);
        packWeights(weights, c, k, packed);
#pragma omp for collapse(2) schedule(static)
        for (int64_t image = 0; image < n; ++image) {
            for (int64_t first = 0; first < l; first += STRIP) {
                copyStrip(x + image * c * l, c, l, first, packed + sizeWeights);
                convolveStrip(packed + sizeWeights, packed, c, k, std::min<int64_t>(STRIP, l - first),
                    y + image * k * l + first, l);
            }
        }
    }
}
