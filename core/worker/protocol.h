// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ids.h"
#include "core/base/json_fwd.h"
#include "core/base/result.h"
#include "core/kernel/candidate.h"
#include "core/measure/duel.h"
#include "core/measure/evaluation.h"
#include "core/spec/operator.h"
#include "core/target/device.h"

#include <optional>
#include <string>
#include <vector>

// The messages between an engine and a worker: JSON-RPC 2.0, one message a line. Values in, values out; both sides use
// these functions.
namespace rooftree::worker {

inline constexpr int protocolVersion = 1;
inline constexpr std::size_t maxLineBytes = 64u << 20;

struct Limits {
    int64_t buildMs = 120'000;
    int64_t runMs = 60'000; // of one call of the kernel, the warm-up included
    int64_t totalMs = 600'000; // of the whole evaluation, waiting excluded
    int64_t memoryBytes = 8LL << 30; // the child's address space beyond its buffers
    int64_t outputBytes = 256 << 10; // of compiler logs and of what the candidate prints
};

struct TimingOptions {
    measure::CacheMode cache = measure::CacheMode::Warm;
    double precision = 0.01; // relative error of the median at which sampling stops
    int64_t minSamples = 7;
    int64_t maxMs = 1'000; // per case; at least one sample is taken however long it takes
    double giveUpAbove = 0; // geomean ns above which the remaining cases are sampled once only; 0: never
};

enum class Purpose {
    Candidate,
    Baseline, // trusted source of an operator folder: may link libraries
};

struct EvaluateRequest {
    JobId job;
    kernel::Candidate candidate;
    Purpose purpose = Purpose::Candidate;
    uint64_t seed = 1; // of the inputs; the truth is cached per operator, case and seed
    bool time = true; // false: stop after verify
    bool timeHeldOut = false;
    TimingOptions timing;
    Limits limits;
};

struct DuelRequest {
    JobId job;
    kernel::Candidate candidate;
    kernel::Candidate incumbent;
    Purpose incumbentPurpose = Purpose::Candidate;
    uint64_t seed = 1;
    int processes = 5; // process pairs, at least 1
    int pairsPerProcess = 4;
    double margin = 0.02;
    bool heldOut = false; // the held-out cases too
    int64_t maxMs = 60'000; // fewer pairs when the kernels are slow, never fewer than 3
    TimingOptions timing;
    Limits limits;
};

struct Hello {
    int protocol = protocolVersion;
    std::string version;
    std::vector<target::Device> devices; // peaks filled in
    std::vector<target::Toolchain> toolchains;
    int sandboxLevel = 0;
    std::vector<std::string> sandboxReasons;
    std::vector<std::string> missing; // "what: why. remedy"
};

struct Progress {
    JobId job;
    std::string stage; // "waiting", "build", "verify", "time", "duel"
    double fraction = -1; // -1: unknown
    std::string text;
};

// The method names on the wire.
namespace method {
inline constexpr const char* hello = "hello";
inline constexpr const char* setOperator =
    "operator"; // {operator}: sent once, later requests mean it; the operator is admitted (reference built) then
inline constexpr const char* admit = "admit"; // {operator}: the negative controls -> AdmissionReport
inline constexpr const char* evaluate = "evaluate";
inline constexpr const char* duel = "duel";
inline constexpr const char* cancel = "cancel"; // {job}
inline constexpr const char* shutdown = "shutdown";
inline constexpr const char* progress = "progress"; // notification, worker to engine
}

// The text of the error (ErrorCode::Failed) that answers a request whose job was canceled.
inline constexpr const char* canceledText = "The job was canceled.";

// One control of an operator's admission: what was fed to the operator's own check, and whether it did what it must.
struct Control {
    std::string name; // "reference", "naive", "zeros", "ones", "poison", "replay", "lower-precision", "permuted"
    bool mustPass = false;
    bool passed = false; // the check accepted it
    bool applicable = true;
    std::string note; // why not applicable, or which case gave the verdict
    bool ok() const { return !applicable || passed == mustPass; }
};

struct AdmissionReport {
    bool admitted = false;
    std::string reason; // one sentence when refused
    std::vector<Control> controls;
};

Json toJson(const EvaluateRequest& request);
Result<EvaluateRequest> evaluateRequestFromJson(const Json& json);
Json toJson(const DuelRequest& request);
Result<DuelRequest> duelRequestFromJson(const Json& json);
Json toJson(const Hello& hello);
Result<Hello> helloFromJson(const Json& json);
Json toJson(const Progress& progress);
Result<Progress> progressFromJson(const Json& json);
Json toJson(const AdmissionReport& report);
Result<AdmissionReport> admissionReportFromJson(const Json& json);

// JSON-RPC frames. An incoming line is exactly one of request, notification, response, error response.
struct Frame {
    std::optional<int64_t> id;
    std::string method; // request and notification
    std::string payload; // params or result, as JSON text
    std::optional<Error> error; // error response
};
std::string requestLine(int64_t id, const char* methodName, const Json& params);
std::string notificationLine(const char* methodName, const Json& params);
std::string resultLine(int64_t id, const Json& result);
std::string errorLine(int64_t id, const Error& error);
Result<Frame> parseFrame(std::string_view line);

} // namespace rooftree::worker
