// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

extern "C" void transpose(const real* x, real* y, int64_t rows, int64_t cols)
{
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j)
            y[j * rows + i] = x[i * cols + j];
}
