// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// One pass: keeps the k best so far in order and compares whole vectors with the last of them; few elements get in.
// rooftree: flags {"-O3 -march=native -mprefer-vector-width=512 -fopenmp", "-O3 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#define BLOCK 64 // rooftree: tune {16, 32, 64, 128, 256}
#define LONG 128 // rooftree: tune {64, 128, 256}
#define ROWS 4 // rooftree: tune {1, 4, 16}

namespace {

struct Best {
    float* values;
    int64_t* indices;
    int64_t k;

    // The others move down; elements come in the order of their indices, so equal ones stay in front.
    void insert(float value, int64_t index, int64_t count)
    {
        int64_t at = count;
        for (; at > 0 && values[at - 1] < value; --at) {
            if (at < k) {
                values[at] = values[at - 1];
                indices[at] = indices[at - 1];
            }
        }
        if (at < k) {
            values[at] = value;
            indices[at] = index;
        }
    }
};

inline bool anyAbove(const float* x, float threshold)
{
    int32_t above = 0;
    for (int64_t j = 0; j < BLOCK; ++j)
        above |= static_cast<int32_t>(x[j] > threshold);
    return above != 0;
}

void scan(const float* x, int64_t cols, Best best)
{
    int64_t j = 0;
    for (; j < best.k; ++j)
        best.insert(x[j], j, j);
    const float& threshold = best.values[best.k - 1];
    while (j < cols) {
        const int64_t end = std::min<int64_t>(j + BLOCK, cols);
        if (end - j == BLOCK && !anyAbove(x + j, threshold)) {
            j = end;
            continue;
        }
        for (; j < end; ++j)
            if (x[j] > threshold)
                best.insert(x[j], j, best.k);
    }
}

// Insertion would move too many.
void select(const float* x, int64_t cols, Best best)
{
    std::vector<int64_t> order(cols);
    std::iota(order.begin(), order.end(), 0);
    const auto before = [x](int64_t a, int64_t b) { return x[a] > x[b] || (x[a] == x[b] && a < b); };
    std::nth_element(order.begin(), order.begin() + best.k - 1, order.end(), before);
    std::sort(order.begin(), order.begin() + best.k, before);
    for (int64_t j = 0; j < best.k; ++j) {
        best.indices[j] = order[j];
        best.values[j] = x[order[j]];
    }
}

} // namespace

extern "C" void top_k(const float* x, float* values, int64_t* indices, int64_t rows, int64_t cols, int64_t k)
{
#pragma omp parallel for schedule(dynamic, ROWS)
    for (int64_t i = 0; i < rows; ++i) {
        const Best best{ values + i * k, indices + i * k, k };
        if (k <= LONG)
            scan(x + i * cols, cols, best);
        else
            select(x + i * cols, cols, best);
    }
}
