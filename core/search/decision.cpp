// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/decision.h"

#include "core/base/json.h"

#include <array>
#include <utility>

namespace rooftree::search {
namespace {

constexpr std::array<std::pair<MemoryMode, std::string_view>, 4> memoryModeNames{ {
    { MemoryMode::None, "none" },
    { MemoryMode::ParentLine, "parent-line" },
    { MemoryMode::Siblings, "siblings" },
    { MemoryMode::Both, "both" },
} };

Json termsToJson(const std::vector<ScoreTerm>& terms)
{
    Json json = Json::object();
    for (const ScoreTerm& term : terms)
        json[term.name] = term.value;
    return json;
}

std::vector<ScoreTerm> termsFromJson(const Json& json)
{
    std::vector<ScoreTerm> terms;
    if (!json.is_object())
        return terms;
    for (const auto& [name, value] : json.items())
        terms.push_back({ name, value.is_number() ? value.get<double>() : 0 });
    return terms;
}

Json recordToJson(const DecisionRecord& record)
{
    Json nodes = Json::array();
    for (const ConsideredNode& node : record.nodes)
        nodes.push_back({ { "node", node.node.value }, { "score", node.score }, { "terms", termsToJson(node.terms) } });
    Json arms = Json::array();
    for (const ConsideredArm& arm : record.arms) {
        arms.push_back({ { "proposer", arm.proposer }, { "memory", memoryModeName(arm.memory) }, { "score", arm.score },
            { "terms", termsToJson(arm.terms) } });
    }
    return { { "policy", record.policy }, { "nodes", std::move(nodes) }, { "arms", std::move(arms) },
        { "rationale", record.rationale } };
}

const Json& member(const Json& object, const char* key)
{
    static const Json nothing;
    if (!object.is_object())
        return nothing;
    const auto it = object.find(key);
    return it == object.end() ? nothing : *it;
}

MemoryMode memoryOf(const Json& json, MemoryMode fallback)
{
    return memoryModeFromName(jsonValue<std::string>(json, "memory", {})).value_or(fallback);
}

DecisionRecord recordFromJson(const Json& json)
{
    DecisionRecord record;
    record.policy = jsonValue<std::string>(json, "policy", {});
    for (const Json& node : member(json, "nodes")) {
        record.nodes.push_back({ NodeId{ jsonValue<int64_t>(node, "node", -1) }, jsonValue(node, "score", 0.0),
            termsFromJson(member(node, "terms")) });
    }
    for (const Json& arm : member(json, "arms")) {
        record.arms.push_back({ jsonValue<std::string>(arm, "proposer", {}), memoryOf(arm, MemoryMode::None),
            jsonValue(arm, "score", 0.0), termsFromJson(member(arm, "terms")) });
    }
    record.rationale = jsonValue<std::string>(json, "rationale", {});
    return record;
}

} // namespace

std::string_view memoryModeName(MemoryMode mode)
{
    for (const auto& [known, name] : memoryModeNames) {
        if (known == mode)
            return name;
    }
    return "none";
}

std::optional<MemoryMode> memoryModeFromName(std::string_view name)
{
    for (const auto& [mode, known] : memoryModeNames) {
        if (known == name)
            return mode;
    }
    return std::nullopt;
}

Json toJson(const Selection& selection)
{
    Json json{ { "parent", selection.parent.value } };
    if (selection.second.valid())
        json["second"] = selection.second.value;
    json["proposer"] = selection.proposer;
    json["memory"] = memoryModeName(selection.memory);
    if (selection.island != 0)
        json["island"] = selection.island;
    json["record"] = recordToJson(selection.record);
    return json;
}

Result<Selection> selectionFromJson(const Json& json)
{
    Selection selection;
    selection.parent = NodeId{ jsonValue<int64_t>(json, "parent", -1) };
    selection.proposer = jsonValue<std::string>(json, "proposer", {});
    if (!selection.parent.valid() || selection.proposer.empty()) {
        return Error{ ErrorCode::Parse,
            "A selection needs a parent node and a proposer; the session file is damaged or of a newer version.", {} };
    }
    selection.second = NodeId{ jsonValue<int64_t>(json, "second", -1) };
    selection.memory = memoryOf(json, MemoryMode::ParentLine);
    selection.island = jsonValue(json, "island", 0);
    selection.record = recordFromJson(member(json, "record"));
    return selection;
}

} // namespace rooftree::search
