// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Online softmax: blocks of keys pass by a block of query rows, both products in register tiles, the scores stay in the caches.
// rooftree: flags {"-O3 -march=native -fopenmp", "-O3 -march=native -fopenmp -ffast-math"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#define ROWS 6 // rooftree: tune {4, 6, 8, 9, 12, 14}
#define VECTORS 4 // rooftree: tune {1, 2, 3, 4}
#define BLOCK_TILES 16 // rooftree: tune {1, 4, 8, 16, 32}
#define BLOCK_KEYS 256 // rooftree: tune {64, 128, 256, 512}
// rooftree: require ROWS * VECTORS + VECTORS <= 31

namespace {

#if defined(__AVX512F__)
constexpr int lanes = 16;
constexpr int registers = 32;
#elif defined(__AVX__)
constexpr int lanes = 8;
constexpr int registers = 16;
#else
constexpr int lanes = 4;
constexpr int registers = 16;
#endif
typedef float Vector __attribute__((vector_size(4 * lanes), may_alias));
typedef int32_t Whole __attribute__((vector_size(4 * lanes)));

// The register tile: height rows x width keys or elements of the head, no larger than the registers allow.
constexpr int vectors = std::min(VECTORS, registers / 8);
constexpr int height = std::min(ROWS, (registers - 1 - vectors) / vectors);
constexpr int width = vectors * lanes;
constexpr int64_t blockKeys = std::max(1, BLOCK_KEYS / width) * width;
constexpr int64_t blockRows = BLOCK_TILES * height;
constexpr float lowest = std::numeric_limits<float>::lowest();

constexpr int64_t roundUp(int64_t x, int64_t y)
{
    return (x + y - 1) / y * y;
}

inline Vector larger(Vector a, Vector b)
{
#if defined(__AVX512F__)
    return _mm512_max_ps(a, b);
#else
    return a > b ? a : b;
#endif
}

float largestOf(Vector v)
{
    float largest = v[0];
    for (int i = 1; i < lanes; ++i)
        largest = std::max(largest, v[i]);
    return largest;
}

float sumOf(Vector v)
{
    float sum = 0;
    for (int i = 0; i < lanes; ++i)
        sum += v[i];
    return sum;
}

// 2^x to 2 ulp for x <= 0: a power of two times a polynomial in the fraction. What is far below zero becomes nothing.
inline Vector powerOfTwo(Vector x)
{
#if defined(__AVX512F__)
    x = _mm512_max_ps(Vector{} - 1000.0F, x);
    const Vector n = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
    x = x < -126.0F ? Vector{} - 126.0F : x;
    const Whole whole = __builtin_convertvector(x - 0.5F, Whole);
    const Vector n = __builtin_convertvector(whole, Vector);
#endif
    const Vector f = x - n;
    Vector p = f * 0.00132764718F + 0.00967554133F;
    p = p * f + 0.0555071327F;
    p = p * f + 0.240221197F;
    p = p * f + 0.693146967F;
    p = p * f + 1.00000007F;
#if defined(__AVX512F__)
    return _mm512_scalef_ps(p, n);
#else
    return p * reinterpret_cast<Vector>((whole + 127) << 23);
#endif
}

struct Free {
    void operator()(float* p) const { std::free(p); }
};
using Buffer = std::unique_ptr<float, Free>;

// Grows and is kept, since fresh pages cost more than packing does.
struct Scratch {
    Buffer buffer;
    int64_t size = 0;

