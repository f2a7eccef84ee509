// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cmath>
#include <cstdint>

extern "C" void gelu(const real* x, real* y, int64_t n)
{
    const real rootHalf = real(0.70710678118654752440);
    for (int64_t i = 0; i < n; ++i)
        y[i] = real(0.5) * x[i] * (1 + std::erf(x[i] * rootHalf));
}
