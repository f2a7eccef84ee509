// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Register tiles over a as it lies and packed panels of b, which each thread packs for itself: no barriers, nothing shared.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

#define ROWS 6 // rooftree: tune {4, 6, 8, 9, 12, 14}
#define VECTORS 4 // rooftree: tune {1, 2, 3, 4}
#define DEPTH 512 // rooftree: tune {128, 256, 384, 512, 768, 1024}
#define BLOCK_ROWS 1024 // rooftree: tune {96, 192, 384, 512, 1024}
#define BLOCK_COLUMNS 128 // rooftree: tune {64, 128, 192, 256, 384, 512}
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

// Each thread's own block of b. It is kept, since fresh pages cost more than packing does.
float* scratch()
{
    constexpr std::size_t bytes = sizeof(float) * DEPTH * blockPanelsB * width;
    thread_local const std::unique_ptr<float, Free> buffer(static_cast<float*>(std::aligned_alloc(64, bytes)));
    return buffer.get();
}

// One row of b into its place in every panel: reading whole rows is what the prefetcher and the page tables like.
void packRow(const float* b, int64_t n, int64_t depth, float* to)
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

struct Matrix {
    const float* at;
    int64_t stride;
};

// c (+)= 'rows' rows of a times a panel of b.
template <bool add, int rows>
void multiplyTile(const float* a, int64_t strideA, const float* b, int64_t depth, float* c, int64_t stride)
{
    Vector sum[rows][vectors] = {};
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            __builtin_prefetch(c + i * stride + v * lanes, 1);
    }
#pragma GCC unroll 1
    for (int64_t p = 0; p < depth; ++p) {
        Vector row[vectors];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            row[v] = *reinterpret_cast<const Vector*>(b + v * lanes);
#pragma GCC unroll 16
        for (int i = 0; i < rows; ++i) {
            const float factor = a[i * strideA];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v)
                sum[i][v] += factor * row[v];
            asm volatile("" ::: "memory"); // else clang loads all factors first and has no registers left for the sums
        }
        ++a;
        b += width;
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
            Loose& to = *reinterpret_cast<Loose*>(c + i * stride + v * lanes);
            to = add ? to + sum[i][v] : sum[i][v];
        }
    }
}

template <bool add, int most>
void multiplyRows(
    const float* a, int64_t strideA, int64_t rows, const float* b, int64_t depth, float* c, int64_t stride)
{
    if constexpr (most > 1) {
        if (rows < most)
            return multiplyRows<add, most - 1>(a, strideA, rows, b, depth, c, stride);
    }
    multiplyTile<add, most>(a, strideA, b, depth, c, stride);
}

// One block of c, for a slice of k: rows of a stay in the first-level cache while the packed block of b streams past from the
// second.
template <bool add>
void multiplyBlock(Matrix a, const float* b, int64_t depth, float* c, int64_t n, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; i += height) {
        for (int64_t j = 0; j < columns; j += width) {
            const int64_t tall = std::min<int64_t>(height, rows - i);
            const int64_t wide = std::min<int64_t>(width, columns - j);
            const float* panel = b + j * depth;
            float* to = c + i * n + j;
            if (wide == width) {
                multiplyRows<add, height>(a.at + i * a.stride, a.stride, tall, panel, depth, to, n);
                continue;
            }
            alignas(64) float tile[height * width];
            for (int64_t r = 0; r < tall && add; ++r)
                std::copy_n(to + r * n, wide, tile + r * width);
            multiplyRows<add, height>(a.at + i * a.stride, a.stride, tall, panel, depth, tile, width);
            for (int64_t r = 0; r < tall; ++r)
                std::copy_n(tile + r * width, wide, to + r * n);
        }
    }
}

} // namespace

extern "C" void matmul(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k)
{
    constexpr int64_t blockColumns = blockPanelsB * width;
    const int64_t slice = ceilDiv(k, ceilDiv(k, DEPTH)); // equal slices, none longer than DEPTH
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t j = 0; j < n; j += blockColumns) {
        for (int64_t i = 0; i < m; i += BLOCK_ROWS) {
            const int64_t rows = std::min<int64_t>(BLOCK_ROWS, m - i);
            const int64_t columns = std::min(blockColumns, n - j);
            float* packed = scratch();
            for (int64_t start = 0; start < k; start += slice) {
                const int64_t depth = std::min(slice, k - start);
                for (int64_t p = 0; p < depth; ++p)
                    packRow(b + (start + p) * n + j, columns, depth, packed + p * width);
                const auto multiply = start == 0 ? multiplyBlock<false> : multiplyBlock<true>;
                multiply({ a + i * k + start, k }, packed, depth, c + i * n + j, n, rows, columns);
            }
        }
    }
}