    float* floats(int64_t count)
    {
        if (size < count) {
            buffer.reset(static_cast<float*>(std::aligned_alloc(64, roundUp(count, 16) * 4)));
            size = buffer ? count : 0;
        }
        return buffer.get();
    }
};

struct Shape {
    int64_t seq;
    int64_t dim;
    int64_t keys; // padded to whole panels
    int64_t depth; // dim padded to whole vectors
};

// 'width' keys, transposed: the values that one step of the tile needs lie together. Missing keys are zeros.
void packKeys(const float* k, int64_t keys, int64_t dim, float* to)
{
    constexpr int64_t step = 16;
    for (int64_t d = 0; d < dim; d += step) {
        const int64_t end = std::min(dim, d + step);
        for (int64_t j = 0; j < width; ++j)
            for (int64_t e = d; e < end; ++e)
                to[e * width + j] = j < keys ? k[j * dim + e] : 0.0F;
    }
}

// The same keys' values: panels of 'width' elements, the last one narrower, each with all keys of the head.
void packValues(const float* v, int64_t key, const Shape& shape, float* to)
{
    for (int64_t j = key; j < key + width; ++j) {
        for (int64_t d = 0; d < shape.depth; d += width) {
            const int64_t wide = std::min<int64_t>(width, shape.depth - d);
            float* row = to + d * shape.keys + j * wide;
            for (int64_t e = 0; e < wide; ++e)
                row[e] = j < shape.seq && d + e < shape.dim ? v[j * shape.dim + d + e] : 0.0F;
        }
    }
}

// 'height' rows of q, transposed and scaled for powers of two.
void packRows(const float* q, int64_t rows, int64_t dim, float* to)
{
    const float scale = static_cast<float>(1.4426950408889634 / std::sqrt(static_cast<double>(dim)));
    for (int64_t d = 0; d < dim; ++d)
        for (int64_t i = 0; i < height; ++i)
            to[d * height + i] = i < rows ? q[i * dim + d] * scale : 0.0F;
}

// sum += rows of a (element (i, p) at i * down + p * along) times a panel of b.
template <int Wide>
inline void multiply(
    Vector (&sum)[height][Wide], const float* a, int64_t down, int64_t along, const float* b, int64_t depth)
{
#pragma GCC unroll 1
    for (int64_t p = 0; p < depth; ++p) {
        Vector row[Wide];
#pragma GCC unroll 4
        for (int v = 0; v < Wide; ++v)
            row[v] = *reinterpret_cast<const Vector*>(b + p * Wide * lanes + v * lanes);
#pragma GCC unroll 16
        for (int i = 0; i < height; ++i) {
            const float factor = a[i * down + p * along];
#pragma GCC unroll 4
            for (int v = 0; v < Wide; ++v)
                sum[i][v] += factor * row[v];
            asm volatile("" ::: "memory"); // else clang loads all factors first and has no registers left for the sums
        }
    }
}

// scores = rows of q times 'width' keys
void scoreTile(const float* q, const float* keys, int64_t dim, float* scores)
{
    Vector sum[height][vectors] = {};
    multiply<vectors>(sum, q, 1, height, keys, dim);
#pragma GCC unroll 16
    for (int i = 0; i < height; ++i)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            *reinterpret_cast<Vector*>(scores + i * blockKeys + v * lanes) = sum[i][v];
}

// out = out * factors + weights times a panel of values
template <int Wide>
void valueTile(
    const float* weights, const float* values, int64_t keys, const float* factors, float* out, int64_t stride)
{
    Vector sum[height][Wide];
#pragma GCC unroll 16
    for (int i = 0; i < height; ++i)
#pragma GCC unroll 4
        for (int v = 0; v < Wide; ++v)
            sum[i][v] = factors[i] * *reinterpret_cast<const Vector*>(out + i * stride + v * lanes);
    multiply<Wide>(sum, weights, blockKeys, 1, values, keys);
#pragma GCC unroll 16
    for (int i = 0; i < height; ++i)
#pragma GCC unroll 4
        for (int v = 0; v < Wide; ++v)
            *reinterpret_cast<Vector*>(out + i * stride + v * lanes) = sum[i][v];
}

template <int Wide = vectors>
void valuePanel(int64_t wide, const float* weights, const float* values, int64_t keys, const float* factors, float* out,
    int64_t stride)
{
    if constexpr (Wide > 1) {
        if (wide < Wide * lanes) {
            valuePanel<Wide - 1>(wide, weights, values, keys, factors, out, stride);
            return;
        }
    }
    valueTile<Wide>(weights, values, keys, factors, out, stride);
}

// What the online softmax knows of one row.
struct alignas(64) Row {
    Vector sum; // of the weights so far, by lanes
    float largest; // score so far
};

// Turns the scores of a row into weights; the factor for what was summed before comes back.
float weigh(float* scores, int64_t keys, Row& row)
{
    Vector most = Vector{} + row.largest;
    for (int64_t j = 0; j < keys; j += lanes)
        most = larger(*reinterpret_cast<const Vector*>(scores + j), most);
    const float largest = largestOf(most);
    const float factor = powerOfTwo(Vector{} + (row.largest - largest))[0];
    Vector sum[2] = { row.sum * factor, {} };
    for (int64_t j = 0; j < keys; j += lanes) {
        Vector& score = *reinterpret_cast<Vector*>(scores + j);
        score = powerOfTwo(score - largest);
        sum[j / lanes % 2] += score;
    }
    row.sum = sum[0] + sum[1];
    row.largest = largest;
    return factor;
}

// One tile of rows meets one block of keys.
void meet(
    const Shape& shape, const float* q, const float* keys, const float* values, int64_t start, Row* rows, float* out)
{
    alignas(64) float scores[height * blockKeys];
    alignas(64) float factors[height];
    const int64_t count = std::min(blockKeys, shape.keys - start);
    for (int64_t j = 0; j < count; j += width)
        scoreTile(q, keys + (start + j) * shape.dim, shape.dim, scores + j);
    for (int i = 0; i < height; ++i) {
        float* row = scores + i * blockKeys;
        if (start + count > shape.seq)
            std::fill(row + shape.seq - start, row + count, lowest);
        factors[i] = weigh(row, count, rows[i]);
    }
    const int64_t used = std::min(count, shape.seq - start);
    for (int64_t d = 0; d < shape.depth; d += width) {
        const int64_t wide = std::min<int64_t>(width, shape.depth - d);
        valuePanel(wide, scores, values + d * shape.keys + start * wide, used, factors, out + d, shape.depth);
    }
}

void attend(const Shape& shape, const float* q, const float* keys, const float* values, float* y, int64_t count)
{
    thread_local Scratch scratch;
    float* packed = scratch.floats(blockRows * (shape.dim + shape.depth) + 16);
    float* out = packed + roundUp(blockRows * shape.dim, 16);
    Row rows[blockRows];
    std::fill_n(rows, blockRows, Row{ {}, lowest });
    std::fill_n(out, blockRows * shape.depth, 0.0F);
    for (int64_t i = 0; i < count; i += height)
        packRows(q + i * shape.dim, std::min<int64_t>(height, count - i), shape.dim, packed + i * shape.dim);
    for (int64_t start = 0; start < shape.seq; start += blockKeys)
        for (int64_t i = 0; i < count; i += height)
            meet(shape, packed + i * shape.dim, keys, values, start, rows + i, out + i * shape.depth);
    for (int64_t i = 0; i < count; ++i) {
        const float factor = 1 / sumOf(rows[i].sum);
        for (int64_t d = 0; d < shape.dim; ++d)
            y[i * shape.dim + d] = out[i * shape.depth + d] * factor;
    }
}

} // namespace

extern "C" void attention(
    const float* q, const float* k, const float* v, float* y, int64_t heads, int64_t seq, int64_t dim)
{
    thread_local Scratch scratch;
    const Shape shape{ seq, dim, roundUp(seq, width), roundUp(dim, lanes) };
    float* keys = scratch.floats(heads * shape.keys * (dim + shape.depth));
    float* values = keys + heads * shape.keys * dim;
#pragma omp parallel
    {
#pragma omp for collapse(2) schedule(static)
        for (int64_t head = 0; head < heads; ++head) {
            for (int64_t j = 0; j < seq; j += width) {
                packKeys(k + (head * seq + j) * dim, seq - j, dim, keys + (head * shape.keys + j) * dim);
                packValues(v + head * seq * dim, j, shape, values + head * shape.keys * shape.depth);
            }
        }
#pragma omp for collapse(2) schedule(dynamic)
        for (int64_t head = 0; head < heads; ++head) {
            for (int64_t i = 0; i < seq; i += blockRows) {
                const int64_t first = (head * seq + i) * dim;
                attend(shape, q + first, keys + head * shape.keys * dim, values + head * shape.keys * shape.depth,
                    y + first, std::min(blockRows, seq - i));
            }
        }
    }
}
