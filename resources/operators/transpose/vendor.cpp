// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// rooftree: flags {"-O3 -march=native -lopenblas"}
#include <cblas.h>
#include <cstdint>

extern "C" void transpose(const float* x, float* y, int64_t rows, int64_t cols)
{
    cblas_somatcopy(CblasRowMajor, CblasTrans, static_cast<int>(rows), static_cast<int>(cols), 1.0f, x,
        static_cast<int>(cols), y, static_cast<int>(rows));
}
