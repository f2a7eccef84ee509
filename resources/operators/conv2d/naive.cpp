// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

extern "C" void conv2d(
    const float* x, const float* weights, float* y, int64_t n, int64_t c, int64_t h, int64_t w, int64_t k)
{
    for (int64_t image = 0; image < n; ++image) {
        for (int64_t filter = 0; filter < k; ++filter) {
            for (int64_t row = 0; row < h; ++row) {
                for (int64_t column = 0; column < w; ++column) {
                    float acc = 0;
                    for (int64_t channel = 0; channel < c; ++channel) {
                        for (int64_t r = 0; r < 3; ++r) {
                            for (int64_t s = 0; s < 3; ++s) {
                                const int64_t i = row + r - 1;
                                const int64_t j = column + s - 1;
                                if (i >= 0 && i < h && j >= 0 && j < w)
                                    acc += x[((image * c + channel) * h + i) * w + j]
                                        * weights[((filter * c + channel) * 3 + r) * 3 + s];
                            }
                        }
                    }
                    y[((image * k + filter) * h + row) * w + column] = acc;
                }
            }
        }
    }
}
