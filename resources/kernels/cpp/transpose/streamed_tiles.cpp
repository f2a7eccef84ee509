// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Transposes 16 by 16 blocks in registers into a buffer, from which whole lines are written past the caches.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define ROWS 128 // rooftree: tune {32, 64, 128, 256, 512}
#define COLS 128 // rooftree: tune {16, 32, 64, 128, 256}
#define DOWN 1 // rooftree: tune {0, 1}
#define STREAM 1 // rooftree: tune {0, 1}
#define AHEAD 2 // rooftree: tune {0, 1, 2, 3}
// rooftree: require ROWS * COLS <= 16384

namespace {

constexpr int64_t width = 16;

// The buffer's rows are a line longer than needed, so that they do not all fall into the same cache set.
constexpr int64_t pitch = ROWS + width;
struct Buffer {
    alignas(64) float data[COLS * pitch];
};

#ifdef __AVX512F__
// Columns from .. from + 3 of the rows 0, 4, 8 and 12, each in a quarter of a vector.
inline __m512 loadQuarters(const float* x, int64_t cols, int64_t from)
{
    __m512 quarters = _mm512_castps128_ps512(_mm_loadu_ps(x + from));
    quarters = _mm512_insertf32x4(quarters, _mm_loadu_ps(x + 4 * cols + from), 1);
    quarters = _mm512_insertf32x4(quarters, _mm_loadu_ps(x + 8 * cols + from), 2);
    return _mm512_insertf32x4(quarters, _mm_loadu_ps(x + 12 * cols + from), 3);
}

// Elements 0 and 1, or 2 and 3, of each quarter of two vectors, alternating.
inline __m512 lowPairs(__m512 a, __m512 b)
{
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
}

inline __m512 highPairs(__m512 a, __m512 b)
{
    return __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
}

// The lower, or upper, half of each quarter of two vectors, alternating.
inline __m512 lowHalves(__m512 a, __m512 b)
{
    return __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
}

inline __m512 highHalves(__m512 a, __m512 b)
{
    return __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
}

// Four columns of sixteen rows: quarter q of vector r holds row r + 4 q, so that 4 by 4 transposes within quarters
// finish the work.
inline void transposeColumns(const float* x, int64_t cols, int64_t from, float* to)
{
    const __m512 r0 = loadQuarters(x, cols, from);
    const __m512 r1 = loadQuarters(x + cols, cols, from);
    const __m512 r2 = loadQuarters(x + 2 * cols, cols, from);
    const __m512 r3 = loadQuarters(x + 3 * cols, cols, from);
    float* column = to + from * pitch;
    _mm512_store_ps(column, lowHalves(lowPairs(r0, r1), lowPairs(r2, r3)));
    _mm512_store_ps(column + pitch, highHalves(lowPairs(r0, r1), lowPairs(r2, r3)));
    _mm512_store_ps(column + 2 * pitch, lowHalves(highPairs(r0, r1), highPairs(r2, r3)));
    _mm512_store_ps(column + 3 * pitch, highHalves(highPairs(r0, r1), highPairs(r2, r3)));
}

inline void transposeBlock(const float* x, int64_t cols, float* to)
{
    for (int64_t from = 0; from < width; from += 4)
        transposeColumns(x, cols, from, to);
}

inline void storeLine(float* to, const float* from)
{
    if (STREAM)
        _mm512_stream_ps(to, _mm512_loadu_ps(from));
    else
        _mm512_store_ps(to, _mm512_loadu_ps(from));
}
#else
inline void transposeBlock(const float* x, int64_t cols, float* to)
{
    for (int64_t i = 0; i < width; ++i)
        for (int64_t j = 0; j < width; ++j)
            to[j * pitch + i] = x[i * cols + j];
}

inline void storeLine(float* to, const float* from)
{
    std::copy(from, from + width, to);
}
#endif

// Copies one row of the buffer; lines that this tile fills only in part go through the caches.
inline void storeRow(const float* from, float* to, int64_t count)
{
    int64_t i = static_cast<int64_t>((64 - reinterpret_cast<uintptr_t>(to) % 64) % 64 / sizeof(float));
    i = std::min(i, count);
    std::copy(from, from + i, to);
    for (; i + width <= count; i += width)
        storeLine(to + i, from + i);
    std::copy(from + i, from + count, to + i);
}

struct Tile {
    int64_t row;
    int64_t col;
    int64_t height;
    int64_t width;
};

// Tiles in the order of a thread's work.
inline Tile tileAt(int64_t number, int64_t rows, int64_t cols)
{
    const int64_t down = (rows + ROWS - 1) / ROWS;
    const int64_t across = (cols + COLS - 1) / COLS;
    const int64_t row = (DOWN ? number % down : number / across) * ROWS;
    const int64_t col = (DOWN ? number / down : number % across) * COLS;
    return { row, col, std::min<int64_t>(ROWS, rows - row), std::min<int64_t>(COLS, cols - col) };
}

inline void prefetchBlock(const float* x, int64_t cols, const Tile& next, int64_t i, int64_t j)
{
    if (j >= next.width)
        return;
    for (int64_t r = i; AHEAD && r < std::min(i + width, next.height); ++r)
        __builtin_prefetch(x + (next.row + r) * cols + next.col + j, 0, AHEAD);
}

void transposeTile(const float* x, float* y, int64_t rows, int64_t cols, const Tile& tile, const Tile& next)
{
    Buffer buffer;
    const float* from = x + tile.row * cols + tile.col;
    const int64_t wholeRows = tile.height / width * width;
    const int64_t wholeColumns = tile.width / width * width;
    for (int64_t i = 0; i < wholeRows; i += width) {
        for (int64_t j = 0; j < wholeColumns; j += width) {
            prefetchBlock(x, cols, next, i, j);
            transposeBlock(from + i * cols + j, cols, buffer.data + j * pitch + i);
        }
    }
    for (int64_t i = 0; i < tile.height; ++i)
        for (int64_t j = i < wholeRows ? wholeColumns : 0; j < tile.width; ++j)
            buffer.data[j * pitch + i] = from[i * cols + j];
    for (int64_t j = 0; j < tile.width; ++j)
        storeRow(buffer.data + j * pitch, y + (tile.col + j) * rows + tile.row, tile.height);
}

} // namespace

extern "C" void transpose(const float* x, float* y, int64_t rows, int64_t cols)
{
    const int64_t tiles = (rows + ROWS - 1) / ROWS * ((cols + COLS - 1) / COLS);
#pragma omp parallel for schedule(static)
    for (int64_t t = 0; t < tiles; ++t)
        transposeTile(x, y, rows, cols, tileAt(t, rows, cols), tileAt(t + 1 < tiles ? t + 1 : t, rows, cols));
}
