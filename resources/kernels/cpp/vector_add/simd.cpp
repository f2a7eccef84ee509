// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Sum in one plain loop that the compiler vectorises.
// rooftree: flags {"-O3 -march=native", "-O3 -march=native -mprefer-vector-width=512", "-O3 -march=native -ffast-math -mprefer-vector-width=512"}
// rooftree: compiler {"g++", "clang++"}
#include <cstdint>

#define SCHEDULE static // rooftree: tune {static, guided}

extern "C" void vector_add(const float* a, const float* b, float* c, int64_t n)
{
#pragma omp parallel for simd schedule(SCHEDULE)
    for (int64_t i = 0; i < n; ++i)
        c[i] = a[i] + b[i];
}
