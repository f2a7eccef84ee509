// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/eventcodec.h"

#include "core/base/json.h"
#include "core/measure/jsonnumber.h"
#include "core/spec/operatorreader.h"

#include <algorithm>

namespace rooftree::store {

namespace {

// Missing fields keep their defaults, wrong structure is an Error.

const Json& member(const Json& object, const char* key)
{
    static const Json nothing;
    const auto found = object.find(key);
    return found == object.end() ? nothing : *found;
}

std::string text(const Json& json, const char* key)
{
    return jsonValue(json, key, std::string());
}

template <typename SomeId> SomeId id(const Json& json, const char* key)
{
    return SomeId{ jsonValue(json, key, int64_t{ -1 }) };
}

Result<EventBody> read(SessionCreated event, Json& json, const Json* part)
{
    auto op = spec::operatorFromJson(part ? *part : Json());
    if (!op)
        return op.error();
    // A search that replays recorded evaluations has no device.
    if (const auto& described = member(json, "device"); !text(described, "id").empty()) {
        auto device = target::deviceFromJson(described);
        if (!device)
            return device.error();
        event.device = std::move(device).value();
    }
    for (const auto& described : member(json, "toolchains")) {
        auto toolchain = target::toolchainFromJson(described);
        if (!toolchain)
            return toolchain.error();
        event.toolchains.push_back(std::move(toolchain).value());
    }
    event.session = text(json, "session");
    event.version = text(json, "version");
    event.op = std::move(op).value();
    event.language = text(json, "language");
    event.policy = text(json, "policy");
    event.proposers = jsonValue(json, "proposers", event.proposers);
    event.seed = jsonValue(json, "seed", event.seed);
    event.jobs = jsonValue(json, "jobs", event.jobs);
    event.budget = search::budgetFromJson(member(json, "budget"));
    event.cache = text(json, "cache");
    return EventBody(std::move(event));
}

Result<EventBody> read(RunStarted event, Json& json, const Json*)
{
    event.budget = search::budgetFromJson(member(json, "budget"));
    event.environment = text(json, "environment");
    return EventBody(std::move(event));
}

Result<EventBody> read(RunStopped event, Json& json, const Json*)
{
    event.reason = text(json, "reason");
    event.activeMs = jsonValue(json, "active_ms", event.activeMs);
    return EventBody(std::move(event));
}

Result<EventBody> read(BaselineMeasured event, Json& json, const Json* part)
{
    auto evaluation = measure::evaluationFromJson(part ? *part : member(json, "evaluation"));
    if (!evaluation)
        return evaluation.error();
    event.name = text(json, "name");
    event.library = text(json, "library");
    event.evaluation = std::move(evaluation).value();
    return EventBody(std::move(event));
}

Result<EventBody> read(ExpansionSelected event, Json& json, const Json* part)
{
    auto& selected = json["selection"];
    if (part && selected.is_object())
        selected["record"] = *part;
    auto selection = search::selectionFromJson(selected);
    if (!selection)
        return selection.error();
    event.expansion = id<ExpansionId>(json, "expansion");
    event.selection = std::move(selection).value();
    return EventBody(std::move(event));
}

Result<EventBody> read(NodeAdded event, Json& json, const Json* part)
{
    auto& candidate = json["candidate"];
    if (part && candidate.is_object()) {
        candidate["files"] = *part;
        auto full = kernel::candidateFromJson(candidate);
        if (!full)
            return full.error();
        event.candidate = std::move(full).value();
    } else {
        const auto language = kernel::languageFromName(text(candidate, "language"));
        if (!language)
            return language.error();
        event.candidate.language = *language;
        event.candidate.entry = text(candidate, "entry");
    }
    event.node = id<NodeId>(json, "node");
    event.expansion = id<ExpansionId>(json, "expansion");
    for (const auto& parent : member(json, "parents"))
        event.parents.push_back(NodeId{ parent.is_number_integer() ? parent.get<int64_t>() : -1 });
    event.proposer = text(json, "proposer");
    event.technique = text(json, "technique");
    event.title = text(json, "title");
    event.moveKey = text(json, "move");
    event.sourceHash = text(json, "source_hash");
    event.structureHash = text(json, "structure_hash");
    return EventBody(std::move(event));
}

Result<EventBody> read(NodeEvaluated event, Json& json, const Json* part)
{
    auto evaluation = measure::evaluationFromJson(part ? *part : member(json, "evaluation"));
    if (!evaluation)
        return evaluation.error();
    event.node = id<NodeId>(json, "node");
    event.evaluation = std::move(evaluation).value();
    if (const auto& value = member(json, "value"); !value.is_null())
        event.value = measure::numberFromJson(value, 0);
    const auto& speedups = member(json, "speedup");
    if (speedups.is_object()) {
        for (const auto& [baseline, interval] : speedups.items())
            event.speedup[baseline] = measure::intervalField(speedups, baseline.c_str());
    }
    return EventBody(std::move(event));
}

Result<EventBody> read(NodeLost event, Json& json, const Json*)
{
    event.node = id<NodeId>(json, "node");
    event.reason = text(json, "reason");
    return EventBody(std::move(event));
}

Result<EventBody> read(ExpansionEnded event, Json& json, const Json*)
{
    event.expansion = id<ExpansionId>(json, "expansion");
    event.outcome = text(json, "outcome");
    event.child = id<NodeId>(json, "child");
    event.text = text(json, "text");
    return EventBody(std::move(event));
}

Result<measure::DuelResult> readDuel(Json& json, const Json* part)
{
    auto& result = json["result"];
    if (result.is_object())
        result["cases"] = part ? *part : Json::array();
    return measure::duelFromJson(result);
}

Result<EventBody> read(DuelFought event, Json& json, const Json* part)
{
    auto result = readDuel(json, part);
    if (!result)
        return result.error();
    event.candidate = id<NodeId>(json, "candidate");
    event.incumbent = id<NodeId>(json, "incumbent");
    event.result = std::move(result).value();
    event.newChampion = jsonValue(json, "new_champion", false);
    return EventBody(std::move(event));
}

Result<EventBody> read(ChampionMeasured event, Json& json, const Json* part)
{
    auto result = readDuel(json, part);
    if (!result)
        return result.error();
    event.node = id<NodeId>(json, "node");
    event.baseline = text(json, "baseline");
    event.result = std::move(result).value();
    return EventBody(std::move(event));
}

Result<EventBody> read(Steered event, Json& json, const Json*)
{
    event.action = text(json, "action");
    event.node = id<NodeId>(json, "node");
    event.text = text(json, "text");
    return EventBody(std::move(event));
}

using Reader = Result<EventBody> (*)(Json& json, const Json* part);

template <std::size_t... I> constexpr std::array<Reader, sizeof...(I)> makeReaders(std::index_sequence<I...>)
{
    return { [](Json& json, const Json* part) {
        return read(std::variant_alternative_t<I, EventBody>{}, json, part);
    }... };
}
constexpr auto readers = makeReaders(std::make_index_sequence<std::variant_size_v<EventBody>>());

} // namespace

bool needsPart(std::string_view kind, Detail detail)
{
    return detail == Detail::Full || kind == eventKinds().front(); // a session without its operator is of no use
}

Result<std::optional<EventBody>> decode(
    std::string_view kind, std::string_view payload, std::string_view part, Detail detail)
{
    const auto found = std::find(eventKinds().begin(), eventKinds().end(), kind);
    if (found == eventKinds().end())
        return std::optional<EventBody>();
    auto json = parseJson(payload, "An event of the session");
    if (!json)
        return json.error();
    if (!json->is_object())
        return Error{ ErrorCode::Parse,
            "An event of the session is not a JSON object. Restore the session from a backup." };
    std::optional<Json> big;
    if (needsPart(kind, detail) && !part.empty()) {
        auto parsed = parseJson(part, "A stored part of the session");
        if (!parsed)
            return parsed.error();
        big = std::move(parsed).value();
    }
    auto body = readers[static_cast<std::size_t>(found - eventKinds().begin())](*json, big ? &*big : nullptr);
    if (!body)
        return body.error();
    return std::optional<EventBody>(std::move(body).value());
}

} // namespace rooftree::store
