// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Multiplies a stretch of elements regardless of rows into a small buffer, then adds the buffer up row by row.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O3 -march=native -mprefer-vector-width=512 -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>

#define STRETCH 1024 // rooftree: tune {256, 512, 1024, 2048, 4096}
#define AHEAD 32 // rooftree: tune {0, 32, 64, 128, 256}
#define PARTS 16 // rooftree: tune {2, 8, 16, 64}

namespace {

struct Matrix {
    const float* values;
    const int32_t* columns;
    const int64_t* starts;
    const float* x;
    int64_t nonzeros;
};

inline void multiply(const Matrix& matrix, int64_t from, int64_t count, float* products)
{
    const int64_t ahead = std::min(from + AHEAD, matrix.nonzeros - count);
    for (int64_t i = 0; AHEAD > 0 && i < count; i += 16) {
        const int64_t end = std::min<int64_t>(i + 16, count);
        for (int64_t p = i; p < end; ++p)
            __builtin_prefetch(matrix.x + matrix.columns[ahead + p]);
        for (int64_t p = i; p < end; ++p)
            products[p] = matrix.values[from + p] * matrix.x[matrix.columns[from + p]];
    }
    for (int64_t p = 0; AHEAD == 0 && p < count; ++p)
        products[p] = matrix.values[from + p] * matrix.x[matrix.columns[from + p]];
}

inline float sum(const float* products, int64_t count)
{
    float total = 0;
    for (int64_t p = 0; p < count; ++p)
        total += products[p];
    return total;
}

// Rows first .. last - 1. A row may go on in the next stretch.
void multiplyRows(const Matrix& matrix, float* y, int64_t first, int64_t last)
{
    float products[STRETCH];
    int64_t row = first;
    float open = 0; // what the current row has so far
    const int64_t end = matrix.starts[last];
    for (int64_t from = matrix.starts[first]; from < end; from += STRETCH) {
        const int64_t count = std::min<int64_t>(STRETCH, end - from);
        multiply(matrix, from, count, products);
        int64_t done = from;
        for (; row < last && matrix.starts[row + 1] <= from + count; ++row) {
            y[row] = open + sum(products + (done - from), matrix.starts[row + 1] - done);
            done = matrix.starts[row + 1];
            open = 0;
        }
        open += sum(products + (done - from), from + count - done);
    }
    std::fill(y + row, y + last, 0.0f); // empty rows behind the last element
}

} // namespace

extern "C" void csr_matvec(const float* values, const int32_t* columns, const int64_t* starts, const float* x, float* y,
    int64_t rows, int64_t, int64_t nonzeros)
{
    const Matrix matrix{ values, columns, starts, x, nonzeros };
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t part = 0; part < PARTS; ++part)
        multiplyRows(matrix, y, rows * part / PARTS, rows * (part + 1) / PARTS);
}
