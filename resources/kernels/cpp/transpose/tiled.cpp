// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Square tiles that stay in the first cache, so that each line is fetched and written back once.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>

#define ROWS 32 // rooftree: tune {8, 16, 32, 64, 128}
#define COLS 16 // rooftree: tune {8, 16, 32, 64}

namespace {

inline void transposeTile(const float* x, float* y, int64_t rows, int64_t cols, int64_t height, int64_t columns)
{
    for (int64_t j = 0; j < columns; ++j)
        for (int64_t i = 0; i < height; ++i)
            y[j * rows + i] = x[i * cols + j];
}

} // namespace

extern "C" void transpose(const float* x, float* y, int64_t rows, int64_t cols)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t j = 0; j < cols; j += COLS)
        for (int64_t i = 0; i < rows; i += ROWS)
            transposeTile(x + i * cols + j, y + j * rows + i, rows, cols, std::min<int64_t>(ROWS, rows - i),
                std::min<int64_t>(COLS, cols - j));
}
