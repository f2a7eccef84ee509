// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

extern "C" void argmax(const real* x, int64_t* index, int64_t rows, int64_t cols)
{
    for (int64_t i = 0; i < rows; ++i) {
        int64_t best = 0;
        for (int64_t j = 1; j < cols; ++j)
            if (x[i * cols + j] > x[i * cols + best])
                best = j;
        index[i] = best;
    }
}
