// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

extern "C" void cumulative_sum(const real* x, real* y, int64_t rows, int64_t cols)
{
    for (int64_t r = 0; r < rows; ++r) {
        real sum = 0;
        for (int64_t c = 0; c < cols; ++c) {
            sum += x[r * cols + c];
            y[r * cols + c] = sum;
        }
    }
}
