// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Register tiles over a as it lies and packed panels of b; sums start from the bias and end with the positive part.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

#define ROWS 6 // rooftree: tune {4, 6, 8, 9, 12, 14}
#define VECTORS 4 // rooftree: tune {1, 2, 3, 4}
#define DEPTH 768 // rooftree: tune {128, 256, 384, 512, 768, 1024}
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

// A slice of k: rows of a, packed panels of b. Sums start from the bias in the first slice and are added to c in others.
struct Slice {
    const float* a;
    int64_t stride;
    const float* b;
    const float* bias;
    int64_t depth;
};

template <bool first> Vector startOf(const float* bias)
{
    if constexpr (first)
        return *reinterpret_cast<const Loose*>(bias);
    return Vector{};
}

// c = the sum, or what it was plus the sum; the last slice takes the positive part.
template <bool first, bool last> void finish(Vector sum, float* c)
{
    Loose& to = *reinterpret_cast<Loose*>(c);
    const Vector all = first ? sum : to + sum;
    to = last ? (all > 0.0F ? all : Vector{}) : all;
}

// 'rows' rows of a times a panel of b.
template <bool first, bool last, int rows> void multiplyTile(Slice s, float* c, int64_t stride)
{
    Vector sum[rows][vectors];
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
            __builtin_prefetch(c + i * stride + v * lanes, 1);
            sum[i][v] = startOf<first>(s.bias + v * lanes);
        }
    }
#pragma GCC unroll 1
    for (int64_t p = 0; p < s.depth; ++p) {
        Vector row[vectors];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            row[v] = *reinterpret_cast<const Vector*>(s.b + v * lanes);
#pragma GCC unroll 16
        for (int i = 0; i < rows; ++i) {
            const float factor = s.a[i * s.stride];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v)
                sum[i][v] += factor * row[v];
            asm volatile("" ::: "memory"); // else clang loads all factors first and has no registers left for the sums
        }
        ++s.a;
        s.b += width;
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            finish<first, last>(sum[i][v], c + i * stride + v * lanes);
    }
}

template <bool first, bool last, int most> void multiplyRows(const Slice& s, int64_t rows, float* c, int64_t stride)
{
    if constexpr (most > 1) {
        if (rows < most)
            return multiplyRows<first, last, most - 1>(s, rows, c, stride);
    }
    multiplyTile<first, last, most>(s, c, stride);
}

// A tile that hangs over the right edge of c goes through a buffer.
template <bool first, bool last> void multiplyEdge(Slice s, int64_t rows, int64_t columns, float* c, int64_t stride)
{
    alignas(64) float tile[height * width];
    alignas(64) float bias[width] = {};
    std::copy_n(s.bias, columns, bias);
    s.bias = bias;
    for (int64_t r = 0; r < rows && !first; ++r)
        std::copy_n(c + r * stride, columns, tile + r * width);
    multiplyRows<first, last, height>(s, rows, tile, width);
    for (int64_t r = 0; r < rows; ++r)
        std::copy_n(tile + r * width, columns, c + r * stride);
}

// One block of c, for a slice of k: rows of a stay in the first-level cache while the packed block of b streams past from the
// second.
template <bool first, bool last> void multiplyBlock(const Slice& s, float* c, int64_t n, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; i += height) {
        for (int64_t j = 0; j < columns; j += width) {
            const Slice part{ s.a + i * s.stride, s.stride, s.b + j * s.depth, s.bias + j, s.depth };
            const int64_t tall = std::min<int64_t>(height, rows - i);
            const int64_t wide = std::min<int64_t>(width, columns - j);
            float* to = c + i * n + j;
            if (wide == width)
                multiplyRows<first, last, height>(part, tall, to, n);
            else
                multiplyEdge<first, last>(part, tall, wide, to, n);
        }
    }
}

// The version of multiplyBlock for the first, the last or another slice.
auto blockFor(bool first, bool last)
{
    if (first)
        return last ? multiplyBlock<true, true> : multiplyBlock<true, false>;
    return last ? multiplyBlock<false, true> : multiplyBlock<false, false>;
}

} // namespace

extern "C" void matmul_bias_relu(
    const float* a, const float* b, const float* bias, float* c, int64_t m, int64_t n, int64_t k)
{
    constexpr int64_t blockColumns = blockPanelsB * width;
    const int64_t most = ceilDiv(k, ceilDiv(k, DEPTH)); // equal slices, none longer than DEPTH
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t j = 0; j < n; j += blockColumns) {
        for (int64_t i = 0; i < m; i += BLOCK_ROWS) {
            const int64_t rows = std::min<int64_t>(BLOCK_ROWS, m - i);
            const int64_t columns = std::min(blockColumns, n - j);
            float* packed = scratch();
            for (int64_t start = 0; start < k; start += most) {
                const int64_t depth = std::min(most, k - start);
                for (int64_t p = 0; p < depth; ++p)
                    packRow(b + (start + p) * n + j, columns, depth, packed + p * width);
                const auto multiply = blockFor(start == 0, start + depth == k);
                multiply({ a + i * k + start, k, packed, bias + j, depth }, c + i * n + j, n, rows, columns);
            }
        }
    }
}
