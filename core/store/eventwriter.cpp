// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/eventcodec.h"

#include "core/base/json.h"
#include "core/measure/jsonnumber.h"
#include "core/spec/operatorreader.h"

namespace rooftree::store {

namespace {

// An event's JSON, with its big member apart.
struct Parts {
    Json payload;
    Json part = nullptr;
};

// The evaluation without logs, samples, correctness and certificate: what lists and the search need.
measure::Evaluation summaryOf(const measure::Evaluation& full)
{
    measure::Evaluation summary;
    summary.status = full.status;
    summary.reason = full.reason;
    summary.suspicions = full.suspicions;
    for (const auto& stage : full.stages)
        summary.stages.push_back({ stage.name, stage.status, stage.ms, {} });
    for (const auto& result : full.cases) {
        measure::CaseResult brief{ result.axes, result.role, result.status, result.reason, std::nullopt, std::nullopt,
            result.floorNs };
        if (const auto& timing = result.timing)
            brief.timing = measure::Timing{ timing->medianNs, timing->loNs, timing->hiNs, {}, timing->innerCalls,
                timing->cache, timing->relativeError };
        summary.cases.push_back(std::move(brief));
    }
    summary.bound = full.bound;
    summary.boundEvidence = full.boundEvidence;
    summary.rooflineFraction = full.rooflineFraction;
    summary.objectHash = full.objectHash;
    summary.compiler = full.compiler;
    summary.flags = full.flags;
    summary.environment = full.environment;
    return summary;
}

Json speedupsToJson(const std::map<std::string, measure::Interval>& speedups)
{
    Json json = Json::object();
    for (const auto& [baseline, interval] : speedups)
        json[baseline] = measure::toJson(interval);
    return json;
}

// Takes a member out of an object.
Json taken(Json& object, const char* key)
{
    Json member = std::move(object[key]);
    object.erase(key);
    return member;
}

Parts write(const SessionCreated& event)
{
    Json toolchains = Json::array();
    for (const auto& toolchain : event.toolchains)
        toolchains.push_back(target::toJson(toolchain));
    return { { { "session", event.session }, { "version", event.version }, { "device", target::toJson(event.device) },
                 { "toolchains", std::move(toolchains) }, { "language", event.language }, { "policy", event.policy },
                 { "proposers", event.proposers }, { "seed", event.seed }, { "jobs", event.jobs },
                 { "budget", search::toJson(event.budget) }, { "cache", event.cache } },
        spec::toJson(event.op) };
}

Parts write(const RunStarted& event)
{
    return { { { "budget", search::toJson(event.budget) }, { "environment", event.environment } } };
}

Parts write(const RunStopped& event)
{
    return { { { "reason", event.reason }, { "active_ms", event.activeMs } } };
}

Parts write(const BaselineMeasured& event)
{
    return { { { "name", event.name }, { "library", event.library },
                 { "evaluation", measure::toJson(summaryOf(event.evaluation)) } },
        measure::toJson(event.evaluation) };
}

Parts write(const ExpansionSelected& event)
{
    auto selection = search::toJson(event.selection);
    auto record = taken(selection, "record");
    return { { { "expansion", event.expansion.value }, { "selection", std::move(selection) } }, std::move(record) };
}

Parts write(const NodeAdded& event)
{
    Json parents = Json::array();
    for (const auto parent : event.parents)
        parents.push_back(parent.value);
    auto candidate = kernel::toJson(event.candidate);
    auto files = taken(candidate, "files");
    return { { { "node", event.node.value }, { "expansion", event.expansion.value }, { "parents", std::move(parents) },
                 { "proposer", event.proposer }, { "technique", event.technique }, { "title", event.title },
                 { "move", event.moveKey }, { "source_hash", event.sourceHash },
                 { "structure_hash", event.structureHash }, { "candidate", std::move(candidate) } },
        std::move(files) };
}

Parts write(const NodeEvaluated& event)
{
    return { { { "node", event.node.value }, { "value", event.value ? measure::numberToJson(*event.value) : Json() },
                 { "speedup", speedupsToJson(event.speedup) },
                 { "evaluation", measure::toJson(summaryOf(event.evaluation)) } },
        measure::toJson(event.evaluation) };
}

Parts write(const NodeLost& event)
{
    return { { { "node", event.node.value }, { "reason", event.reason } } };
}

Parts write(const ExpansionEnded& event)
{
    return { { { "expansion", event.expansion.value }, { "outcome", event.outcome }, { "child", event.child.value },
        { "text", event.text } } };
}

Parts write(const DuelFought& event)
{
    auto result = measure::toJson(event.result);
    auto cases = taken(result, "cases");
    return { { { "candidate", event.candidate.value }, { "incumbent", event.incumbent.value },
                 { "result", std::move(result) }, { "new_champion", event.newChampion } },
        std::move(cases) };
}

Parts write(const ChampionMeasured& event)
{
    auto result = measure::toJson(event.result);
    auto cases = taken(result, "cases");
    return { { { "node", event.node.value }, { "baseline", event.baseline }, { "result", std::move(result) } },
        std::move(cases) };
}

Parts write(const Steered& event)
{
    return { { { "action", event.action }, { "node", event.node.value }, { "text", event.text } } };
}

} // namespace

EncodedEvent encode(const EventBody& body)
{
    const auto parts = std::visit([](const auto& event) { return write(event); }, body);
    return { eventName(body), toLine(parts.payload), parts.part.is_null() ? std::string() : toLine(parts.part) };
}

} // namespace rooftree::store
