// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Direct convolution: register tiles of filters x pixels over a padded copy of a strip of the image and packed weights.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

#define FILTERS 8 // rooftree: tune {4, 6, 8, 12, 14}
#define VECTORS 3 // rooftree: tune {1, 2, 3, 4}
#define STRIP 28 // rooftree: tune {4, 7, 8, 14, 16, 28, 56}
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

// The register tile: filters x width pixels, no larger than the registers allow.
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

struct Shape {
    int64_t c;
    int64_t h;
    int64_t w;
    int64_t k;
    // A row of the padded copy is followed by one zero, which is also what lies left of the next row.
    int64_t pitch() const { return w + 1; }
    // One channel of a strip: a zero, a row above, the strip, a row below, and what the last tile reads too much.
    // An odd number of cache lines, so that the channels do not meet in the same sets of the cache.
    int64_t plane(int64_t rows) const { return (ceilDiv(1 + (rows + 2) * pitch() + width, 16) | 1) * 16; }
};

// Blocks of filters; in each, the weights that one step of the tile needs lie together. Missing filters are zeros.
void packWeights(const float* weights, const Shape& s, float* to)
{
    for (int64_t first = 0; first < s.k; first += filters)
        for (int64_t i = 0; i < s.c * 9; ++i)
            for (int64_t f = first; f < first + filters; ++f)
                *to++ = f < s.k ? weights[f * s.c * 9 + i] : 0.0F;
}

void copyStrip(const float* x, const Shape& s, int64_t top, int64_t rows, float* to)
{
    for (int64_t channel = 0; channel < s.c; ++channel, to += s.plane(rows)) {
        to[0] = 0;
        for (int64_t r = 0; r < rows + 2; ++r) {
            float* row = to + 1 + r * s.pitch();
            const int64_t from = top + r - 1;
            if (from >= 0 && from < s.h)
                std::copy_n(x + (channel * s.h + from) * s.w, s.w, row);
            else
                std::fill_n(row, s.w, 0.0F);
            row[s.w] = 0;
        }
    }
}

// Sums for 'filters' filters and 'width' pixels of the padded copy, the zeros between the rows included.
void convolveTile(const float* x, int64_t plane, int64_t pitch, const float* weights, int64_t c, float* tile)
{
    Vector sum[filters][vectors] = {};
#pragma GCC unroll 1
    for (int64_t channel = 0; channel < c; ++channel) {
#pragma GCC unroll 1
        for (int64_t tap = 0; tap < 9; ++tap) {
            const float* at = x + tap / 3 * pitch + tap % 3;
            Vector pixels[vectors];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v)
                pixels[v] = *reinterpret_cast<const Loose*>(at + v * lanes);
#pragma GCC unroll 16
            for (int f = 0; f < filters; ++f) {
                const float weight = weights[f];
#pragma GCC unroll 4
                for (int v = 0; v < vectors; ++v)
                    sum[f][v] += weight * pixels[v];
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
            *reinterpret_cast<Vector*>(tile + f * width + v * lanes) = sum[f][v];
    }
}

// Copies the pixels of a tile that are pixels of the image; 'first' counts in the padded strip.
void storeTile(const float* tile, const Shape& s, int64_t first, int64_t rows, int64_t count, float* y)
{
    for (int64_t row = first / s.pitch(); row < rows && row * s.pitch() < first + width; ++row) {
        const int64_t begin = std::max(first, row * s.pitch());
        const int64_t end = std::min(first + width, row * s.pitch() + s.w);
        for (int64_t f = 0; f < count && begin < end; ++f)
            std::copy(tile + f * width + begin - first, tile + f * width + end - first,
                y + f * s.h * s.w + begin - row * (s.pitch() - s.w));
    }
}

void convolveStrip(const float* strip, const float* weights, const Shape& s, int64_t rows, float* y)
{
    alignas(64) float tile[filters * width];
    for (int64_t f = 0; f < s.k; f += filters) {
        for (int64_t first = 0; first < rows * s.pitch(); first += width) {
            convolveTile(strip + first, s.plane(rows), s.pitch(), weights + f * s.c * 9, s.c, tile);
            storeTile(tile, s, first, rows, std::min<int64_t>(filters, s.k - f), y + f * s.h * s.w);
        }
    }
}

} // namespace

extern "C" void conv2d(
    const float* x, const float* weights, float* y, int64_t n, int64_t c, int64_t h, int64_t w, int64_t k)
{
    const Shape s{ c, h, w, k };
    const int64_t sizeWeights = ceilDiv(ceilDiv(k, filters) * filters * c * 9, 16) * 16;
#pragma omp parallel
    {
        float* packed = scratch(sizeWeights + c * s.plane(std::min<int64_t>(STRIP, h)));
        packWeights(weights, s, packed);
#pragma omp for collapse(2) schedule(static)
        for (int64_t image = 0; image < n; ++image) {
            for (int64_t top = 0; top < h; top += STRIP) {
                const int64_t rows = std::min<int64_t>(STRIP, h - top);
                copyStrip(x + image * c * h * w, s, top, rows, packed + sizeWeights);
                convolveStrip(packed + sizeWeights, packed, s, rows, y + (image * k * h + top) * w);
            }
        }
    }
}
