// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// A grid of equal cells says where to start looking; evenly spread boundaries need one or two comparisons then.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define CELLS 4 // rooftree: tune {1, 2, 4, 8}
#define CROWDED 16 // rooftree: tune {8, 16, 32}
#define STREAM 1 // rooftree: tune {0, 1}

namespace {

constexpr int64_t width = 16;

// The cell of a value never falls as the value rises, so boundaries of earlier cells are below every value of a cell.
struct Grid {
    const float* boundaries;
    int64_t buckets;
    float low;
    float scale;
    float lastCell;
    std::vector<int32_t> starts; // the first boundary of each cell or a later one
    int64_t crowd = 0; // boundaries in the fullest cell

    int64_t cell(float x) const
    {
        const float at = (x - low) * scale;
        return static_cast<int64_t>(at > 0 ? std::min(at, lastCell) : 0.0f);
    }
};

Grid makeGrid(const float* boundaries, int64_t buckets)
{
    const int64_t cells = std::min<int64_t>(buckets * CELLS, 1 << 22);
    const float scale = static_cast<float>(cells) / (boundaries[buckets - 1] - boundaries[0]);
    Grid grid{ boundaries, buckets, boundaries[0], std::isfinite(scale) ? scale : 0.0f, static_cast<float>(cells - 1),
        {} };
    grid.starts.resize(cells);
    int64_t next = 0;
    for (int64_t b = 0; b < buckets; ++b) {
        const int64_t cell = grid.cell(boundaries[b]);
        for (; next <= cell; ++next)
            grid.starts[next] = static_cast<int32_t>(b);
        grid.crowd = std::max(grid.crowd, b + 1 - grid.starts[cell]);
    }
    for (; next < cells; ++next)
        grid.starts[next] = static_cast<int32_t>(buckets);
    return grid;
}

inline int64_t find(const Grid& grid, float x)
{
    int64_t at = grid.starts[grid.cell(x)];
    while (at < grid.buckets && grid.boundaries[at] < x)
        ++at;
    return at;
}

#ifdef __AVX512F__
inline __m512i findSixteen(const Grid& grid, __m512 x)
{
    const __m512 at = (x - _mm512_set1_ps(grid.low)) * _mm512_set1_ps(grid.scale);
    const __m512 inside = _mm512_maskz_min_ps(
        0xffff, _mm512_maskz_max_ps(0xffff, at, _mm512_setzero_ps()), _mm512_set1_ps(grid.lastCell));
    const __m512i cells = _mm512_maskz_cvttps_epi32(0xffff, inside);
    __m512i found = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xffff, cells, grid.starts.data(), 4);
    const __m512i end = _mm512_set1_epi32(static_cast<int>(grid.buckets));
    __mmask16 open = 0xffff;
    while (true) {
        open = _mm512_mask_cmplt_epi32_mask(open, found, end);
        const __m512 boundary = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), open, found, grid.boundaries, 4);
        open = _mm512_mask_cmp_ps_mask(open, boundary, x, _CMP_LT_OQ);
        if (open == 0)
            return found;
        found = _mm512_mask_add_epi32(found, open, found, _mm512_set1_epi32(1));
    }
}

// 'to' is at the start of a line.
inline void storeSixteen(int64_t* to, __m512i found)
{
    const __m512i low = _mm512_maskz_cvtepi32_epi64(0xff, _mm512_maskz_extracti64x4_epi64(0xf, found, 0));
    const __m512i high = _mm512_maskz_cvtepi32_epi64(0xff, _mm512_maskz_extracti64x4_epi64(0xf, found, 1));
    if (STREAM) {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to), low);
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to + 8), high);
    } else {
        _mm512_store_si512(to, low);
        _mm512_store_si512(to + 8, high);
    }
}
#endif

void findRange(const Grid& grid, const float* x, int64_t* bucket, int64_t count)
{
    int64_t i = 0;
#ifdef __AVX512F__
    for (; i < count && reinterpret_cast<uintptr_t>(bucket + i) % 64 != 0; ++i)
        bucket[i] = find(grid, x[i]);
    for (; i + width <= count; i += width)
        storeSixteen(bucket + i, findSixteen(grid, _mm512_loadu_ps(x + i)));
#endif
    for (; i < count; ++i)
        bucket[i] = find(grid, x[i]);
}

} // namespace

extern "C" void bucketize(const float* x, const float* boundaries, int64_t* bucket, int64_t n, int64_t buckets)
{
    constexpr int64_t chunk = 16384;
    const Grid grid = makeGrid(boundaries, buckets);
#pragma omp parallel for schedule(static)
    for (int64_t from = 0; from < n; from += chunk) {
        const int64_t count = std::min(chunk, n - from);
        if (grid.crowd <= CROWDED)
            findRange(grid, x + from, bucket + from, count);
        for (int64_t i = from; grid.crowd > CROWDED && i < from + count; ++i)
            bucket[i] = std::lower_bound(boundaries, boundaries + buckets, x[i]) - boundaries;
    }
}
