// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// rooftree: flags {"-O3 -march=native -fopenmp -lopenblas"}
#include <cblas.h>
#include <cstdint>
#include <omp.h>

// Declared here too: the netlib header, which may be the one that is found, does not have it.
extern "C" void openblas_set_num_threads(int threads);

extern "C" void matvec(const float* a, const float* x, float* y, int64_t m, int64_t n)
{
    static const bool threadsSet = (openblas_set_num_threads(omp_get_max_threads()), true);
    (void)threadsSet;
    const int rows = static_cast<int>(m);
    const int columns = static_cast<int>(n);
    cblas_sgemv(CblasRowMajor, CblasNoTrans, rows, columns, 1.0F, a, columns, x, 1, 0.0F, y, 1);
}
