// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

// The bin of a value is defined in single precision, so that counts are exact: trunc(float(x) * float(bins)).
extern "C" void histogram(const real* x, int32_t* counts, int64_t n, int64_t bins)
{
    for (int64_t b = 0; b < bins; ++b)
        counts[b] = 0;
    for (int64_t i = 0; i < n; ++i) {
        const float value = static_cast<float>(x[i]);
        if (!(value >= 0.0f && value <= 1.0f))
            continue;
        const int64_t bin = static_cast<int64_t>(value * static_cast<float>(bins));
        ++counts[bin < bins ? bin : bins - 1];
    }
}
