// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

extern "C" void jagged_to_dense(
    const real* values, const int64_t* offsets, real* dense, int64_t rows, int64_t length, int64_t dim, int64_t)
{
    for (int64_t r = 0; r < rows; ++r) {
        const int64_t present = offsets[r + 1] - offsets[r];
        for (int64_t j = 0; j < length; ++j)
            for (int64_t d = 0; d < dim; ++d)
                dense[(r * length + j) * dim + d] = j < present ? values[(offsets[r] + j) * dim + d] : 0;
    }
}
