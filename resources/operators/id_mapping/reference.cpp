// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <algorithm>
#include <cstdint>

extern "C" void id_mapping(const int64_t* ids, const int64_t* table, int64_t* position, int64_t n, int64_t known)
{
    for (int64_t i = 0; i < n; ++i) {
        const int64_t* found = std::lower_bound(table, table + known, ids[i]);
        position[i] = found != table + known && *found == ids[i] ? found - table : -1;
    }
}
