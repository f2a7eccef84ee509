// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <algorithm>
#include <cstdint>

extern "C" void batch_event_truncate(const int64_t* events, const int64_t* offsets, int64_t* kept,
    int64_t* kept_offsets, int64_t lists, int64_t keep, int64_t)
{
    int64_t next = 0;
    kept_offsets[0] = 0;
    for (int64_t i = 0; i < lists; ++i) {
        for (int64_t j = std::max(offsets[i], offsets[i + 1] - keep); j < offsets[i + 1]; ++j)
            kept[next++] = events[j];
        kept_offsets[i + 1] = next;
    }
    for (; next < lists * keep; ++next)
        kept[next] = 0;
}
