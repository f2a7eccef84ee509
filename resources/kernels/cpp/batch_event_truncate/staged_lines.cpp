// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Collects the kept events of many lists in a small buffer, from which whole lines are written past the caches.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O2 -march=native -fopenmp"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define PARTS 2 // rooftree: tune {1, 2, 4, 16, 64}
#define AHEAD 0 // rooftree: tune {0, 8, 16, 32}
#define STAGE 1024 // rooftree: tune {256, 1024, 2048}

namespace {

constexpr int64_t width = 8; // events in a line

struct Lists {
    const int64_t* events;
    const int64_t* offsets;
    int64_t lists;
    int64_t keep;

    int64_t kept(int64_t list) const { return std::min(offsets[list + 1] - offsets[list], keep); }

    int64_t keptOf(int64_t first, int64_t last) const
    {
        int64_t sum = 0;
        for (int64_t i = first; i < last; ++i)
            sum += kept(i);
        return sum;
    }
};

inline void prefetchList(const Lists& lists, int64_t list)
{
    if (AHEAD == 0 || list >= lists.lists)
        return;
    const char* last = reinterpret_cast<const char*>(lists.events + lists.offsets[list + 1]);
    for (const char* at = last - lists.kept(list) * 8; at < last; at += 64)
        __builtin_prefetch(at);
}

// 'to' is at the start of a line.
inline void storeLine(int64_t* to, const int64_t* from)
{
#ifdef __AVX512F__
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
#else
    std::copy(from, from + width, to);
#endif
}

inline int64_t toLine(const int64_t* at)
{
    return static_cast<int64_t>((64 - reinterpret_cast<uintptr_t>(at) % 64) % 64 / sizeof(int64_t));
}

// A stretch of the result, written from front to back.
class Writer {
public:
    Writer(const Lists& lists, int64_t* to)
        : m_to(to)
        , m_head(toLine(to))
        , m_end(lists.events + lists.offsets[lists.lists])
        , m_vectors(lists.keep <= mostVectors * width ? (lists.keep + width - 1) / width : 0)
    {
    }

    void write(const int64_t* from, int64_t count)
    {
        if (m_staged + count > STAGE)
            flushLines();
        for (; m_staged + count > STAGE; flushLines()) {
            const int64_t part = STAGE - m_staged;
            std::copy(from, from + part, m_stage + m_staged);
            m_staged += part;
            from += part;
            count -= part;
        }
        stage(from, count);
    }

    void zero(int64_t count)
    {
        finish();
        for (m_head = toLine(m_to); count > 0 && m_head > 0; --m_head, --count)
            *m_to++ = 0;
        const int64_t zeros[width] = {};
        for (; count >= width; count -= width, m_to += width)
            storeLine(m_to, zeros);
        std::fill(m_to, m_to + count, 0);
    }

    // What does not fill a line goes through the caches, as the line may belong to another thread in part.
    void finish()
    {
        flushLines();
        std::copy(m_stage, m_stage + m_staged, m_to);
        m_to += m_staged;
        m_staged = 0;
    }

private:
    static constexpr int64_t mostVectors = 4;

    // Short lists: as many vectors as the longest one needs, so that no branch depends on a length. What is too much is
    // overwritten by the next list.
    void stage(const int64_t* from, int64_t count)
    {
        int64_t* to = m_stage + m_staged;
        m_staged += count;
        if (m_vectors == 0 || from + m_vectors * width > m_end) {
            std::copy(from, from + count, to);
            return;
        }
        for (int64_t v = 0; v < m_vectors; ++v)
            std::memcpy(to + v * width, from + v * width, width * sizeof(int64_t));
    }

    void flushLines()
    {
        const int64_t head = std::min(m_head, m_staged);
        std::copy(m_stage, m_stage + head, m_to);
        m_head -= head;
        int64_t done = head;
        for (; done + width <= m_staged; done += width)
            storeLine(m_to + done, m_stage + done);
        m_to += done;
        std::copy(m_stage + done, m_stage + m_staged, m_stage);
        m_staged -= done;
    }

    int64_t* m_to;
    int64_t m_head; // events before the first whole line
    const int64_t* m_end; // of the events
    int64_t m_vectors; // in the longest list that may stay; 0: many
    int64_t m_staged = 0;
    alignas(64) int64_t m_stage[STAGE + mostVectors * width];
};

} // namespace

extern "C" void batch_event_truncate(const int64_t* events, const int64_t* offsets, int64_t* kept,
    int64_t* kept_offsets, int64_t lists, int64_t keep, int64_t)
{
    const Lists all{ events, offsets, lists, keep };
    std::vector<int64_t> starts(PARTS + 1);
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < PARTS; ++p)
        starts[p + 1] = all.keptOf(lists * p / PARTS, lists * (p + 1) / PARTS);
    for (int64_t p = 0; p < PARTS; ++p)
        starts[p + 1] += starts[p];
    kept_offsets[0] = 0;
    const int64_t rest = lists * keep - starts[PARTS];
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < PARTS; ++p) {
        Writer writer(all, kept + starts[p]);
        int64_t next = starts[p];
        for (int64_t i = lists * p / PARTS; i < lists * (p + 1) / PARTS; ++i) {
            prefetchList(all, i + AHEAD);
            const int64_t count = all.kept(i);
            writer.write(events + offsets[i + 1] - count, count);
            next += count;
            kept_offsets[i + 1] = next;
        }
        writer.finish();
        Writer(all, kept + starts[PARTS] + rest * p / PARTS).zero(rest * (p + 1) / PARTS - rest * p / PARTS);
    }
}
