// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

// weights = softmax(q . each of the keys, scaled)
void attend(const real* q, const real* keys, std::vector<real>& weights, int64_t seq, int64_t dim)
{
    const real scale = 1 / std::sqrt(real(dim));
    for (int64_t j = 0; j < seq; ++j) {
        real score = 0;
        for (int64_t d = 0; d < dim; ++d)
            score += q[d] * keys[j * dim + d];
        weights[j] = score * scale;
    }
    const real largest = *std::max_element(weights.begin(), weights.end());
    real sum = 0;
    for (int64_t j = 0; j < seq; ++j) {
        weights[j] = std::exp(weights[j] - largest);
        sum += weights[j];
    }
    for (int64_t j = 0; j < seq; ++j)
        weights[j] /= sum;
}

}

extern "C" void attention(const real* q, const real* k, const real* v, real* y, int64_t heads, int64_t seq, int64_t dim)
{
    std::vector<real> weights(seq);
    for (int64_t head = 0; head < heads; ++head) {
        const int64_t first = head * seq * dim;
        for (int64_t i = 0; i < seq; ++i) {
            attend(q + first + i * dim, k + first, weights, seq, dim);
            real* to = y + first + i * dim;
            std::fill(to, to + dim, real(0));
            for (int64_t j = 0; j < seq; ++j) {
                for (int64_t d = 0; d < dim; ++d)
                    to[d] += weights[j] * v[first + j * dim + d];
            }
        }
    }
}
