// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Plain loops that the compiler vectorises; the sums over rows are kept per thread and added at the end.
// rooftree: flags {"-O3 -march=native", "-O3 -march=native -mprefer-vector-width=512", "-O3 -march=native -ffast-math -mprefer-vector-width=512"}
// rooftree: compiler {"g++", "clang++"}
#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

// The two means that a row's gradient needs; its share of the sums over rows is added on the way.
inline void sums(const float* dy, const float* x, float mean, float rstd, const float* gamma, float* dgamma,
    float* dbeta, int64_t cols, float* means)
{
    float g[16] = {};
    float gn[16] = {};
    int64_t c = 0;
    for (; c + 16 <= cols; c += 16) {
#pragma omp simd
        for (int64_t k = 0; k < 16; ++k) {
            const float normalised = (x[c + k] - mean) * rstd;
            const float weighted = dy[c + k] * gamma[c + k];
            g[k] += weighted;
            gn[k] += weighted * normalised;
            dgamma[c + k] += dy[c + k] * normalised;
            dbeta[c + k] += dy[c + k];
        }
    }
    for (; c < cols; ++c) {
        const float normalised = (x[c] - mean) * rstd;
        g[0] += dy[c] * gamma[c];
        gn[0] += dy[c] * gamma[c] * normalised;
        dgamma[c] += dy[c] * normalised;
        dbeta[c] += dy[c];
    }
    means[0] = means[1] = 0;
    for (int64_t k = 0; k < 16; ++k) {
        means[0] += g[k] / float(cols);
        means[1] += gn[k] / float(cols);
    }
}

} // namespace

extern "C" void layernorm_backward(const float* dy, const float* x, const float* mean, const float* rstd,
    const float* gamma, float* dx, float* dgamma, float* dbeta, int64_t rows, int64_t cols)
{
    std::fill_n(dgamma, cols, 0.0f);
    std::fill_n(dbeta, cols, 0.0f);
#pragma omp parallel
    {
        std::vector<float> own(2 * cols);
        float* ownGamma = own.data();
        float* ownBeta = own.data() + cols;
#pragma omp for schedule(static) nowait
        for (int64_t r = 0; r < rows; ++r) {
            float means[2];
            sums(dy + r * cols, x + r * cols, mean[r], rstd[r], gamma, ownGamma, ownBeta, cols, means);
#pragma omp simd
            for (int64_t c = 0; c < cols; ++c) {
                const int64_t i = r * cols + c;
                dx[i] = rstd[r] * (dy[i] * gamma[c] - means[0] - (x[i] - mean[r]) * rstd[r] * means[1]);
            }
        }
#pragma omp critical
        for (int64_t c = 0; c < cols; ++c) {
            dgamma[c] += ownGamma[c];
            dbeta[c] += ownBeta[c];
        }
    }
}
