// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// One table per thread, added up at the end; the plain loop otherwise.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <vector>

extern "C" void histogram(const float* x, int32_t* counts, int64_t n, int64_t bins)
{
    const auto scale = static_cast<float>(bins);
    std::fill(counts, counts + bins, 0);
#pragma omp parallel
    {
        std::vector<int32_t> table(bins + 1); // the last one counts what is outside
#pragma omp for schedule(static) nowait
        for (int64_t i = 0; i < n; ++i) {
            const bool inside = (x[i] >= 0.0f) & (x[i] <= 1.0f);
            const auto bin = static_cast<int64_t>(inside ? x[i] * scale : 0.0f);
            ++table[inside ? std::min(bin, bins - 1) : bins];
        }
#pragma omp critical
        for (int64_t b = 0; b < bins; ++b)
            counts[b] += table[b];
    }
}
