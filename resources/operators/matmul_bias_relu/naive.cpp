// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

extern "C" void matmul_bias_relu(
    const float* a, const float* b, const float* bias, float* c, int64_t m, int64_t n, int64_t k)
{
    for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
            float acc = 0;
            for (int64_t p = 0; p < k; ++p)
                acc += a[i * k + p] * b[p * n + j];
            acc += bias[j];
            c[i * n + j] = acc > 0 ? acc : 0;
        }
    }
}
