// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// For each row the largest of three rows in a buffer, then the largest of three neighbours in it; both loops vectorise.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O3 -march=native -mprefer-vector-width=512 -fopenmp", "-O3 -march=native -fopenmp -ffast-math"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <vector>

#define AHEAD 8 // rooftree: tune {0, 2, 4, 8, 16, 32}

namespace {

float larger(float a, float b)
{
    return a > b ? a : b;
}

void largestOfRows(const float* a, const float* b, const float* c, int64_t w, float* __restrict to)
{
    for (int64_t j = 0; j < w; ++j)
        to[j] = larger(larger(a[j], b[j]), c[j]);
}

// row[0] is what lies left of the image; an even w has its last window end with the row.
void largestOfNeighbours(const float* row, int64_t count, float* __restrict y)
{
    for (int64_t j = 0; j < count; ++j)
        y[j] = larger(larger(row[2 * j], row[2 * j + 1]), row[2 * j + 2]);
}

} // namespace

extern "C" void max_pool2d(const float* x, float* y, int64_t n, int64_t c, int64_t h, int64_t w)
{
    const int64_t outH = (h + 1) / 2;
    const int64_t outW = (w + 1) / 2;
#pragma omp parallel
    {
        std::vector<float> row(w + 2);
#pragma omp for schedule(static)
        for (int64_t plane = 0; plane < n * c; ++plane) {
            for (int64_t i = 0; i < outH; ++i) {
                const float* here = x + (plane * h + 2 * i) * w;
                for (int64_t j = 0; AHEAD > 0 && j < 2 * w; j += 16)
                    __builtin_prefetch(here + AHEAD * w + j);
                largestOfRows(i > 0 ? here - w : here, here, 2 * i + 1 < h ? here + w : here, w, row.data() + 1);
                row[0] = row[1]; // padding never wins
                row[w + 1] = row[w];
                largestOfNeighbours(row.data(), outW, y + (plane * outH + i) * outW);
            }
        }
    }
}
