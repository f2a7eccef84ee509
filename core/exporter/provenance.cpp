// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporter/provenance.h"
#include "core/base/clock.h"
#include "core/base/sha256.h"
#include "core/exporter/casetable.h"
#include "core/kernel/tunables.h"
#include "core/measure/jsonnumber.h"

#include <algorithm>

namespace rooftree::exporter {

namespace {

Json correctnessJson(const ExportRequest& request, const measure::Correctness& correctness)
{
    const auto& check = request.op.check;
    const bool bitwise = check.mode == spec::CheckMode::Bitwise;
    Json json{ { "rung", bitwise ? "bitwise" : "tolerance" } };
    if (!bitwise) {
        json["atol"] = check.atol;
        json["rtol"] = check.rtol;
    }
    json["max_abs"] = measure::numberToJson(correctness.maxAbs);
    json["max_rel"] = measure::numberToJson(correctness.maxRel);
    json["max_ulp"] = measure::numberToJson(correctness.maxUlp);
    json["deterministic"] = correctness.deterministic ? Json(*correctness.deterministic) : Json();
    return json;
}

Json evaluationJson(const ExportRequest& request, const TimedCase& timed)
{
    const auto& timing = *timed.result->timing;
    Json json{ { "device", request.device.name }, { "threads", request.device.threads },
        { "compiler", request.evaluation.compiler }, { "flags", kernel::buildOptions(request.candidate).flags },
        { "shape", measure::axesToJson(timed.result->axes) }, { "role", spec::roleName(timed.result->role) },
        { "cache", timing.cache == measure::CacheMode::Warm ? "warm" : "cold" }, { "n", timing.samplesNs.size() },
        { "time_ns",
            { { "median", measure::numberToJson(timing.medianNs) }, { "lo", measure::numberToJson(timing.loNs) },
                { "hi", measure::numberToJson(timing.hiNs) } } } };
    Json& baselines = json["baselines"] = Json::array();
    for (const auto& [name, speedup] : timed.speedups)
        baselines.push_back({ { "name", name }, { "median", measure::numberToJson(timed.baselineNs.at(name)) },
            { "speedup", measure::toJson(speedup) } });
    if (timed.result->correctness)
        json["correctness"] = correctnessJson(request, *timed.result->correctness);
    return json;
}

Json regressionsJson(const std::vector<TimedCase>& cases)
{
    Json json = Json::array();
    for (const auto& timed : cases)
        if (isRegression(timed))
            json.push_back({ { "shape", measure::axesToJson(timed.result->axes) },
                { "speedup", measure::numberToJson(timed.speedups.at("naive").value) }, { "handled", "no" } });
    return json;
}

} // namespace

std::string provenanceText(const ExportRequest& request, const std::vector<ExportFile>& sources)
{
    const auto nodeName = [](NodeId id) { return std::to_string(id.value); };
    Json parents = Json::array();
    for (const auto parent : request.parents)
        parents.push_back(nodeName(parent));
    Json hashes = Json::object();
    for (const auto& file : sources)
        hashes[file.path] = sha256Hex(file.content);
    const auto cases = timedCases(request);
    Json evaluations = Json::array();
    for (const auto& timed : cases)
        evaluations.push_back(evaluationJson(request, timed));
    Json speedups = Json::object();
    for (const auto& [name, speedup] : request.speedups)
        speedups[name] = measure::toJson(speedup);

    const Json json{ { "schema", 1 }, { "tool", { { "name", "rooftree" }, { "version", ROOFTREE_VERSION } } },
        { "session", request.session }, { "node", nodeName(request.node) }, { "parents", std::move(parents) },
        { "created", isoUtc(request.createdMs) },
        { "operator", { { "name", request.op.name }, { "hash", "sha256:" + request.op.hash } } },
        { "source_sha256", std::move(hashes) },
        { "origin",
            { { "proposer", request.proposer }, { "policy", request.policy }, { "human_edits", request.humanEdits } } },
        { "status", measure::statusName(request.evaluation.status) }, { "suspicions", request.evaluation.suspicions },
        { "speedups", std::move(speedups) }, { "evaluations", std::move(evaluations) },
        { "regressions", regressionsJson(cases) }, { "license", request.license } };
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace rooftree::exporter
