// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cmath>
#include <cstdint>

extern "C" void bias_gelu(const real* x, const real* bias, real* y, int64_t rows, int64_t cols)
{
    const real rootTwoOverPi = real(0.79788456080286535588);
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < cols; ++c) {
            const real v = x[r * cols + c] + bias[c];
            const real inner = rootTwoOverPi * (v + real(0.044715) * v * v * v);
            y[r * cols + c] = real(0.5) * v * (1 + std::tanh(inner));
        }
    }
}
