// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/protocol.h"
#include "core/base/json.h"

#include <cmath>

namespace rooftree::worker {

namespace {

Error badMessage(const std::string& what)
{
    return { ErrorCode::Protocol, what + " Are both programs of the same version?", {} };
}

Json toJson(const Limits& limits)
{
    return { { "buildMs", limits.buildMs }, { "runMs", limits.runMs }, { "totalMs", limits.totalMs },
        { "memoryBytes", limits.memoryBytes }, { "outputBytes", limits.outputBytes } };
}

Result<Limits> limitsFromJson(const Json& json)
{
    const Limits fallback;
    Limits limits;
    limits.buildMs = jsonValue(json, "buildMs", fallback.buildMs);
    limits.runMs = jsonValue(json, "runMs", fallback.runMs);
    limits.totalMs = jsonValue(json, "totalMs", fallback.totalMs);
    limits.memoryBytes = jsonValue(json, "memoryBytes", fallback.memoryBytes);
    limits.outputBytes = jsonValue(json, "outputBytes", fallback.outputBytes);
    for (const int64_t value :
        { limits.buildMs, limits.runMs, limits.totalMs, limits.memoryBytes, limits.outputBytes }) {
        if (value <= 0)
            return badMessage("A limit of an evaluation must be positive.");
    }
    return limits;
}

Json toJson(const TimingOptions& timing)
{
    return { { "cache", timing.cache == measure::CacheMode::Cold ? "cold" : "warm" }, { "precision", timing.precision },
        { "minSamples", timing.minSamples }, { "maxMs", timing.maxMs }, { "giveUpAbove", timing.giveUpAbove } };
}

Result<TimingOptions> timingFromJson(const Json& json)
{
    const TimingOptions fallback;
    TimingOptions timing;
    const auto cache = jsonValue<std::string>(json, "cache", "warm");
    if (cache != "warm" && cache != "cold")
        return badMessage("The cache mode must be \"warm\" or \"cold\", not \"" + cache + "\".");
    timing.cache = cache == "cold" ? measure::CacheMode::Cold : measure::CacheMode::Warm;
    timing.precision = jsonValue(json, "precision", fallback.precision);
    timing.minSamples = jsonValue(json, "minSamples", fallback.minSamples);
    timing.maxMs = jsonValue(json, "maxMs", fallback.maxMs);
    timing.giveUpAbove = jsonValue(json, "giveUpAbove", fallback.giveUpAbove);
    if (!(timing.precision > 0) || timing.minSamples < 1 || timing.maxMs < 1 || !(timing.giveUpAbove >= 0))
        return badMessage("The timing options need a positive precision, sample count and time limit.");
    return timing;
}

const char* purposeName(Purpose purpose)
{
    return purpose == Purpose::Baseline ? "baseline" : "candidate";
}

Result<Purpose> purposeFromJson(const Json& json, const char* key)
{
    const auto name = jsonValue<std::string>(json, key, "candidate");
    if (name == "candidate")
        return Purpose::Candidate;
    if (name == "baseline")
        return Purpose::Baseline;
    return badMessage("The purpose must be \"candidate\" or \"baseline\", not \"" + name + "\".");
}

Result<kernel::Candidate> candidateMember(const Json& json, const char* key)
{
    const auto it = json.find(key);
    if (it == json.end())
        return badMessage(std::string("The request has no \"") + key + "\".");
    return kernel::candidateFromJson(*it);
}

Result<JobId> jobMember(const Json& json)
{
    const JobId job{ jsonValue<int64_t>(json, "job", -1) };
    if (!job.valid())
        return badMessage("The message needs a \"job\" number of 0 or more.");
    return job;
}

template <typename Request> Status readCommon(const Json& json, Request& request)
{
    if (!json.is_object())
        return badMessage("The request's params must be an object.");
    auto job = jobMember(json);
    auto candidate = job ? candidateMember(json, "candidate") : Result<kernel::Candidate>(job.error());
    if (!candidate)
        return candidate.error();
    auto timing = timingFromJson(jsonValue(json, "timing", Json::object()));
    if (!timing)
        return timing.error();
    auto limits = limitsFromJson(jsonValue(json, "limits", Json::object()));
    if (!limits)
        return limits.error();
    request.job = *job;
    request.candidate = std::move(candidate).value();
    request.timing = *timing;
    request.limits = *limits;
    request.seed = jsonValue<uint64_t>(json, "seed", 1);
    return success();
}

} // namespace

Json toJson(const EvaluateRequest& request)
{
    return { { "job", request.job.value }, { "candidate", kernel::toJson(request.candidate) },
        { "purpose", purposeName(request.purpose) }, { "seed", request.seed }, { "time", request.time },
        { "timeHeldOut", request.timeHeldOut }, { "timing", toJson(request.timing) },
        { "limits", toJson(request.limits) } };
}

Result<EvaluateRequest> evaluateRequestFromJson(const Json& json)
{
    EvaluateRequest request;
    if (auto status = readCommon(json, request); !status)
        return status.error();
    auto purpose = purposeFromJson(json, "purpose");
    if (!purpose)
        return purpose.error();
    request.purpose = *purpose;
    request.time = jsonValue(json, "time", true);
    request.timeHeldOut = jsonValue(json, "timeHeldOut", false);
    return request;
}

Json toJson(const DuelRequest& request)
{
    return { { "job", request.job.value }, { "candidate", kernel::toJson(request.candidate) },
        { "incumbent", kernel::toJson(request.incumbent) },
        { "incumbentPurpose", purposeName(request.incumbentPurpose) }, { "seed", request.seed },
        { "processes", request.processes }, { "pairsPerProcess", request.pairsPerProcess },
        { "margin", request.margin }, { "heldOut", request.heldOut }, { "maxMs", request.maxMs },
        { "timing", toJson(request.timing) }, { "limits", toJson(request.limits) } };
}

Result<DuelRequest> duelRequestFromJson(const Json& json)
{
    DuelRequest request;
    if (auto status = readCommon(json, request); !status)
        return status.error();
    auto incumbent = candidateMember(json, "incumbent");
    if (!incumbent)
        return incumbent.error();
    auto purpose = purposeFromJson(json, "incumbentPurpose");
    if (!purpose)
        return purpose.error();
    request.incumbent = std::move(incumbent).value();
    request.incumbentPurpose = *purpose;
    request.processes = jsonValue(json, "processes", request.processes);
    request.pairsPerProcess = jsonValue(json, "pairsPerProcess", request.pairsPerProcess);
    request.margin = jsonValue(json, "margin", request.margin);
    request.heldOut = jsonValue(json, "heldOut", false);
    request.maxMs = jsonValue(json, "maxMs", request.maxMs);
    if (request.processes < 1 || request.processes > 1000 || request.pairsPerProcess < 1
        || request.pairsPerProcess > 1000)
        return badMessage("A duel needs 1 to 1000 processes and as many pairs in each.");
    if (!(request.margin > 0) || !(request.margin < 10) || request.maxMs < 1)
        return badMessage("A duel needs a positive margin and time limit.");
    return request;
}

Json toJson(const Hello& hello)
{
    Json devices = Json::array();
    for (const auto& device : hello.devices)
        devices.push_back(target::toJson(device));
    Json toolchains = Json::array();
    for (const auto& toolchain : hello.toolchains)
        toolchains.push_back(target::toJson(toolchain));
    return { { "protocol", hello.protocol }, { "version", hello.version }, { "devices", std::move(devices) },
        { "toolchains", std::move(toolchains) }, { "sandboxLevel", hello.sandboxLevel },
        { "sandboxReasons", hello.sandboxReasons }, { "missing", hello.missing } };
}

Result<Hello> helloFromJson(const Json& json)
{
    Hello hello;
    hello.protocol = jsonValue(json, "protocol", -1);
    if (hello.protocol < 0)
        return badMessage("The worker's hello names no protocol version.");
    hello.version = jsonValue<std::string>(json, "version", {});
    for (const auto& item : jsonValue(json, "devices", Json::array())) {
        auto device = target::deviceFromJson(item);
        if (!device)
            return device.error();
        hello.devices.push_back(std::move(device).value());
    }
    for (const auto& item : jsonValue(json, "toolchains", Json::array())) {
        auto toolchain = target::toolchainFromJson(item);
        if (!toolchain)
            return toolchain.error();
        hello.toolchains.push_back(std::move(toolchain).value());
    }
    hello.sandboxLevel = jsonValue(json, "sandboxLevel", 0);
    hello.sandboxReasons = jsonValue(json, "sandboxReasons", std::vector<std::string>{});
    hello.missing = jsonValue(json, "missing", std::vector<std::string>{});
    return hello;
}

Json toJson(const Progress& progress)
{
    const double fraction = std::isfinite(progress.fraction) ? progress.fraction : -1;
    return { { "job", progress.job.value }, { "stage", progress.stage }, { "fraction", fraction },
        { "text", progress.text } };
}

Result<Progress> progressFromJson(const Json& json)
{
    auto job = jobMember(json);
    if (!job)
        return job.error();
    Progress progress;
    progress.job = *job;
    progress.stage = jsonValue<std::string>(json, "stage", {});
    progress.fraction = jsonValue(json, "fraction", -1.0);
    progress.text = jsonValue<std::string>(json, "text", {});
    return progress;
}

Json toJson(const AdmissionReport& report)
{
    Json controls = Json::array();
    for (const auto& control : report.controls) {
        controls.push_back({ { "name", control.name }, { "mustPass", control.mustPass }, { "passed", control.passed },
            { "applicable", control.applicable }, { "ok", control.ok() }, { "note", control.note } });
    }
    return { { "admitted", report.admitted }, { "reason", report.reason }, { "controls", std::move(controls) } };
}

Result<AdmissionReport> admissionReportFromJson(const Json& json)
{
    if (!json.is_object() || !json.contains("admitted"))
        return badMessage("The admission report does not say whether the operator was admitted.");
    AdmissionReport report;
    report.admitted = jsonValue(json, "admitted", false);
    report.reason = jsonValue<std::string>(json, "reason", {});
    for (const auto& item : jsonValue(json, "controls", Json::array())) {
        Control control;
        control.name = jsonValue<std::string>(item, "name", {});
        control.mustPass = jsonValue(item, "mustPass", false);
        control.passed = jsonValue(item, "passed", false);
        control.applicable = jsonValue(item, "applicable", true);
        control.note = jsonValue<std::string>(item, "note", {});
        report.controls.push_back(std::move(control));
    }
    return report;
}

} // namespace rooftree::worker
