// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cmath>
#include <cstdint>

extern "C" void layernorm(const real* x, const real* gamma, const real* beta, real* y, int64_t rows, int64_t cols)
{
    for (int64_t r = 0; r < rows; ++r) {
        const real* in = x + r * cols;
        real* out = y + r * cols;
        real mean = 0;
        for (int64_t c = 0; c < cols; ++c)
            mean += in[c];
        mean /= real(cols);
        real variance = 0;
        for (int64_t c = 0; c < cols; ++c)
            variance += (in[c] - mean) * (in[c] - mean);
        variance /= real(cols);
        const real scale = 1 / std::sqrt(variance + real(1e-5));
        for (int64_t c = 0; c < cols; ++c)
            out[c] = (in[c] - mean) * scale * gamma[c] + beta[c];
    }
}
