// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <algorithm>
#include <cstdint>

extern "C" void max_pool2d(const real* x, real* y, int64_t n, int64_t c, int64_t h, int64_t w)
{
    const int64_t outH = (h + 1) / 2;
    const int64_t outW = (w + 1) / 2;
    for (int64_t plane = 0; plane < n * c; ++plane) {
        for (int64_t row = 0; row < outH; ++row) {
            for (int64_t column = 0; column < outW; ++column) {
                real best = x[(plane * h + 2 * row) * w + 2 * column];
                for (int64_t i = 2 * row - 1; i <= 2 * row + 1; ++i) {
                    for (int64_t j = 2 * column - 1; j <= 2 * column + 1; ++j) {
                        if (i >= 0 && i < h && j >= 0 && j < w)
                            best = std::max(best, x[(plane * h + i) * w + j]);
                    }
                }
                y[(plane * outH + row) * outW + column] = best;
            }
        }
    }
}
