// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Finds the block of the first largest element with plain maxima, then looks for it in this block alone.
// rooftree: flags {"-O3 -march=native -mprefer-vector-width=512 -fopenmp", "-O3 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>

#define BLOCK 512 // rooftree: tune {128, 256, 512, 1024, 2048}
#define SUMS 2 // rooftree: tune {1, 2, 4, 8}
#define AHEAD 2048 // rooftree: tune {0, 512, 2048, 4096}
#define CHUNK 262144 // rooftree: tune {16384, 65536, 262144, 1048576}
// rooftree: require BLOCK % (16 * SUMS) == 0

namespace {

constexpr int64_t width = 16 * SUMS;

inline float maximum(const float* x, int64_t count)
{
    float lanes[width];
    std::fill(lanes, lanes + width, x[0]);
    int64_t i = 0;
    for (; i + width <= count; i += width) {
        for (int64_t s = 0; AHEAD > 0 && s < width; s += 16)
            __builtin_prefetch(reinterpret_cast<const char*>(x + i + s) + AHEAD);
        for (int64_t s = 0; s < width; ++s)
            lanes[s] = x[i + s] > lanes[s] ? x[i + s] : lanes[s];
    }
    for (int64_t s = 0; i + s < count; ++s)
        lanes[s] = x[i + s] > lanes[s] ? x[i + s] : lanes[s];
    return *std::max_element(lanes, lanes + width);
}

// 'value' is in there.
inline int64_t find(const float* x, float value)
{
    int64_t i = 0;
    while (x[i] != value)
        ++i;
    return i;
}

int64_t firstLargest(const float* x, int64_t cols)
{
    float best = maximum(x, std::min<int64_t>(BLOCK, cols));
    int64_t block = 0;
    for (int64_t i = BLOCK; i < cols; i += BLOCK) {
        const float here = maximum(x + i, std::min<int64_t>(BLOCK, cols - i));
        if (here > best) {
            best = here;
            block = i;
        }
    }
    return block + find(x + block, best);
}

} // namespace

extern "C" void argmax(const float* x, int64_t* index, int64_t rows, int64_t cols)
{
    const int64_t chunk = std::max<int64_t>(1, CHUNK / cols);
#pragma omp parallel for schedule(dynamic, chunk)
    for (int64_t i = 0; i < rows; ++i)
        index[i] = firstLargest(x + i * cols, cols);
}
