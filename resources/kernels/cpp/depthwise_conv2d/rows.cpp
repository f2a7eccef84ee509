// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Nine shifted vector products for a row at a time into a buffer in the cache, which is then streamed past the caches to y.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O3 -march=native -fopenmp -ffast-math"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <vector>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define BUFFER_ROWS 16 // rooftree: tune {1, 4, 8, 16, 32, 64}
#define STREAM 1 // rooftree: tune {0, 1}

namespace {

// A copy that leaves the caches alone: y is not read again, and its lines need not be fetched before they are written.
void streamOut(const float* from, float* to, int64_t count)
{
    int64_t i = 0;
#if defined(__SSE2__)
    while (STREAM != 0 && i < count && reinterpret_cast<uintptr_t>(to + i) % 64 != 0) {
        to[i] = from[i];
        ++i;
    }
#if defined(__AVX512F__)
    for (; STREAM != 0 && i + 16 <= count; i += 16)
        _mm512_stream_ps(to + i, _mm512_loadu_ps(from + i));
#else
    for (; STREAM != 0 && i + 4 <= count; i += 4)
        _mm_stream_ps(to + i, _mm_loadu_ps(from + i));
#endif
#endif
    std::copy(from + i, from + count, to + i);
}

struct Rows {
    const float* above;
    const float* here;
    const float* below;
};

float sumAt(const Rows& x, const float* taps, int64_t column, int64_t w)
{
    float sum = 0;
    for (int64_t s = std::max<int64_t>(0, 1 - column); s < std::min<int64_t>(3, w + 1 - column); ++s) {
        const int64_t j = column + s - 1;
        sum += taps[s] * x.above[j] + taps[3 + s] * x.here[j] + taps[6 + s] * x.below[j];
    }
    return sum;
}

void convolveRow(const Rows& x, const float* taps, int64_t w, float* __restrict y)
{
    const float a0 = taps[0], a1 = taps[1], a2 = taps[2];
    const float b0 = taps[3], b1 = taps[4], b2 = taps[5];
    const float c0 = taps[6], c1 = taps[7], c2 = taps[8];
    y[0] = sumAt(x, taps, 0, w);
    for (int64_t j = 1; j < w - 1; ++j)
        y[j] = (a0 * x.above[j - 1] + a1 * x.above[j] + a2 * x.above[j + 1])
            + (b0 * x.here[j - 1] + b1 * x.here[j] + b2 * x.here[j + 1])
            + (c0 * x.below[j - 1] + c1 * x.below[j] + c2 * x.below[j + 1]);
    y[w - 1] = sumAt(x, taps, w - 1, w);
}

} // namespace

extern "C" void depthwise_conv2d(
    const float* x, const float* weights, float* y, int64_t n, int64_t c, int64_t h, int64_t w)
{
#pragma omp parallel
    {
        std::vector<float> buffer(BUFFER_ROWS * w);
        const std::vector<float> zeros(w);
#pragma omp for schedule(static)
        for (int64_t plane = 0; plane < n * c; ++plane) {
            const float* from = x + plane * h * w;
            for (int64_t top = 0; top < h; top += BUFFER_ROWS) {
                const int64_t rows = std::min<int64_t>(BUFFER_ROWS, h - top);
                for (int64_t row = top; row < top + rows; ++row) {
                    const float* here = from + row * w;
                    const Rows three{ row > 0 ? here - w : zeros.data(), here, row + 1 < h ? here + w : zeros.data() };
                    convolveRow(three, weights + plane % c * 9, w, buffer.data() + (row - top) * w);
                }
                streamOut(buffer.data(), y + (plane * h + top) * w, rows * w);
            }
        }
    }
}
