// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Sums a slice of the row in registers and prefetches the rows of later indices, so that many misses overlap.
// rooftree: flags {"-O3 -march=native -mprefer-vector-width=512 -fopenmp", "-O3 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <cstring>

#define AHEAD 24 // rooftree: tune {4, 8, 12, 16, 24, 32, 48, 64}
#define SLICE 4 // rooftree: tune {1, 2, 4, 8}
#define BAGS 64 // rooftree: tune {16, 64, 256, 1024}
#define LOCALITY 3 // rooftree: tune {0, 2, 3}

namespace {

constexpr int64_t width = 16;
typedef float Vector __attribute__((vector_size(width * sizeof(float))));

inline Vector load(const float* from)
{
    Vector vector;
    std::memcpy(&vector, from, sizeof(vector)); // any alignment
    return vector;
}

inline void store(float* to, const Vector& vector)
{
    std::memcpy(to, &vector, sizeof(vector));
}

struct Table {
    const float* weights;
    const int64_t* indices;
    int64_t dim;
    int64_t total;
};

inline void prefetchRow(const Table& table, int64_t at)
{
    if (at >= table.total)
        return;
    const char* row = reinterpret_cast<const char*>(table.weights + table.indices[at] * table.dim);
    const char* last = row + table.dim * static_cast<int64_t>(sizeof(float)) - 1;
    for (; row < last; row += 64)
        __builtin_prefetch(row, 0, LOCALITY);
    __builtin_prefetch(last, 0, LOCALITY); // a row that starts inside a line ends in one more
}

// Sums 'vectors' vectors from column 'from' on. The first slice of a bag prefetches whole rows for all of them.
template <int vectors, bool ahead>
inline void sumSlice(const Table& table, int64_t first, int64_t last, int64_t from, float* y)
{
    Vector sums[vectors] = {};
    for (int64_t i = first; i < last; ++i) {
        if (ahead)
            prefetchRow(table, i + AHEAD);
        const float* row = table.weights + table.indices[i] * table.dim + from;
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v)
            sums[v] += load(row + v * width);
    }
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v)
        store(y + from + v * width, sums[v]);
}

// The last dim % width columns.
template <bool ahead> inline void sumRest(const Table& table, int64_t first, int64_t last, int64_t from, float* y)
{
    const int64_t rest = table.dim - from;
    float sums[width] = {};
    for (int64_t i = first; i < last; ++i) {
        if (ahead)
            prefetchRow(table, i + AHEAD);
        const float* row = table.weights + table.indices[i] * table.dim + from;
        for (int64_t d = 0; d < rest; ++d)
            sums[d] += row[d];
    }
    std::copy(sums, sums + rest, y + from);
}

void sumBag(const Table& table, int64_t first, int64_t last, float* y)
{
    const int64_t dim = table.dim;
    int64_t from = 0;
    if (dim >= SLICE * width) {
        sumSlice<SLICE, true>(table, first, last, 0, y);
        for (from = SLICE * width; from + SLICE * width <= dim; from += SLICE * width)
            sumSlice<SLICE, false>(table, first, last, from, y);
    } else if (dim >= width) {
        sumSlice<1, true>(table, first, last, 0, y);
        from = width;
    }
    for (; from + width <= dim; from += width)
        sumSlice<1, false>(table, first, last, from, y);
    if (from == 0)
        sumRest<true>(table, first, last, from, y);
    else if (from < dim)
        sumRest<false>(table, first, last, from, y);
}

} // namespace

extern "C" void embedding_bag(const float* weights, const int64_t* indices, const int64_t* offsets, float* y, int64_t,
    int64_t dim, int64_t bags, int64_t total)
{
    const Table table{ weights, indices, dim, total };
#pragma omp parallel for schedule(dynamic, BAGS)
    for (int64_t b = 0; b < bags; ++b)
        sumBag(table, offsets[b], offsets[b + 1], y + b * dim);
}
