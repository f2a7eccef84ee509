// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

extern "C" void batched_matmul(const float* a, const float* b, float* c, int64_t batch, int64_t m, int64_t n, int64_t k)
{
    for (int64_t which = 0; which < batch; ++which) {
        for (int64_t i = 0; i < m; ++i) {
            for (int64_t j = 0; j < n; ++j) {
                float acc = 0;
                for (int64_t p = 0; p < k; ++p)
                    acc += a[(which * m + i) * k + p] * b[(which * k + p) * n + j];
                c[(which * m + i) * n + j] = acc;
            }
        }
    }
}
