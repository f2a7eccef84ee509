// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

// i-k-j order: the inner loop runs along the rows of b and c, so that it vectorises.
extern "C" void batched_matmul(const real* a, const real* b, real* c, int64_t batch, int64_t m, int64_t n, int64_t k)
{
    for (int64_t which = 0; which < batch; ++which) {
        for (int64_t i = 0; i < m; ++i) {
            real* row = c + (which * m + i) * n;
            for (int64_t j = 0; j < n; ++j)
                row[j] = 0;
            for (int64_t p = 0; p < k; ++p) {
                const real factor = a[(which * m + i) * k + p];
                for (int64_t j = 0; j < n; ++j)
                    row[j] += factor * b[(which * k + p) * n + j];
            }
        }
    }
}
