// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <algorithm>
#include <cmath>
#include <cstdint>

extern "C" void cross_entropy(const real* logits, const int64_t* target, real* loss, int64_t rows, int64_t classes)
{
    for (int64_t r = 0; r < rows; ++r) {
        const real* in = logits + r * classes;
        real largest = in[0];
        for (int64_t c = 1; c < classes; ++c)
            largest = std::max(largest, in[c]);
        real sum = 0;
        for (int64_t c = 0; c < classes; ++c)
            sum += std::exp(in[c] - largest);
        loss[r] = std::log(sum) + largest - in[target[r]];
    }
}
