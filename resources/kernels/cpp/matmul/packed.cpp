// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Packs both matrices into panels and multiplies them in register tiles; the threads share the packed panels.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

#define ROWS 6 // rooftree: tune {4, 6, 8, 9, 12, 14}
#define VECTORS 4 // rooftree: tune {1, 2, 3, 4}
#define DEPTH 512 // rooftree: tune {128, 192, 256, 320, 384, 512}
#define BLOCK_PANELS 4 // rooftree: tune {1, 2, 4, 8, 16}
#define BLOCK_COLUMNS 256 // rooftree: tune {96, 128, 192, 256, 384, 512, 1024}
// rooftree: require ROWS * VECTORS + VECTORS <= 31

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

// The register tile: height x width floats, no larger than the registers allow.
constexpr int vectors = std::min(VECTORS, registers / 8);
constexpr int height = std::min(ROWS, (registers - 1 - vectors) / vectors);
constexpr int width = vectors * lanes;
constexpr int64_t blockPanelsB = std::max(1, BLOCK_COLUMNS / width);

constexpr int64_t ceilDiv(int64_t x, int64_t y)
{
    return (x + y - 1) / y;
}

struct Free {
    void operator()(float* p) const { std::free(p); }
};

// Grows and is kept, since fresh pages cost more than packing does.
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

// 'height' rows of a, transposed: the values that one step of the tile needs lie together. Missing rows are zeros.
void packRows(const float* a, int64_t stride, int64_t rows, int64_t depth, float* to)
{
    if (rows < height)
        std::fill_n(to, depth * height, 0.0F);
    for (int64_t p = 0; p < depth; ++p) {
        if (rows == height) {
#pragma GCC unroll 16
            for (int i = 0; i < height; ++i)
                to[p * height + i] = a[i * stride + p];
        } else {
            for (int i = 0; i < rows; ++i)
                to[p * height + i] = a[i * stride + p];
        }
    }
}

// One row of b into its place in every panel: reading whole rows is what the prefetcher and the page tables like.
void packColumns(const float* b, int64_t n, int64_t depth, float* to)
{
    for (int64_t j = 0; j < n; j += width) {
        if (j + width <= n) {
            for (int v = 0; v < vectors; ++v)
                *reinterpret_cast<Vector*>(to + v * lanes) = *reinterpret_cast<const Loose*>(b + j + v * lanes);
        } else {
            std::fill(std::copy(b + j, b + n, to), to + width, 0.0F);
        }
        to += depth * width;
    }
}

// c (+)= panel of a times panel of b.
template <bool Add> void multiplyTile(const float* a, const float* b, int64_t depth, float* c, int64_t stride)
{
    Vector sum[height][vectors] = {};
#pragma GCC unroll 16
    for (int i = 0; i < height; ++i)
        __builtin_prefetch(c + i * stride, 1);
#pragma GCC unroll 1
    for (int64_t p = 0; p < depth; ++p) {
        Vector row[vectors];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            row[v] = *reinterpret_cast<const Vector*>(b + p * width + v * lanes);
#pragma GCC unroll 16
        for (int i = 0; i < height; ++i) {
            const float factor = a[p * height + i];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v)
                sum[i][v] += factor * row[v];
            asm volatile("" ::: "memory"); // else clang loads all factors first and has no registers left for the sums
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < height; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
            Loose& to = *reinterpret_cast<Loose*>(c + i * stride + v * lanes);
            to = Add ? to + sum[i][v] : sum[i][v];
        }
    }
}

// A tile that hangs over the edge of c goes through a buffer.
template <bool Add>
void multiplyEdge(
    const float* a, const float* b, int64_t depth, float* c, int64_t stride, int64_t rows, int64_t columns)
{
    alignas(64) float tile[height * width];
    multiplyTile<false>(a, b, depth, tile, width);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
            c[i * stride + j] = tile[i * width + j] + (Add ? c[i * stride + j] : 0.0F);
}

struct Panels {
    const float* a;
    const float* b;
    int64_t depth;
};

// One block of c: a panel of a stays in the first-level cache while the block of b streams past from the second.
template <bool Add>
void multiplyBlock(const Panels& panels, float* c, int64_t m, int64_t n, int64_t panelA, int64_t panelB)
{
    const int64_t endA = std::min(panelA + BLOCK_PANELS, ceilDiv(m, height));
    const int64_t endB = std::min(panelB + blockPanelsB, ceilDiv(n, width));
    for (int64_t i = panelA; i < endA; ++i) {
        for (int64_t j = panelB; j < endB; ++j) {
            const float* a = panels.a + i * height * panels.depth;
            const float* b = panels.b + j * width * panels.depth;
            float* to = c + i * height * n + j * width;
            const int64_t rows = std::min<int64_t>(height, m - i * height);
            const int64_t columns = std::min<int64_t>(width, n - j * width);
            if (rows == height && columns == width)
                multiplyTile<Add>(a, b, panels.depth, to, n);
            else
                multiplyEdge<Add>(a, b, panels.depth, to, n, rows, columns);
        }
    }
}

} // namespace

extern "C" void matmul(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k)
{
    const int64_t panelsA = ceilDiv(m, height);
    const int64_t panelsB = ceilDiv(n, width);
    const int64_t slice = ceilDiv(k, ceilDiv(k, DEPTH)); // equal slices, none longer than DEPTH
    const int64_t sizeA = ceilDiv(panelsA * height * slice, 16) * 16;
    float* packedA = scratch(sizeA + panelsB * width * slice);
    float* packedB = packedA + sizeA;
#pragma omp parallel
    for (int64_t start = 0; start < k; start += slice) {
        const int64_t depth = std::min(slice, k - start);
#pragma omp for schedule(static) nowait
        for (int64_t i = 0; i < panelsA; ++i)
            packRows(a + i * height * k + start, k, std::min<int64_t>(height, m - i * height), depth,
                packedA + i * height * depth);
#pragma omp for schedule(static)
        for (int64_t p = 0; p < depth; ++p)
            packColumns(b + (start + p) * n, n, depth, packedB + p * width);
#pragma omp for collapse(2) schedule(dynamic)
        for (int64_t j = 0; j < panelsB; j += blockPanelsB) {
            for (int64_t i = 0; i < panelsA; i += BLOCK_PANELS) {
                if (start == 0)
                    multiplyBlock<false>({ packedA, packedB, depth }, c, m, n, i, j);
                else
                    multiplyBlock<true>({ packedA, packedB, depth }, c, m, n, i, j);
            }
        }
    }
}
