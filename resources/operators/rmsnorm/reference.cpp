// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cmath>
#include <cstdint>

extern "C" void rmsnorm(const real* x, const real* weight, real* y, int64_t rows, int64_t cols)
{
    for (int64_t r = 0; r < rows; ++r) {
        const real* in = x + r * cols;
        real* out = y + r * cols;
        real squares = 0;
        for (int64_t c = 0; c < cols; ++c)
            squares += in[c] * in[c];
        const real scale = 1 / std::sqrt(squares / real(cols) + real(1e-6));
        for (int64_t c = 0; c < cols; ++c)
            out[c] = in[c] * scale * weight[c];
    }
}
