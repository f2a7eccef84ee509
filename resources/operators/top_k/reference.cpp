// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

extern "C" void top_k(const real* x, real* values, int64_t* indices, int64_t rows, int64_t cols, int64_t k)
{
    std::vector<int64_t> order(cols);
    for (int64_t i = 0; i < rows; ++i) {
        const real* row = x + i * cols;
        std::iota(order.begin(), order.end(), 0);
        std::partial_sort(order.begin(), order.begin() + k, order.end(),
            [row](int64_t a, int64_t b) { return row[a] > row[b] || (row[a] == row[b] && a < b); });
        for (int64_t j = 0; j < k; ++j) {
            indices[i * k + j] = order[j];
            values[i * k + j] = row[order[j]];
        }
    }
}
