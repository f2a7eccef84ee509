// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <algorithm>
#include <cstdint>

extern "C" void bucketize(const real* x, const real* boundaries, int64_t* bucket, int64_t n, int64_t buckets)
{
    for (int64_t i = 0; i < n; ++i)
        bucket[i] = std::lower_bound(boundaries, boundaries + buckets, x[i]) - boundaries;
}
