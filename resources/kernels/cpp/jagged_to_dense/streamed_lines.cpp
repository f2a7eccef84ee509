// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Writes whole cache lines past the caches, the line where a row's events end and its zeros begin included.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define ROWS 64 // rooftree: tune {8, 64, 256, 1024}
#define AHEAD 1024 // rooftree: tune {0, 512, 1024, 2048, 4096}
#define STREAM 1 // rooftree: tune {0, 1}

namespace {

constexpr int64_t width = 16; // floats in a line

inline int64_t floatsToLine(const float* at)
{
    return static_cast<int64_t>((64 - reinterpret_cast<uintptr_t>(at) % 64) % 64 / sizeof(float));
}

// 'count' floats of which the first 'present' come from 'from' and the others are zero.
inline void copyPart(const float* from, float* to, int64_t present, int64_t count)
{
    present = std::clamp<int64_t>(present, 0, count);
    for (int64_t i = 0; i < present; ++i)
        to[i] = from[i];
    for (int64_t i = present; i < count; ++i)
        to[i] = 0;
}

#ifdef __AVX512F__
inline void storeLine(float* to, __m512 line)
{
    if (STREAM)
        _mm512_stream_ps(to, line);
    else
        _mm512_store_ps(to, line);
}

// 'to' is at the start of a line.
inline void copyLines(const float* from, float* to, int64_t present, int64_t lines)
{
    const int64_t whole = std::clamp<int64_t>(present / width, 0, lines);
    for (int64_t i = 0; i < whole; ++i) {
        if (AHEAD > 0)
            _mm_prefetch(reinterpret_cast<const char*>(from + i * width) + AHEAD, _MM_HINT_T0);
        storeLine(to + i * width, _mm512_loadu_ps(from + i * width));
    }
    if (whole < lines) {
        const int64_t rest = std::clamp<int64_t>(present - whole * width, 0, width);
        const auto some = static_cast<__mmask16>((1u << rest) - 1);
        storeLine(to + whole * width, _mm512_maskz_loadu_ps(some, from + whole * width));
    }
    for (int64_t i = whole + 1; i < lines; ++i)
        storeLine(to + i * width, _mm512_setzero_ps());
}
#else
inline void copyLines(const float* from, float* to, int64_t present, int64_t lines)
{
    copyPart(from, to, present, lines * width);
}
#endif

} // namespace

extern "C" void jagged_to_dense(
    const float* values, const int64_t* offsets, float* dense, int64_t rows, int64_t length, int64_t dim, int64_t)
{
    const int64_t count = length * dim;
#pragma omp parallel for schedule(dynamic, ROWS)
    for (int64_t r = 0; r < rows; ++r) {
        const int64_t present = std::min((offsets[r + 1] - offsets[r]) * dim, count);
        const float* from = values + offsets[r] * dim;
        float* row = dense + r * count;
        const int64_t head = std::min(floatsToLine(row), count);
        const int64_t lines = (count - head) / width;
        const int64_t tail = head + lines * width;
        copyPart(from, row, present, head);
        copyLines(from + head, row + head, present - head, lines);
        copyPart(from + tail, row + tail, present - tail, count - tail);
    }
}
