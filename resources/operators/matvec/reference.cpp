// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

extern "C" void matvec(const real* a, const real* x, real* y, int64_t m, int64_t n)
{
    for (int64_t i = 0; i < m; ++i) {
        real sum = 0;
        for (int64_t j = 0; j < n; ++j)
            sum += a[i * n + j] * x[j];
        y[i] = sum;
    }
}
