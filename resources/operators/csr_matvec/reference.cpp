// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

extern "C" void csr_matvec(const real* values, const int32_t* columns, const int64_t* starts, const real* x, real* y,
    int64_t rows, int64_t, int64_t)
{
    for (int64_t i = 0; i < rows; ++i) {
        real sum = 0;
        for (int64_t p = starts[i]; p < starts[i + 1]; ++p)
            sum += values[p] * x[columns[p]];
        y[i] = sum;
    }
}
