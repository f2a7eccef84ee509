// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

extern "C" void depthwise_conv2d(
    const real* x, const real* weights, real* y, int64_t n, int64_t c, int64_t h, int64_t w)
{
    for (int64_t plane = 0; plane < n * c; ++plane) {
        const real* taps = weights + plane % c * 9;
        for (int64_t row = 0; row < h; ++row) {
            for (int64_t column = 0; column < w; ++column) {
                real sum = 0;
                for (int64_t r = 0; r < 3; ++r) {
                    for (int64_t s = 0; s < 3; ++s) {
                        const int64_t i = row + r - 1;
                        const int64_t j = column + s - 1;
                        if (i >= 0 && i < h && j >= 0 && j < w)
                            sum += x[(plane * h + i) * w + j] * taps[r * 3 + s];
                    }
                }
                y[(plane * h + row) * w + column] = sum;
            }
        }
    }
}
