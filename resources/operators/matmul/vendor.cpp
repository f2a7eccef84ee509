// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// rooftree: flags {"-O3 -march=native -fopenmp -lopenblas"}
#include <cblas.h>
#include <cstdint>
#include <omp.h>

// Declared here too: the netlib header, which may be the one that is found, does not have it.
extern "C" void openblas_set_num_threads(int threads);

extern "C" void matmul(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k)
{
    static const bool threadsSet = (openblas_set_num_threads(omp_get_max_threads()), true);
    (void)threadsSet;
    const int rows = static_cast<int>(m);
    const int columns = static_cast<int>(n);
    const int depth = static_cast<int>(k);
    cblas_sgemm(
        CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, depth, 1.0F, a, depth, b, columns, 0.0F, c, columns);
}
