// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

// i-k-j order: the inner loop runs along the rows of b and c, so that it vectorises.
extern "C" void matmul_bias_relu(
    const real* a, const real* b, const real* bias, real* c, int64_t m, int64_t n, int64_t k)
{
    for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j)
            c[i * n + j] = 0;
        for (int64_t p = 0; p < k; ++p) {
            const real factor = a[i * k + p];
            for (int64_t j = 0; j < n; ++j)
                c[i * n + j] += factor * b[p * n + j];
        }
        for (int64_t j = 0; j < n; ++j) {
            const real sum = c[i * n + j] + bias[j];
            c[i * n + j] = sum > 0 ? sum : 0;
        }
    }
}
