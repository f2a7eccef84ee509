// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

// One float accumulator would lose four digits over millions of terms, so the sum is a double in both precisions.
extern "C" void full_sum(const real* x, real* y, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; ++i)
        sum += x[i];
    y[0] = real(sum);
}
