// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/measure/evaluation.h"
#include "core/worker/timer.h"
#include "core/worker/verifier.h"

#include <optional>

namespace rooftree::worker {

// The correctness ladder of an evaluation: what each stage that ran has shown, and why the other rungs were not tried.
struct Evidence {
    bool compiled = false;
    std::string compileReason;
    const Verification* verification = nullptr;
    const TimedRun* timed = nullptr;
};
std::vector<measure::Rung> certificateOf(const spec::Operator& op, const Evidence& evidence);

} // namespace rooftree::worker
