// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rooftree::target {

// The inner loops of the peak measurement for one instruction set. The program is built for any machine of its architecture, so
// the wide ones are compiled with a target of their own and chosen at run time. Array sizes are multiples of 64 doubles,
// arrays are aligned to 64 bytes.
struct PeakLoops {
    const char* name;
    // Independent chains of multiply-add; 'rounds' times flopsPerRound operations. The result only keeps the work alive.
    double (*fma32)(int64_t rounds);
    double (*fma64)(int64_t rounds);
    double flopsPerRound32;
    double flopsPerRound64;
    double (*sum)(const double* from, std::size_t count);
    void (*triad)(double* to, const double* a, const double* b, std::size_t count);
};

// Those that this CPU can run, the widest first.
std::vector<PeakLoops> usablePeakLoops();

// A triad whose stores go around the caches, where the architecture has such stores.
void streamingTriad(double* to, const double* a, const double* b, std::size_t count);

} // namespace rooftree::target
