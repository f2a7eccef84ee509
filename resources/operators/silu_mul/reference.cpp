// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cmath>
#include <cstdint>

extern "C" void silu_mul(const real* gate, const real* up, real* y, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        y[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];
}
