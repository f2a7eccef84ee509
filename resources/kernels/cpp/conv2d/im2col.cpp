// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// im2col: the pixels that a tile of the image needs are laid out as a small matrix, which all filters multiply in register tiles.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

#define FILTERS 8 // rooftree: tune {4, 6, 8, 12, 14}
#define VECTORS 3 // rooftree: tune {1, 2, 3, 4}
#define TILES 2 // rooftree: tune {1, 2, 4, 8}
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
};

// Blocks of filters; in each, the weights that one step of the tile needs lie together. Missing filters are zeros.
void packWeights(const float* weights, const Shape& s, float* to)
{
    for (int64_t first = 0; first < s.k; first += filters)
        for (int64_t i = 0; i < s.c * 9; ++i)
            for (int64_t f = first; f < first + filters; ++f)
                *to++ = f < s.k ? weights[f * s.c * 9 + i] : 0.0F;
}

// A run of pixels of one row of the image, and where it lies in a tile.
struct Run {
    int64_t row;
    int64_t column;
    int64_t length;
    int64_t at;
};

// What one tap sees of a channel for a run: the pixels shifted by (down, right), zeros outside.
void copyShifted(const float* x, const Shape& s, const Run& run, int64_t down, int64_t right, float* to)
{
    const int64_t row = run.row + down;
    if (row < 0 || row >= s.h) {
        std::fill_n(to, run.length, 0.0F);
        return;
    }
    const int64_t from = run.column + right;
    const int64_t left = from < 0 ? 1 : 0;
    const int64_t over = from + run.length > s.w ? 1 : 0;
    if (left != 0)
        to[0] = 0;
    for (int64_t i = left; i < run.length - over; ++i)
        to[i] = x[row * s.w + from + i];
    if (over != 0)
        to[run.length - 1] = 0;
}

// The matrix of a tile: for each channel and tap a row of 'width' pixels, starting with pixel 'first' of the image.
void layOut(const float* x, const Shape& s, int64_t first, float* to)
{
    const int64_t end = std::min(first + width, s.h * s.w);
    for (int64_t channel = 0; channel < s.c; ++channel, to += 9 * width) {
        for (int64_t pixel = first; pixel < end;) {
            const int64_t column = pixel % s.w;
            const Run run{ pixel / s.w, column, std::min(s.w - column, end - pixel), pixel - first };
            for (int64_t tap = 0; tap < 9; ++tap)
                copyShifted(x + channel * s.h * s.w, s, run, tap / 3 - 1, tap % 3 - 1, to + tap * width + run.at);
            pixel += run.length;
        }
    }
}

// y = the weights of 'filters' filters times the matrix.
void multiplyTile(const float* pixels, const float* weights, int64_t depth, float* y, int64_t stride)
{
    Vector sum[filters][vectors] = {};
#pragma GCC unroll 1
    for (int64_t p = 0; p < depth; ++p) {
        Vector row[vectors];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            row[v] = *reinterpret_cast<const Vector*>(pixels + p * width + v * lanes);
#pragma GCC unroll 16
        for (int f = 0; f < filters; ++f) {
            const float weight = weights[p * filters + f];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v)
                sum[f][v] += weight * row[v];
            asm volatile("" ::: "memory"); // else clang loads all weights first and has no registers left for the sums
        }
    }
#pragma GCC unroll 16
    for (int f = 0; f < filters; ++f) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            *reinterpret_cast<Loose*>(y + f * stride + v * lanes) = sum[f][v];
    }
}

// All filters for TILES tiles. Tiles that hang over an edge go through a buffer.
void multiplyTiles(const float* matrices, const float* weights, const Shape& s, int64_t first, float* y)
{
    alignas(64) float tile[filters * width];
    const int64_t depth = 9 * s.c;
    const int64_t size = s.h * s.w;
    for (int64_t f = 0; f < s.k; f += filters) {
        for (int64_t t = 0; t < TILES && first + t * width < size; ++t) {
            const int64_t pixel = first + t * width;
            const float* matrix = matrices + t * depth * width;
            float* to = y + f * size + pixel;
            if (f + filters <= s.k && pixel + width <= size) {
                multiplyTile(matrix, weights + f * depth, depth, to, size);
                continue;
            }
            multiplyTile(matrix, weights + f * depth, depth, tile, width);
            for (int64_t row = 0; row < std::min<int64_t>(filters, s.k - f); ++row)
                std::copy_n(tile + row * width, std::min<int64_t>(width, size - pixel), to + row * size);
        }
    }
}

} // namespace

extern "C" void conv2d(
    const float* x, const float* weights, float* y, int64_t n, int64_t c, int64_t h, int64_t w, int64_t k)
{
    const Shape s{ c, h, w, k };
    const int64_t sizeWeights = ceilDiv(ceilDiv(k, filters) * filters * c * 9, 16) * 16;
    const int64_t sizeMatrix = 9 * c * width;
#pragma omp parallel
    {
        float* packed = scratch(sizeWeights + TILES * sizeMatrix);
        float* matrices = packed + sizeWeights;
        std::fill_n(matrices, TILES * sizeMatrix, 0.0F);
        packWeights(weights, s, packed);
#pragma omp for collapse(2) schedule(static)
        for (int64_t image = 0; image < n; ++image) {
            for (int64_t first = 0; first < h * w; first += TILES * width) {
                const float* from = x + image * c * h * w;
                for (int64_t t = 0; t < TILES && first + t * width < h * w; ++t)
                    layOut(from, s, first + t * width, matrices + t * sizeMatrix);
                multiplyTiles(matrices, packed, s, first, y + image * k * h * w);
            }
        }
    }
}
