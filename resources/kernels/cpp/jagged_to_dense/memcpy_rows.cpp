// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// One memcpy and one memset for each row: its events lie side by side in both layouts.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <cstring>

#define ROWS 64 // rooftree: tune {8, 64, 256, 1024}

extern "C" void jagged_to_dense(
    const float* values, const int64_t* offsets, float* dense, int64_t rows, int64_t length, int64_t dim, int64_t)
{
#pragma omp parallel for schedule(dynamic, ROWS)
    for (int64_t r = 0; r < rows; ++r) {
        const int64_t present = std::min(offsets[r + 1] - offsets[r], length) * dim;
        float* row = dense + r * length * dim;
        std::memcpy(row, values + offsets[r] * dim, present * sizeof(float));
        std::memset(row + present, 0, (length * dim - present) * sizeof(float));
    }
}
