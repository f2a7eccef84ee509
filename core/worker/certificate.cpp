// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/certificate.h"

#include <algorithm>
#include <cmath>

namespace rooftree::worker {

namespace {

using measure::CaseResult;
using measure::EvaluationStatus;
using measure::Rung;
using measure::RungStatus;

constexpr const char* notDefault = "not part of this version's default level";

Rung rung(const char* name, bool pass, std::string reason)
{
    return { name, pass ? RungStatus::Pass : RungStatus::Fail, std::move(reason) };
}

Rung notRun(const char* name, std::string reason)
{
    return { name, RungStatus::NotRun, std::move(reason) };
}

bool anyCompared(const Verification& verification)
{
    return std::any_of(verification.cases.begin(), verification.cases.end(),
        [](const CaseResult& c) { return c.correctness.has_value(); });
}

Rung finiteRung(const Verification& verification)
{
    for (const auto& result : verification.cases) {
        const auto& first = result.correctness ? result.correctness->first : std::optional<measure::ElementError>{};
        if (first && std::isfinite(first->got) != std::isfinite(first->expected))
            return rung("finite", false, result.reason);
    }
    return rung("finite", true, "NaN and infinity only where the reference has them");
}

Rung toleranceRung(const Verification& verification)
{
    for (const auto& result : verification.cases) {
        if (result.correctness && result.correctness->wrong > 0)
            return rung("tolerance", false, result.reason);
    }
    return rung("tolerance", verification.status == EvaluationStatus::Passed, verification.reason);
}

Rung bitwiseRung(const Verification& verification)
{
    const bool all = std::all_of(verification.cases.begin(), verification.cases.end(),
        [](const CaseResult& c) { return c.correctness && c.correctness->bitwise; });
    return all ? rung("bitwise", true, "equal to the rounded reference in every bit")
               : notRun("bitwise", "not equal to the reference in every bit, and the operator does not ask for it");
}

Rung determinismRung(const Verification& verification)
{
    bool looked = false;
    for (const auto& result : verification.cases) {
        const auto same = result.correctness ? result.correctness->deterministic : std::nullopt;
        looked |= same.has_value();
        if (same && !*same)
            return rung("determinism", false,
                "two calls with the same input differ in some bits (case "
                    + spec::caseName({ result.axes, result.role }) + "); both are within the tolerance");
    }
    return looked ? rung("determinism", true, "two calls with the same input gave the same bits")
                  : notRun("determinism", "every case is too slow or too large for a second call");
}

Rung casesRung(const char* name, const spec::Operator& op, const Verification& verification, bool heldOutOnly)
{
    const auto counts = [&](spec::Role role) { return !heldOutOnly || role == spec::Role::HeldOut; };
    const auto wanted =
        std::count_if(op.cases.begin(), op.cases.end(), [&](const spec::Case& c) { return counts(c.role); });
    const auto passed = std::count_if(verification.cases.begin(), verification.cases.end(),
        [&](const CaseResult& c) { return counts(c.role) && c.status == EvaluationStatus::Passed; });
    if (wanted == 0)
        return notRun(name, "the operator has no such case");
    const std::string text = std::to_string(passed) + " of " + std::to_string(wanted) + " cases passed";
    const bool failed = std::any_of(verification.cases.begin(), verification.cases.end(),
        [&](const CaseResult& c) { return counts(c.role) && c.status != EvaluationStatus::Passed; });
    return passed == wanted || failed ? rung(name, !failed, text) : notRun(name, text + "; an earlier case had failed");
}

Rung recheckRung(const TimedRun* timed)
{
    if (!timed)
        return notRun("timed_recheck", "nothing was timed");
    if (timed->rechecked || timed->status != EvaluationStatus::Passed)
        return rung("timed_recheck", timed->status == EvaluationStatus::Passed,
            timed->status == EvaluationStatus::Passed ? "the outputs of timed calls are right" : timed->reason);
    return notRun("timed_recheck", "nothing was timed");
}

} // namespace

std::vector<Rung> certificateOf(const spec::Operator& op, const Evidence& evidence)
{
    std::vector<Rung> rungs{ rung("compile", evidence.compiled, evidence.compileReason) };
    const Verification* verification = evidence.verification;
    const bool compared = verification && anyCompared(*verification);
    const std::string why = verification ? verification->reason : "it was not run";
    rungs.push_back(!verification ? notRun("launch", "it was not built")
                                  : rung("launch", verification->launched, verification->launched ? "" : why));
    rungs.push_back(notRun("sanitizer", notDefault));
    if (!compared) {
        for (const char* name : { "shape_dtype", "finite", "tolerance", "ulp_histogram", "bitwise", "determinism",
                 "shape_sweep", "held_out_shapes" })
            rungs.push_back(notRun(name, "no output was compared: " + why));
    } else {
        rungs.push_back(rung("shape_dtype", true, "fixed by the worker's own buffers"));
        rungs.push_back(finiteRung(*verification));
        rungs.push_back(toleranceRung(*verification));
        rungs.push_back(rung("ulp_histogram", true, "stored with each case"));
        rungs.push_back(bitwiseRung(*verification));
        rungs.push_back(determinismRung(*verification));
        rungs.push_back(casesRung("shape_sweep", op, *verification, false));
        rungs.push_back(casesRung("held_out_shapes", op, *verification, true));
    }
    rungs.push_back(notRun("adversarial_values", notDefault));
    rungs.push_back(recheckRung(evidence.timed));
    return rungs;
}

} // namespace rooftree::worker
