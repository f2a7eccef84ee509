// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_fwd.h"
#include "core/base/rng.h"
#include "core/measure/evaluation.h"

#include <vector>

namespace rooftree::measure {

enum class Verdict { Faster, Slower, Same, Ambiguous };
std::string_view verdictName(Verdict verdict); // "FASTER", ...
std::optional<Verdict> verdictFromName(std::string_view name);

// One interleaved pair, in nanoseconds, of the process pair (block) in which it was taken.
struct DuelPair {
    int process = 0;
    double candidateNs = 0;
    double incumbentNs = 0;
};

struct DuelCase {
    spec::Axes axes;
    std::vector<DuelPair> pairs;
    Interval speedup;
};

struct DuelResult {
    Verdict verdict = Verdict::Ambiguous;
    Interval speedup; // incumbent time over candidate time, 95 %, geometric mean over the cases
    double margin = 0.02;
    int pairs = 0;
    std::vector<DuelCase> cases;
};

// The rule of the champion duel: d = ln(candidate / incumbent) per pair, averaged over the cases; point = median; interval = bootstrap of 10,000
// resamples, processes first, then pairs inside, widened for few processes. FASTER when the interval's upper end is below -ln(1 + margin), SLOWER when the
// lower end is above +ln(1 + margin), SAME when it is wholly inside, else AMBIGUOUS. Deterministic for a given rng.
DuelResult judgeDuel(std::vector<DuelCase> cases, double margin, Rng rng);

Json toJson(const DuelResult& result); // {verdict, ratio{value,lo,hi}, pairs, margin, cases[]}
Result<DuelResult> duelFromJson(const Json& json);

} // namespace rooftree::measure
