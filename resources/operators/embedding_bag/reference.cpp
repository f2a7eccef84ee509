// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

extern "C" void embedding_bag(const real* weights, const int64_t* indices, const int64_t* offsets, real* y, int64_t,
    int64_t dim, int64_t bags, int64_t)
{
    for (int64_t b = 0; b < bags; ++b) {
        for (int64_t d = 0; d < dim; ++d)
            y[b * dim + d] = 0;
        for (int64_t i = offsets[b]; i < offsets[b + 1]; ++i)
            for (int64_t d = 0; d < dim; ++d)
                y[b * dim + d] += weights[indices[i] * dim + d];
    }
}
