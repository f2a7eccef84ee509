// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Register tiles straight on the matrices, nothing packed but a last narrow strip of b; fetches the next product's matrices.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <vector>

#define ROWS 6 // rooftree: tune {4, 6, 8, 9, 12, 14}
#define VECTORS 4 // rooftree: tune {1, 2, 3, 4}
#define BLOCK_ROWS 384 // rooftree: tune {12, 24, 48, 96, 192, 384}
#define AHEAD 1 // rooftree: tune {0, 1}
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

struct Matrix {
    const float* at;
    int64_t stride;
};

// Two pieces of memory that will be needed soon: each step of a tile asks for one line of them.
struct Ahead {
    const float* at;
    const float* end;
    const float* nextAt;
    const float* nextEnd;

    // Floats from one line to the next, 0 when there is nothing left to ask for.
    int64_t step()
    {
        if (at >= end) {
            at = nextAt;
            end = nextEnd;
        }
        return AHEAD != 0 && at < end ? 16 : 0;
    }
};

// to = 'rows' rows of a times width columns of b.
template <int rows> void multiplyTile(Matrix a, Matrix b, int64_t depth, float* to, int64_t stride, Ahead& ahead)
{
    const int64_t step = ahead.step();
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            __builtin_prefetch(to + i * stride + v * lanes, 1);
    }

    Vector sum[rows][vectors] = {};
#pragma GCC unroll 1
    for (int64_t p = 0; p < depth; ++p) {
        __builtin_prefetch(ahead.at);
        ahead.at += step;
        Vector part[vectors];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            part[v] = *reinterpret_cast<const Loose*>(b.at + v * lanes);
#pragma GCC unroll 16
        for (int i = 0; i < rows; ++i) {
            const float factor = a.at[i * a.stride];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v)
                sum[i][v] += factor * part[v];
            asm volatile("" ::: "memory"); // else clang loads all factors first and has no registers left for the sums
        }
        ++a.at;
        b.at += b.stride;
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            *reinterpret_cast<Loose*>(to + i * stride + v * lanes) = sum[i][v];
    }
}

// The tile that is just as tall as there are rows.
template <int most>
void multiplyTile(Matrix a, int64_t rows, Matrix b, int64_t depth, float* to, int64_t stride, Ahead& ahead)
{
    if constexpr (most > 1) {
        if (rows < most)
            return multiplyTile<most - 1>(a, rows, b, depth, to, stride, ahead);
    }
    multiplyTile<most>(a, b, depth, to, stride, ahead);
}

// The last columns of b, filled up with zeros to the width of a tile.
void copyStrip(Matrix b, int64_t columns, int64_t depth, std::vector<float>& strip)
{
    strip.assign(depth * width, 0.0F);
    for (int64_t p = 0; p < depth; ++p)
        std::copy_n(b.at + p * b.stride, columns, strip.data() + p * width);
}

// Some rows of one product.
void multiplyRows(
    Matrix a, int64_t rows, Matrix b, int64_t n, int64_t k, float* c, std::vector<float>& strip, Ahead ahead)
{
    for (int64_t j = 0; j < n; j += width) {
        const int64_t columns = std::min<int64_t>(width, n - j);
        Matrix part{ b.at + j, b.stride };
        if (columns < width) {
            copyStrip(part, columns, k, strip);
            part = { strip.data(), width };
        }
        for (int64_t i = 0; i < rows; i += height) {
            const Matrix panel{ a.at + i * a.stride, a.stride };
            const int64_t tall = std::min<int64_t>(height, rows - i);
            if (columns == width) {
                multiplyTile<height>(panel, tall, part, k, c + i * n + j, n, ahead);
                continue;
            }
            alignas(64) float tile[height * width];
            multiplyTile<height>(panel, tall, part, k, tile, width, ahead);
            for (int64_t r = 0; r < tall; ++r)
                std::copy_n(tile + r * width, columns, c + (i + r) * n + j);
        }
    }
}

} // namespace

extern "C" void batched_matmul(const float* a, const float* b, float* c, int64_t batch, int64_t m, int64_t n, int64_t k)
{
#pragma omp parallel
    {
        std::vector<float> strip;
#pragma omp for collapse(2) schedule(static)
        for (int64_t which = 0; which < batch; ++which) {
            for (int64_t i = 0; i < m; i += BLOCK_ROWS) {
                const int64_t first = which * m + i;
                const int64_t rows = std::min<int64_t>(BLOCK_ROWS, m - i);
                const int64_t next = std::min(first + rows, batch * m - rows);
                const int64_t nextB = std::min(which + 1, batch - 1);
                const Ahead ahead{ a + next * k, a + (next + rows) * k, b + nextB * k * n, b + (nextB + 1) * k * n };
                multiplyRows({ a + first * k, k }, rows, { b + which * k * n, n }, n, k, c + first * n, strip, ahead);
            }
        }
    }
}
