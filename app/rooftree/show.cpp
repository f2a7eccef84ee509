// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/engine/sessionstate.h"
#include "core/store/sessionfile.h"
#include "report.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>

namespace rooftree::app {

namespace {

// The session as it was after the given number of finished expansions; -1: as it is.
Result<engine::SessionState> stateAt(const store::SessionFile& file, int64_t step)
{
    engine::SessionState state;
    int64_t ended = 0;
    const auto read = file.read(1, store::Detail::Summary, [&](const store::Event& event) {
        if (std::holds_alternative<store::ExpansionEnded>(event.body) && step >= 0 && ended++ >= step)
            return false;
        state.apply(event.body);
        return true;
    });
    if (!read)
        return read.error();
    return state;
}

Result<NodeId> nodeFrom(const std::string& text, const engine::SessionState& state)
{
    if (text == "best" || text == "champion")
        return state.championOrRoot();
    int64_t value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !state.tree().contains(NodeId{ value }))
        return Error{ ErrorCode::NotFound,
            fmt::format("There is no node {}. The session has nodes 0 to {}; \"best\" is the champion.", text,
                state.tree().size() - 1),
            {} };
    return NodeId{ value };
}

Json intervalJson(const measure::Interval& interval)
{
    return { { "value", interval.value }, { "lo", interval.lo }, { "hi", interval.hi } };
}

Json nodeJson(const search::Node& node, const engine::SessionState& state)
{
    Json parents = Json::array();
    for (const NodeId parent : node.parents)
        parents.push_back(parent.value);
    Json speedup = Json::object();
    for (const auto& [baseline, interval] : state.speedups(node.id))
        speedup[baseline] = intervalJson(interval);
    const bool done = node.state == search::NodeState::Done;
    return { { "id", node.id.value }, { "parents", parents }, { "proposer", node.proposer },
        { "technique", node.technique }, { "title", node.title },
        { "status",
            done ? Json(measure::statusName(node.status))
                 : Json(node.state == search::NodeState::Lost ? "LOST" : "RUNNING") },
        { "speedup", speedup }, { "bound", node.bound }, { "pinned", node.pinned }, { "pruned", node.pruned },
        { "visits", node.visits }, { "source_sha256", node.sourceHash } };
}

void printOverview(const engine::SessionState& state, const std::string& path)
{
    const auto& session = state.session();
    std::printf("%s: %s on %s in %s, policy %s, seed %llu\n", path.c_str(), session.op.name.c_str(),
        session.device.name.c_str(), session.language.c_str(), state.policy().c_str(),
        static_cast<unsigned long long>(session.seed));
    std::printf("%lld evaluations, %d failed, %d nodes\n", static_cast<long long>(state.evaluations()), state.failed(),
        state.tree().size());
    for (const auto& [name, baseline] : state.baselines())
        std::printf("baseline %-8s %s\n", name.c_str(), formatNs(measure::geomeanNs(baseline)).c_str());
    const NodeId champion = state.championOrRoot();
    if (state.tree().contains(champion))
        std::printf("champion node %lld (%s): %s\n", static_cast<long long>(champion.value),
            state.tree().node(champion).title.c_str(), speedupText(state.speedups(champion)).c_str());
}

Status printNode(const store::SessionFile& file, const engine::SessionState& state, NodeId id, bool json)
{
    const auto candidate = file.candidate(id);
    if (!candidate)
        return candidate.error();
    const auto evaluation = file.evaluation(id);
    const auto& node = state.tree().node(id);
    if (json) {
        Json document = nodeJson(node, state);
        document["schema"] = 1;
        document["candidate"] = kernel::toJson(*candidate);
        document["evaluation"] = evaluation ? measure::toJson(*evaluation) : Json(nullptr);
        std::printf("%s\n", document.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
        return success();
    }
    std::printf("node %lld by %s: %s\n", static_cast<long long>(id.value), node.proposer.c_str(), node.title.c_str());
    std::printf("line ");
    for (const NodeId ancestor : state.tree().lineage(id))
        std::printf(" %lld", static_cast<long long>(ancestor.value));
    std::printf("\nspeedup %s\n", speedupText(state.speedups(id)).c_str());
    std::fputs(evaluation ? evaluationText(*evaluation).c_str() : "not evaluated\n", stdout);
    for (const auto& source : candidate->files)
        std::printf("\n--- %s\n%s", source.path.c_str(), source.content.c_str());
    return success();
}

std::string termsText(const std::vector<search::ScoreTerm>& terms)
{
    std::string text;
    for (const auto& term : terms)
        text += fmt::format("  {} {:.4g}", term.name, term.value);
    return text;
}

Status printWhy(const store::SessionFile& file, const engine::SessionState& state, NodeId id, bool json)
{
    const auto selection = file.decision(id);
    if (!selection)
        return selection.error();
    if (json) {
        Json document = search::toJson(*selection);
        document["schema"] = 1;
        document["node"] = id.value;
        std::printf("%s\n", document.dump(2).c_str());
        return success();
    }
    const auto& record = selection->record;
    std::printf("node %lld grew from node %lld by %s (memory: %s), policy %s\n%s\n\nnodes considered\n",
        static_cast<long long>(id.value), static_cast<long long>(selection->parent.value), selection->proposer.c_str(),
        std::string(search::memoryModeName(selection->memory)).c_str(), record.policy.c_str(),
        record.rationale.c_str());
    for (const auto& node : record.nodes)
        std::printf("  %-6lld score %-9.4g%s%s\n", static_cast<long long>(node.node.value), node.score,
            termsText(node.terms).c_str(), node.node == selection->parent ? "  <- chosen" : "");
    std::printf("\narms considered\n");
    for (const auto& arm : record.arms)
        std::printf("  %-10s %-12s score %-9.4g%s\n", arm.proposer.c_str(),
            std::string(search::memoryModeName(arm.memory)).c_str(), arm.score, termsText(arm.terms).c_str());
    std::printf("\nits line: what each step gained\n");
    double before = 0;
    for (const NodeId ancestor : state.tree().lineage(id)) {
        const auto& node = state.tree().node(ancestor);
        if (node.hasValue)
            std::printf("  %-6lld %-8s %-9s (%+.1f %%)  %s\n", static_cast<long long>(ancestor.value),
                formatRatio(std::exp(node.value)).c_str(), node.proposer.c_str(),
                100 * (std::exp(node.value - before) - 1), node.title.c_str());
        else
            std::printf("  %-6lld %s  %s\n", static_cast<long long>(ancestor.value),
                std::string(measure::statusName(node.status)).c_str(), node.title.c_str());
        before = node.hasValue ? node.value : before;
    }
    return success();
}

void printSessionJson(const engine::SessionState& state, const std::string& path)
{
    Json nodes = Json::array();
    for (const auto& node : state.tree().nodes())
        nodes.push_back(nodeJson(node, state));
    const NodeId champion = state.championOrRoot();
    const Json document{ { "schema", 1 }, { "session", path }, { "operator", state.session().op.name },
        { "device", state.session().device.name }, { "policy", state.policy() }, { "seed", state.session().seed },
        { "evaluations", state.evaluations() }, { "nodes", nodes },
        { "champion", state.tree().contains(champion) ? Json(champion.value) : Json(nullptr) } };
    std::printf("%s\n", document.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

} // namespace

int showSession(const ShowOptions& options)
{
    const auto file = store::SessionFile::open(options.session, store::OpenMode::ReadOnly);
    if (!file)
        return fail(file.error(), options.json);
    const auto state = stateAt(**file, options.at);
    if (!state)
        return fail(state.error(), options.json);
    if (options.tree) {
        std::fputs(search::treeText(state->tree()).c_str(), stdout);
        return 0;
    }
    const std::string wanted = options.best ? "best" : options.why.empty() ? options.node : options.why;
    if (wanted.empty()) {
        if (options.json)
            printSessionJson(*state, options.session);
        else
            printOverview(*state, options.session);
        return 0;
    }
    const auto node = nodeFrom(wanted, *state);
    if (!node)
        return fail(node.error(), options.json);
    const auto printed = options.why.empty() ? printNode(**file, *state, *node, options.json)
                                             : printWhy(**file, *state, *node, options.json);
    return printed ? 0 : fail(printed.error(), options.json);
}

} // namespace rooftree::app
