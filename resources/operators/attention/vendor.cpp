// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// OpenBLAS: two products for a head with a softmax between them; the heads in parallel, or OpenBLAS's threads for few heads.
// rooftree: flags {"-O3 -march=native -ffast-math -fopenmp -lopenblas"}
#include <algorithm>
#include <cblas.h>
#include <cmath>
#include <cstdint>
#include <omp.h>
#include <vector>

// Declared here too: the netlib header, which may be the one that is found, does not have it.
extern "C" void openblas_set_num_threads(int threads);

namespace {

void softmaxRow(float* row, int64_t size)
{
    float largest = row[0];
    for (int64_t j = 1; j < size; ++j)
        largest = std::max(largest, row[j]);
    float sum = 0;
    for (int64_t j = 0; j < size; ++j) {
        row[j] = std::exp(row[j] - largest);
        sum += row[j];
    }
    const float factor = 1 / sum;
    for (int64_t j = 0; j < size; ++j)
        row[j] *= factor;
}

}

extern "C" void attention(
    const float* q, const float* k, const float* v, float* y, int64_t heads, int64_t seq, int64_t dim)
{
    const bool many = heads >= omp_get_max_threads();
    openblas_set_num_threads(many ? 1 : omp_get_max_threads());
    const int rows = static_cast<int>(seq);
    const int depth = static_cast<int>(dim);
    const float scale = 1 / std::sqrt(static_cast<float>(dim));
#pragma omp parallel for schedule(dynamic) if (many)
    for (int64_t head = 0; head < heads; ++head) {
        const int64_t first = head * seq * dim;
        thread_local std::vector<float> scores;
        scores.resize(seq * seq);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, rows, depth, scale, q + first, depth, k + first,
            depth, 0.0F, scores.data(), rows);
        float* weights = scores.data();
#pragma omp parallel for if (!many)
        for (int64_t i = 0; i < seq; ++i)
            softmaxRow(weights + i * seq, seq);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, depth, rows, 1.0F, weights, rows, v + first, depth,
            0.0F, y + first, depth);
    }
}
