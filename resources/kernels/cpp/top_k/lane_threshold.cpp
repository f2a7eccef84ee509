// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Maxima of many interleaved parts of a row bound the k-th largest element from below; only what passes is ranked.
// rooftree: flags {"-O3 -march=native -mprefer-vector-width=512 -fopenmp", "-O3 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define VECTORS 8 // rooftree: tune {4, 8, 16}
#define HALVINGS 8 // rooftree: tune {4, 6, 8, 12}
#define AHEAD 2048 // rooftree: tune {0, 1024, 2048, 4096}
#define RANKED 256 // rooftree: tune {0, 64, 128, 256}

namespace {

constexpr int64_t width = 16;
constexpr int64_t lanes = width * VECTORS;

// Orders as wanted: larger elements first, of equal ones the lower index.
inline uint64_t keyOf(float value, int64_t index)
{
    const float positive = value + 0.0f; // -0 equals 0
    uint32_t bits;
    std::memcpy(&bits, &positive, sizeof(bits));
    bits ^= bits >> 31 ? 0xffffffffu : 0x80000000u;
    return static_cast<uint64_t>(bits) << 32 | static_cast<uint32_t>(~static_cast<uint32_t>(index));
}

inline int64_t indexOf(uint64_t key)
{
    return static_cast<int64_t>(~static_cast<uint32_t>(key));
}

void findMaxima(const float* x, int64_t cols, float* maxima)
{
    std::copy(x, x + lanes, maxima);
    int64_t j = lanes;
    for (; j + lanes <= cols; j += lanes) {
        for (int64_t lane = 0; AHEAD > 0 && lane < lanes; lane += width)
            __builtin_prefetch(reinterpret_cast<const char*>(x + j + lane) + AHEAD);
        for (int64_t lane = 0; lane < lanes; ++lane)
            maxima[lane] = x[j + lane] > maxima[lane] ? x[j + lane] : maxima[lane];
    }
    for (int64_t lane = 0; j + lane < cols; ++lane)
        maxima[lane] = std::max(maxima[lane], x[j + lane]);
}

inline int64_t countFrom(const float* maxima, float threshold)
{
    int32_t count = 0;
    for (int64_t lane = 0; lane < lanes; ++lane)
        count += maxima[lane] >= threshold ? 1 : 0;
    return count;
}

// A number that at least k of the maxima reach, by halving; near the k-th largest of them.
float findThreshold(const float* maxima, int64_t k)
{
    float low = *std::min_element(maxima, maxima + lanes);
    float high = *std::max_element(maxima, maxima + lanes);
    for (int step = 0; step < HALVINGS; ++step) {
        const float middle = low / 2 + high / 2;
        if (middle >= low && countFrom(maxima, middle) >= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void collect(const float* x, int64_t cols, float threshold, std::vector<uint64_t>& keys)
{
    int64_t j = 0;
#ifdef __AVX512F__
    for (; j + 4 * width <= cols; j += 4 * width) {
        uint64_t passed = 0;
        for (int v = 0; v < 4; ++v) {
            const __m512 elements = _mm512_loadu_ps(x + j + v * width);
            const __mmask16 part = _mm512_cmp_ps_mask(elements, _mm512_set1_ps(threshold), _CMP_GE_OQ);
            passed |= static_cast<uint64_t>(part) << v * width;
        }
        for (; passed != 0; passed &= passed - 1) {
            const int64_t index = j + __builtin_ctzll(passed);
            keys.push_back(keyOf(x[index], index));
        }
    }
#endif
    for (; j < cols; ++j)
        if (x[j] >= threshold)
            keys.push_back(keyOf(x[j], j));
}

// A key's place is the number of larger keys.
void placeByRank(const std::vector<uint64_t>& keys, int64_t k, uint64_t* sorted)
{
    for (const uint64_t key : keys) {
        uint64_t rank = 0;
        for (const uint64_t other : keys)
            rank += other > key ? 1 : 0;
        if (rank < static_cast<uint64_t>(k))
            sorted[rank] = key;
    }
}

void topOfRow(const float* x, int64_t cols, int64_t k, std::vector<uint64_t>& keys, std::vector<uint64_t>& sorted)
{
    keys.clear();
    if (k <= lanes && cols >= lanes) {
        float maxima[lanes];
        findMaxima(x, cols, maxima);
        collect(x, cols, findThreshold(maxima, k), keys);
    } else {
        for (int64_t j = 0; j < cols; ++j)
            keys.push_back(keyOf(x[j], j));
    }
    if (keys.size() <= RANKED) {
        placeByRank(keys, k, sorted.data());
        return;
    }
    std::nth_element(keys.begin(), keys.begin() + k - 1, keys.end(), std::greater<>());
    std::sort(keys.begin(), keys.begin() + k, std::greater<>());
    std::copy(keys.begin(), keys.begin() + k, sorted.begin());
}

} // namespace

extern "C" void top_k(const float* x, float* values, int64_t* indices, int64_t rows, int64_t cols, int64_t k)
{
#pragma omp parallel
    {
        std::vector<uint64_t> keys;
        std::vector<uint64_t> sorted(k);
        keys.reserve(cols);
#pragma omp for schedule(dynamic, 4)
        for (int64_t i = 0; i < rows; ++i) {
            topOfRow(x + i * cols, cols, k, keys, sorted);
            for (int64_t j = 0; j < k; ++j) {
                indices[i * k + j] = indexOf(sorted[j]);
                values[i * k + j] = x[i * cols + indices[i * k + j]];
            }
        }
    }
}
