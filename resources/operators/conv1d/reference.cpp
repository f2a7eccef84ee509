// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <algorithm>
#include <cstdint>

// One tap at a time over a whole line, so that the inner loop vectorises.
extern "C" void conv1d(const real* x, const real* weights, real* y, int64_t n, int64_t c, int64_t l, int64_t k)
{
    const int64_t taps = 5;
    const int64_t pad = 2;
    for (int64_t image = 0; image < n; ++image) {
        for (int64_t filter = 0; filter < k; ++filter) {
            real* to = y + (image * k + filter) * l;
            std::fill(to, to + l, real(0));
            for (int64_t channel = 0; channel < c; ++channel) {
                const real* from = x + (image * c + channel) * l;
                for (int64_t tap = 0; tap < taps; ++tap) {
                    const real weight = weights[(filter * c + channel) * taps + tap];
                    const int64_t shift = tap - pad;
                    const int64_t begin = std::max<int64_t>(0, -shift);
                    const int64_t end = std::min(l, l - shift);
                    for (int64_t i = begin; i < end; ++i)
                        to[i] += weight * from[i + shift];
                }
            }
        }
    }
}
