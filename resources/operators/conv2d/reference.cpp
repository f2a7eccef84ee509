// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <algorithm>
#include <cstdint>

namespace {

// to += weight * from shifted by (down, right), what lies outside being zero.
void addShifted(real weight, const real* from, real* to, int64_t h, int64_t w, int64_t down, int64_t right)
{
    const int64_t begin = std::max<int64_t>(0, -right);
    const int64_t end = std::min(w, w - right);
    for (int64_t row = std::max<int64_t>(0, -down); row < std::min(h, h - down); ++row) {
        for (int64_t column = begin; column < end; ++column)
            to[row * w + column] += weight * from[(row + down) * w + column + right];
    }
}

}

// One tap at a time over a whole plane, so that the inner loop vectorises.
extern "C" void conv2d(
    const real* x, const real* weights, real* y, int64_t n, int64_t c, int64_t h, int64_t w, int64_t k)
{
    for (int64_t image = 0; image < n; ++image) {
        for (int64_t filter = 0; filter < k; ++filter) {
            real* to = y + (image * k + filter) * h * w;
            std::fill(to, to + h * w, real(0));
            for (int64_t channel = 0; channel < c; ++channel) {
                const real* from = x + (image * c + channel) * h * w;
                for (int64_t tap = 0; tap < 9; ++tap)
                    addShifted(weights[(filter * c + channel) * 9 + tap], from, to, h, w, tap / 3 - 1, tap % 3 - 1);
            }
        }
    }
}
