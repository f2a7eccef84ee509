// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// One sweep over several rows at a time, with the sums over rows kept per thread and added at the end.
// rooftree: flags {"-O3 -march=native", "-O3 -march=native -ffast-math", "-O2 -march=native"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#define TOGETHER 4 // rooftree: tune {1, 2, 4, 8}
#define STREAM 1 // rooftree: tune {0, 1}
#define AHEAD 2048 // rooftree: tune {0, 1024, 2048, 4096}

namespace {

using Vec = float __attribute__((vector_size(64)));
constexpr int64_t lanes = 16;

inline Vec load(const float* from)
{
    Vec value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

[[maybe_unused]] inline void store(float* to, Vec value)
{
    std::memcpy(to, &value, sizeof value);
}

#if defined(__AVX512F__)
inline float sumOf(Vec v)
{
    return _mm512_reduce_add_ps(v);
}
inline void storeThrough(float* to, Vec value)
{
    _mm512_stream_ps(to, value);
}
inline void fence()
{
    _mm_sfence();
}
#else
inline float sumOf(Vec v)
{
    float sum = 0;
    for (int64_t i = 0; i < lanes; ++i)
        sum += v[i];
    return sum;
}
inline void storeThrough(float* to, Vec value)
{
    *reinterpret_cast<Vec*>(to) = value;
}
inline void fence() { }
#endif

inline void put(float* to, Vec value)
{
#if STREAM
    storeThrough(to, value);
#else
    store(to, value);
#endif
}

// How many elements come before out is aligned to a vector, which streaming stores ask for.
inline int64_t headOf(const float* out, int64_t count)
{
    return std::min<int64_t>(count, -(reinterpret_cast<uintptr_t>(out) / sizeof(float)) % lanes);
}

struct Rows {
    const float* dy;
    const float* x;
    const float* mean;
    const float* rstd;
    float* dx;
};

struct Means {
    float g; // of the gradient with respect to the normalised value
    float gn; // of that times the normalised value
};

// Adds the rows to the sums over rows and takes the means along them.
template <int n> void sums(const Rows& at, const float* gamma, float* dgamma, float* dbeta, int64_t cols, Means* means)
{
    Vec g[n] = {};
    Vec gn[n] = {};
    int64_t c = 0;
    for (; c + lanes <= cols; c += lanes) {
        const Vec weight = load(gamma + c);
        Vec toGamma = load(dgamma + c);
        Vec toBeta = load(dbeta + c);
        for (int k = 0; k < n; ++k) {
            const Vec d = load(at.dy + k * cols + c);
            const Vec normalised = (load(at.x + k * cols + c) - at.mean[k]) * at.rstd[k];
            g[k] += d * weight;
            gn[k] += d * weight * normalised;
            toGamma += d * normalised;
            toBeta += d;
        }
        store(dgamma + c, toGamma);
        store(dbeta + c, toBeta);
    }
    for (int k = 0; k < n; ++k)
        means[k] = { sumOf(g[k]), sumOf(gn[k]) };
    for (; c < cols; ++c) {
        for (int k = 0; k < n; ++k) {
            const float d = at.dy[k * cols + c];
            const float normalised = (at.x[k * cols + c] - at.mean[k]) * at.rstd[k];
            means[k].g += d * gamma[c];
            means[k].gn += d * gamma[c] * normalised;
            dgamma[c] += d * normalised;
            dbeta[c] += d;
        }
    }
}

void gradient(const Rows& at, const float* gamma, int64_t cols, Means means)
{
    const float mean = at.mean[0];
    const float rstd = at.rstd[0];
    const float g = means.g / float(cols);
    const float gn = means.gn / float(cols);
    const auto one = [&](int64_t c) { at.dx[c] = rstd * (at.dy[c] * gamma[c] - g - (at.x[c] - mean) * rstd * gn); };
    int64_t c = 0;
    for (const int64_t head = headOf(at.dx, cols); c < head; ++c)
        one(c);
    for (; c + lanes <= cols; c += lanes) {
#if AHEAD
        __builtin_prefetch(at.dy + c + AHEAD);
        __builtin_prefetch(at.x + c + AHEAD);
#endif
        put(at.dx + c, rstd * (load(at.dy + c) * load(gamma + c) - g - (load(at.x + c) - mean) * rstd * gn));
    }
    for (; c < cols; ++c)
        one(c);
}

template <int n> void rowsTogether(const Rows& at, const float* gamma, float* dgamma, float* dbeta, int64_t cols)
{
    Means means[n];
    sums<n>(at, gamma, dgamma, dbeta, cols, means);
    for (int k = 0; k < n; ++k)
        gradient(
            { at.dy + k * cols, at.x + k * cols, at.mean + k, at.rstd + k, at.dx + k * cols }, gamma, cols, means[k]);
}

} // namespace

extern "C" void layernorm_backward(const float* dy, const float* x, const float* mean, const float* rstd,
    const float* gamma, float* dx, float* dgamma, float* dbeta, int64_t rows, int64_t cols)
{
    std::fill_n(dgamma, cols, 0.0f);
    std::fill_n(dbeta, cols, 0.0f);
    const int64_t groups = rows / TOGETHER;
#pragma omp parallel
    {
        std::vector<float> own(2 * cols);
        float* ownGamma = own.data();
        float* ownBeta = own.data() + cols;
#pragma omp for schedule(static) nowait
        for (int64_t i = 0; i < groups; ++i) {
            const int64_t r = i * TOGETHER;
            const Rows at = { dy + r * cols, x + r * cols, mean + r, rstd + r, dx + r * cols };
            rowsTogether<TOGETHER>(at, gamma, ownGamma, ownBeta, cols);
        }
#pragma omp for schedule(static) nowait
        for (int64_t r = groups * TOGETHER; r < rows; ++r)
            rowsTogether<1>(
                { dy + r * cols, x + r * cols, mean + r, rstd + r, dx + r * cols }, gamma, ownGamma, ownBeta, cols);
        fence();
#pragma omp critical
        for (int64_t c = 0; c < cols; ++c) {
            dgamma[c] += ownGamma[c];
            dbeta[c] += ownBeta[c];
        }
    }
}
