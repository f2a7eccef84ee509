// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Dense ids: a bit says whether an id is known, and the set bits before it are its position. Sparse ids: binary search.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <vector>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#define AHEAD 16 // rooftree: tune {0, 8, 16, 32, 64}
#define SPARSE 256 // rooftree: tune {64, 256, 1024}
#define STREAM 1 // rooftree: tune {0, 1}
// SPARSE: up to so many ids of the range for each known one a bitmap is made.

namespace {

struct Word {
    uint64_t bits;
    int64_t before; // known ids of earlier words
};

// Distances are unsigned, since the range of all ids does not fit a signed one.
inline uint64_t distance(int64_t from, int64_t to)
{
    return static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
}

std::vector<Word> makeBitmap(const int64_t* table, int64_t known)
{
    std::vector<Word> words(distance(table[0], table[known - 1]) / 64 + 1);
    for (int64_t i = 0; i < known; ++i) {
        const uint64_t bit = distance(table[0], table[i]);
        words[bit / 64].bits |= uint64_t{ 1 } << bit % 64;
    }
    int64_t before = 0;
    for (Word& word : words) {
        word.before = before;
        before += __builtin_popcountll(word.bits);
    }
    return words;
}

// Ids outside of the table's range look at the first word and are turned down afterwards: no branch to mispredict.
inline int64_t find(const std::vector<Word>& words, int64_t first, uint64_t range, int64_t id)
{
    const uint64_t bit = distance(first, id);
    const bool inside = bit <= range;
    const Word& word = words[inside ? bit / 64 : 0];
    const uint64_t mask = uint64_t{ 1 } << bit % 64;
    const bool known = inside & ((word.bits & mask) != 0);
    return known ? word.before + __builtin_popcountll(word.bits & (mask - 1)) : -1;
}

inline void store(int64_t* to, int64_t value)
{
#ifdef __SSE2__
    if (STREAM) {
        _mm_stream_si64(reinterpret_cast<long long*>(to), value);
        return;
    }
#endif
    *to = value;
}

} // namespace

extern "C" void id_mapping(const int64_t* ids, const int64_t* table, int64_t* position, int64_t n, int64_t known)
{
    const uint64_t range = distance(table[0], table[known - 1]);
    const bool dense = range / SPARSE <= static_cast<uint64_t>(known);
    const std::vector<Word> words = dense ? makeBitmap(table, known) : std::vector<Word>();
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; ++i) {
        if (!dense) {
            const int64_t at = std::lower_bound(table, table + known - 1, ids[i]) - table;
            position[i] = table[at] == ids[i] ? at : -1;
            continue;
        }
        const uint64_t ahead = distance(table[0], ids[std::min<int64_t>(i + AHEAD, n - 1)]);
        if (AHEAD > 0)
            __builtin_prefetch(&words[ahead <= range ? ahead / 64 : 0]);
        store(position + i, find(words, table[0], range, ids[i]));
    }
}
