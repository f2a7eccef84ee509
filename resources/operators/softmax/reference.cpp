// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <algorithm>
#include <cmath>
#include <cstdint>

extern "C" void softmax(const real* x, real* y, int64_t rows, int64_t cols)
{
    for (int64_t r = 0; r < rows; ++r) {
        const real* in = x + r * cols;
        real* out = y + r * cols;
        real largest = in[0];
        for (int64_t c = 1; c < cols; ++c)
            largest = std::max(largest, in[c]);
        real sum = 0;
        for (int64_t c = 0; c < cols; ++c) {
            out[c] = std::exp(in[c] - largest);
            sum += out[c];
        }
        for (int64_t c = 0; c < cols; ++c)
            out[c] /= sum;
    }
}
