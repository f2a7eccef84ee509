// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_fwd.h"
#include "core/base/result.h"
#include "core/spec/operator.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What the worker found out about a candidate. Plain values, any thread; the JSON form is the stable one of `rooftree eval --json`.
namespace rooftree::measure {

enum class EvaluationStatus {
    Passed,
    CompileError,
    RuntimeError,
    IncorrectShape,
    IncorrectNumerical,
    IncorrectDtype,
    Timeout,
    Rejected, // caught cheating
};
std::string_view statusName(EvaluationStatus status); // "PASSED", ...
std::optional<EvaluationStatus> statusFromName(std::string_view name);

enum class StageStatus { Passed, Failed, NotRun };

struct Stage {
    std::string name; // build, verify, time, profile, diagnose
    StageStatus status = StageStatus::NotRun;
    double ms = 0;
    std::string log; // compiler output, the candidate's own output, or why it was not run
};

// The correctness ladder, in this order: compile, launch, sanitizer, shape_dtype, finite, tolerance, ulp_histogram, bitwise, determinism,
// shape_sweep, held_out_shapes, adversarial_values, timed_recheck.
enum class RungStatus { Pass, Fail, NotRun };
struct Rung {
    std::string name;
    RungStatus status = RungStatus::NotRun;
    std::string reason;
};

// One element that is wrong, or the one that is worst.
struct ElementError {
    std::string tensor;
    int64_t index = -1;
    double expected = 0;
    double got = 0;
    double overTolerance =
        0; // error over tolerance; where equality is asked for, the distance in units (ulps or integers)
};

struct Correctness {
    int64_t elements = 0;
    int64_t wrong = 0;
    double maxAbs = 0;
    double maxRel = 0;
    double maxUlp = 0;
    std::vector<int64_t> ulpHistogram; // 0, 1, 2, 3-4, 5-8, ... powers of two; floating outputs only
    std::optional<ElementError> first; // the first wrong element
    std::optional<ElementError> worst; // the one with the largest error over its tolerance
    bool bitwise = false; // equal to the rounded reference in every bit
    std::optional<bool> deterministic; // same bits for the same input; empty: not looked at
};

enum class CacheMode { Warm, Cold };

struct Interval {
    double value = 0;
    double lo = 0;
    double hi = 0;
};

// Time of one call, in nanoseconds: median and its 95 % interval.
struct Timing {
    double medianNs = 0;
    double loNs = 0;
    double hiNs = 0;
    std::vector<double> samplesNs; // in the order in which they were taken, each the mean of innerCalls calls
    int64_t innerCalls = 1;
    CacheMode cache = CacheMode::Warm;
    double relativeError = 0; // of the median, what the adaptive repetition reached
};

struct CaseResult {
    spec::Axes axes;
    spec::Role role = spec::Role::Tune;
    EvaluationStatus status = EvaluationStatus::Passed;
    std::string reason;
    std::optional<Correctness> correctness;
    std::optional<Timing> timing;
    double floorNs = 0; // the roofline's: max(bytes / bandwidth, flops / peak); 0 when there are no peaks
};

struct Evaluation {
    EvaluationStatus status = EvaluationStatus::RuntimeError;
    std::string reason; // one sentence; empty when PASSED
    std::vector<Rung> certificate;
    std::vector<std::string> suspicions;
    std::vector<Stage> stages;
    std::vector<CaseResult> cases;
    std::string bound; // memory, compute, occupancy, latency, launch, balanced; empty: not diagnosed
    std::string boundEvidence; // one sentence
    double rooflineFraction = 0; // geometric mean of floor over time of the timed cases
    std::string objectHash; // SHA-256 of the loaded object
    std::string compiler; // "g++ 12.2.0"
    std::string flags;
    std::string environment; // one line: cpu, threads, sandbox level
    bool passed() const { return status == EvaluationStatus::Passed; }
};

// A minimal evaluation for a candidate that ended early.
Evaluation failedEvaluation(EvaluationStatus status, std::string reason);

// Geometric mean over the timed cases of baseline time over candidate time, with the interval that their own intervals give.
// Empty when one of them has no timings in common.
std::optional<Interval> speedupOver(const Evaluation& baseline, const Evaluation& candidate);
// Geometric mean of the medians of the timed cases, in nanoseconds; 0 when nothing was timed.
double geomeanNs(const Evaluation& evaluation);

Json toJson(const Evaluation& evaluation);
Result<Evaluation> evaluationFromJson(const Json& json);

} // namespace rooftree::measure
