// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <cstdint>

extern "C" void layernorm_backward(const real* dy, const real* x, const real* mean, const real* rstd, const real* gamma,
    real* dx, real* dgamma, real* dbeta, int64_t rows, int64_t cols)
{
    for (int64_t c = 0; c < cols; ++c)
        dgamma[c] = dbeta[c] = 0;
    for (int64_t r = 0; r < rows; ++r) {
        const int64_t at = r * cols;
        real meanG = 0; // of the gradient with respect to the normalised value
        real meanGN = 0; // of that times the normalised value
        for (int64_t c = 0; c < cols; ++c) {
            const real normalised = (x[at + c] - mean[r]) * rstd[r];
            meanG += dy[at + c] * gamma[c];
            meanGN += dy[at + c] * gamma[c] * normalised;
            dgamma[c] += dy[at + c] * normalised;
            dbeta[c] += dy[at + c];
        }
        meanG /= real(cols);
        meanGN /= real(cols);
        for (int64_t c = 0; c < cols; ++c) {
            const real normalised = (x[at + c] - mean[r]) * rstd[r];
            dx[at + c] = rstd[r] * (dy[at + c] * gamma[c] - meanG - normalised * meanGN);
        }
    }
}
