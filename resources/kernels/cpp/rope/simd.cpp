// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
// Rope in plain loops that the compiler vectorises, with the sines of a token computed once for all its heads.
// rooftree: flags {"-O3 -march=native", "-O3 -march=native -mprefer-vector-width=512", "-O3 -march=native -ffast-math -mprefer-vector-width=512"}
// rooftree: compiler {"g++", "clang++"}
#include <cstdint>
#include <vector>

#define TOKENS_PER_TASK 4 // rooftree: tune {1, 4, 16, 64}

namespace {

// Sine and cosine of any angle up to a million, to 1e-7: quarter turns are taken off in double precision.
inline void turn(float angle, float& cosine, float& sine)
{
    const double a = angle;
    const int32_t quarter = int32_t(a * 0.63661977236758134308);
    const float r = float(a - quarter * 1.57079632679489661923); // within a quarter turn of 0, on the side of the angle
    const float s = r * r;
    const float sinR =
        r * (0.999999979f + s * (-0.166666486f + s * (0.00833291144f + s * (-0.000198014538f + s * 2.59139965e-6f))));
    const float cosR = 1.0f
        + s
            * (-0.499999994f
                + s * (0.0416666361f + s * (-0.00138883598f + s * (2.47600799e-5f + s * -2.60500276e-7f))));
    const float first = quarter & 1 ? cosR : sinR;
    const float second = quarter & 1 ? sinR : cosR;
    sine = quarter & 2 ? -first : first;
    cosine = (quarter + 1) & 2 ? -second : second;
}

inline void rotated(const float* in, const float* cosine, const float* sine, float* out, int64_t half)
{
#pragma omp simd
    for (int64_t i = 0; i < half; ++i) {
        out[i] = in[i] * cosine[i] - in[half + i] * sine[i];
        out[half + i] = in[half + i] * cosine[i] + in[i] * sine[i];
    }
}

} // namespace

extern "C" void rope(const float* x, const float* angle, float* y, int64_t tokens, int64_t heads, int64_t half)
{
#pragma omp parallel
    {
        std::vector<float> table(2 * half);
        float* cosine = table.data();
        float* sine = table.data() + half;
#pragma omp for schedule(dynamic, TOKENS_PER_TASK)
        for (int64_t t = 0; t < tokens; ++t) {
#pragma omp simd
            for (int64_t i = 0; i < half; ++i)
                turn(angle[t * half + i], cosine[i], sine[i]);
            for (int64_t h = 0; h < heads; ++h)
                rotated(x + (t * heads + h) * 2 * half, cosine, sine, y + (t * heads + h) * 2 * half, half);
        }
    }
}
