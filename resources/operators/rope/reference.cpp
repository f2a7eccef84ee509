// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cmath>
#include <cstdint>

extern "C" void rope(const real* x, const real* angle, real* y, int64_t tokens, int64_t heads, int64_t half)
{
    for (int64_t t = 0; t < tokens; ++t) {
        for (int64_t h = 0; h < heads; ++h) {
            const real* in = x + (t * heads + h) * 2 * half;
            real* out = y + (t * heads + h) * 2 * half;
            for (int64_t i = 0; i < half; ++i) {
                const real c = std::cos(angle[t * half + i]);
                const real s = std::sin(angle[t * half + i]);
                out[i] = in[i] * c - in[half + i] * s;
                out[half + i] = in[half + i] * c + in[i] * s;
            }
        }
    }
}
