// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

extern "C" void conv1d(const float* x, const float* weights, float* y, int64_t n, int64_t c, int64_t l, int64_t k)
{
    const int64_t taps = 5;
    const int64_t pad = 2;
    for (int64_t image = 0; image < n; ++image) {
        for (int64_t filter = 0; filter < k; ++filter) {
            for (int64_t i = 0; i < l; ++i) {
                float acc = 0;
                for (int64_t channel = 0; channel < c; ++channel) {
                    for (int64_t tap = 0; tap < taps; ++tap) {
                        const int64_t at = i + tap - pad;
                        if (at >= 0 && at < l)
                            acc += x[(image * c + channel) * l + at] * weights[(filter * c + channel) * taps + tap];
                    }
                }
                y[(image * k + filter) * l + i] = acc;
            }
        }
    }
}
