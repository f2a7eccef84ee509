// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/jsonnumber.h"

#include <algorithm>
#include <array>

// The stable form that `rooftree eval --json` prints, the wire carries and the session file keeps.
namespace rooftree::measure {

namespace {

constexpr std::array<std::string_view, 3> stepNames{ "pass", "fail", "not_run" }; // of rungs and of stages

template <typename Step> std::string_view stepName(Step status)
{
    return stepNames[static_cast<std::size_t>(status)];
}

template <typename Step> Result<Step> stepField(const Json& object)
{
    const auto name = textField(object, "status");
    const auto it = std::find(stepNames.begin(), stepNames.end(), name);
    if (it == stepNames.end())
        return Error{ ErrorCode::Parse, "\"" + name + "\" is not the status of a stage: pass, fail or not_run.", {} };
    return static_cast<Step>(it - stepNames.begin());
}

Result<EvaluationStatus> statusField(const Json& object)
{
    const auto name = textField(object, "status");
    if (const auto status = statusFromName(name))
        return *status;
    return Error{ ErrorCode::Parse, "\"" + name + "\" is not the status of an evaluation.", {} };
}

Json toJson(const ElementError& error)
{
    return { { "tensor", error.tensor }, { "index", error.index }, { "expected", numberToJson(error.expected) },
        { "got", numberToJson(error.got) }, { "over_tolerance", numberToJson(error.overTolerance) } };
}

std::optional<ElementError> elementField(const Json& object, const char* key)
{
    const auto it = object.find(key);
    if (it == object.end() || !it->is_object())
        return std::nullopt;
    ElementError error;
    error.tensor = textField(*it, "tensor");
    error.index = integerField(*it, "index", -1);
    error.expected = numberField(*it, "expected");
    error.got = numberField(*it, "got");
    error.overTolerance = numberField(*it, "over_tolerance");
    return error;
}

Json toJson(const Correctness& correctness)
{
    Json json{ { "elements", correctness.elements }, { "wrong", correctness.wrong },
        { "max_abs", numberToJson(correctness.maxAbs) }, { "max_rel", numberToJson(correctness.maxRel) },
        { "max_ulp", numberToJson(correctness.maxUlp) }, { "ulp_histogram", correctness.ulpHistogram } };
    if (correctness.first)
        json["first"] = toJson(*correctness.first);
    if (correctness.worst)
        json["worst"] = toJson(*correctness.worst);
    json["bitwise"] = correctness.bitwise;
    if (correctness.deterministic)
        json["deterministic"] = *correctness.deterministic;
    return json;
}

Result<Correctness> correctnessFromJson(const Json& json)
{
    if (!json.is_object())
        return Error{ ErrorCode::Parse, "\"correctness\" must be an object.", {} };
    Correctness correctness;
    correctness.elements = integerField(json, "elements");
    correctness.wrong = integerField(json, "wrong");
    correctness.maxAbs = numberField(json, "max_abs");
    correctness.maxRel = numberField(json, "max_rel");
    correctness.maxUlp = numberField(json, "max_ulp");
    const auto histogram = arrayField(json, "ulp_histogram");
    if (!histogram)
        return histogram.error();
    for (const auto& count : *histogram)
        correctness.ulpHistogram.push_back(count.is_number_integer() ? count.get<int64_t>() : 0);
    correctness.first = elementField(json, "first");
    correctness.worst = elementField(json, "worst");
    correctness.bitwise = jsonValue(json, "bitwise", false);
    if (const auto it = json.find("deterministic"); it != json.end() && it->is_boolean())
        correctness.deterministic = it->get<bool>();
    return correctness;
}

Json toJson(const Timing& timing)
{
    Json samples = Json::array();
    for (const double ns : timing.samplesNs)
        samples.push_back(numberToJson(ns));
    return { { "median", numberToJson(timing.medianNs) }, { "lo", numberToJson(timing.loNs) },
        { "hi", numberToJson(timing.hiNs) }, { "samples", std::move(samples) }, { "inner_calls", timing.innerCalls },
        { "cache", timing.cache == CacheMode::Warm ? "warm" : "cold" },
        { "relative_error", numberToJson(timing.relativeError) } };
}

Result<Timing> timingFromJson(const Json& json)
{
    if (!json.is_object())
        return Error{ ErrorCode::Parse, "\"time_ns\" must be an object.", {} };
    Timing timing;
    timing.medianNs = numberField(json, "median");
    timing.loNs = numberField(json, "lo");
    timing.hiNs = numberField(json, "hi");
    const auto samples = arrayField(json, "samples");
    if (!samples)
        return samples.error();
    for (const auto& ns : *samples)
        timing.samplesNs.push_back(numberFromJson(ns, 0));
    timing.innerCalls = integerField(json, "inner_calls", 1);
    const auto cache = textField(json, "cache");
    if (!cache.empty() && cache != "warm" && cache != "cold")
        return Error{ ErrorCode::Parse, "\"" + cache + "\" is not a cache mode: warm or cold.", {} };
    timing.cache = cache == "cold" ? CacheMode::Cold : CacheMode::Warm;
    timing.relativeError = numberField(json, "relative_error");
    return timing;
}

Json toJson(const CaseResult& result)
{
    Json json{ { "axes", axesToJson(result.axes) }, { "role", spec::roleName(result.role) },
        { "status", statusName(result.status) }, { "reason", result.reason } };
    if (result.timing)
        json["time_ns"] = toJson(*result.timing);
    if (result.correctness)
        json["correctness"] = toJson(*result.correctness);
    json["floor_ns"] = numberToJson(result.floorNs);
    return json;
}

Status readCaseDetails(const Json& json, CaseResult& result)
{
    if (const auto it = json.find("time_ns"); it != json.end() && !it->is_null()) {
        auto timing = timingFromJson(*it);
        if (!timing)
            return timing.error();
        result.timing = std::move(timing).value();
    }
    if (const auto it = json.find("correctness"); it != json.end() && !it->is_null()) {
        auto correctness = correctnessFromJson(*it);
        if (!correctness)
            return correctness.error();
        result.correctness = std::move(correctness).value();
    }
    return success();
}

Result<CaseResult> caseFromJson(const Json& json)
{
    if (!json.is_object())
        return Error{ ErrorCode::Parse, "A case of an evaluation must be an object.", {} };
    CaseResult result;
    auto axes = axesField(json);
    if (!axes)
        return axes.error();
    result.axes = std::move(axes).value();
    const auto role = textField(json, "role");
    if (role != spec::roleName(spec::Role::Tune) && role != spec::roleName(spec::Role::HeldOut))
        return Error{ ErrorCode::Parse, "\"" + role + "\" is not the role of a case: tune or held-out.", {} };
    result.role = role == spec::roleName(spec::Role::Tune) ? spec::Role::Tune : spec::Role::HeldOut;
    const auto status = statusField(json);
    if (!status)
        return status.error();
    result.status = *status;
    result.reason = textField(json, "reason");
    result.floorNs = numberField(json, "floor_ns");
    if (const auto details = readCaseDetails(json, result); !details)
        return details.error();
    return result;
}

Json stepsToJson(const Evaluation& evaluation)
{
    Json certificate = Json::array();
    for (const auto& rung : evaluation.certificate)
        certificate.push_back(
            { { "name", rung.name }, { "status", stepName(rung.status) }, { "reason", rung.reason } });
    Json stages = Json::array();
    for (const auto& stage : evaluation.stages)
        stages.push_back({ { "name", stage.name }, { "status", stepName(stage.status) },
            { "ms", numberToJson(stage.ms) }, { "log", stage.log } });
    return { { "certificate", std::move(certificate) }, { "suspicions", evaluation.suspicions },
        { "stages", std::move(stages) } };
}

Status readSteps(const Json& json, Evaluation& evaluation)
{
    const auto certificate = arrayField(json, "certificate");
    const auto stages = arrayField(json, "stages");
    const auto suspicions = arrayField(json, "suspicions");
    for (const auto* list : { &certificate, &stages, &suspicions })
        if (!*list)
            return list->error();
    for (const auto& item : *certificate) {
        const auto status = stepField<RungStatus>(item);
        if (!status)
            return status.error();
        evaluation.certificate.push_back({ textField(item, "name"), *status, textField(item, "reason") });
    }
    for (const auto& item : *stages) {
        const auto status = stepField<StageStatus>(item);
        if (!status)
            return status.error();
        evaluation.stages.push_back(
            { textField(item, "name"), *status, numberField(item, "ms"), textField(item, "log") });
    }
    for (const auto& item : *suspicions)
        if (item.is_string())
            evaluation.suspicions.push_back(item.get<std::string>());
    return success();
}

} // namespace

Json toJson(const Evaluation& evaluation)
{
    Json json{ { "status", statusName(evaluation.status) }, { "reason", evaluation.reason } };
    json.update(stepsToJson(evaluation));
    Json& cases = json["cases"] = Json::array();
    for (const auto& result : evaluation.cases)
        cases.push_back(toJson(result));
    json["bound"] = evaluation.bound;
    json["bound_evidence"] = evaluation.boundEvidence;
    json["roofline_fraction"] = numberToJson(evaluation.rooflineFraction);
    json["object_hash"] = evaluation.objectHash;
    json["compiler"] = evaluation.compiler;
    json["flags"] = evaluation.flags;
    json["environment"] = evaluation.environment;
    return json;
}

Result<Evaluation> evaluationFromJson(const Json& json)
{
    if (!json.is_object())
        return Error{ ErrorCode::Parse, "An evaluation must be a JSON object.", {} };
    const auto status = statusField(json);
    if (!status)
        return status.error();
    Evaluation evaluation = failedEvaluation(*status, textField(json, "reason"));
    if (const auto steps = readSteps(json, evaluation); !steps)
        return steps.error();
    const auto cases = arrayField(json, "cases");
    if (!cases)
        return cases.error();
    for (const auto& item : *cases) {
        auto result = caseFromJson(item);
        if (!result)
            return result.error();
        evaluation.cases.push_back(std::move(result).value());
    }
    evaluation.bound = textField(json, "bound");
    evaluation.boundEvidence = textField(json, "bound_evidence");
    evaluation.rooflineFraction = numberField(json, "roofline_fraction");
    evaluation.objectHash = textField(json, "object_hash");
    evaluation.compiler = textField(json, "compiler");
    evaluation.flags = textField(json, "flags");
    evaluation.environment = textField(json, "environment");
    return evaluation;
}

} // namespace rooftree::measure
