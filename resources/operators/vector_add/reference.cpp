// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

extern "C" void vector_add(const real* a, const real* b, real* c, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        c[i] = a[i] + b[i];
}
