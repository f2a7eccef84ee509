// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "core/base/json.h"
#include "core/engine/sessionstate.h"
#include "core/exporter/exporter.h"
#include "core/store/sessionfile.h"

#include <charconv>
#include <cstdio>

namespace rooftree::app {

namespace {

// The state, and when the node was added.
struct Found {
    engine::SessionState state;
    NodeId node;
    int64_t createdMs = 0;
};

Result<Found> findNode(const store::SessionFile& file, const std::string& text)
{
    Found found;
    std::map<NodeId, int64_t> created;
    const auto read = file.read(1, store::Detail::Summary, [&](const store::Event& event) {
        found.state.apply(event.body);
        if (const auto* added = std::get_if<store::NodeAdded>(&event.body))
            created[added->node] = event.wallMs;
        return true;
    });
    if (!read)
        return read.error();
    if (text == "best" || text == "champion") {
        found.node = found.state.championOrRoot();
    } else {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), found.node.value);
        if (error != std::errc() || end != text.data() + text.size())
            found.node = NodeId{};
    }
    if (!found.state.tree().contains(found.node))
        return Error{ ErrorCode::NotFound,
            "There is no node " + text + ". The session has nodes 0 to " + std::to_string(found.state.tree().size() - 1)
                + "; \"best\" is the champion.",
            {} };
    found.createdMs = created[found.node];
    return found;
}

bool touchedByHand(const engine::SessionState& state, NodeId node)
{
    for (const NodeId ancestor : state.tree().lineage(node)) {
        if (state.tree().node(ancestor).proposer == "human")
            return true;
    }
    return false;
}

Result<exporter::ExportRequest> requestFor(const store::SessionFile& file, const ExportOptions& options)
{
    const auto found = findNode(file, options.node);
    if (!found)
        return found.error();
    const auto session = file.session();
    const auto candidate = file.candidate(found->node);
    const auto evaluation = file.evaluation(found->node);
    const auto baselines = file.baselines();
    for (const auto* error : { session ? nullptr : &session.error(), candidate ? nullptr : &candidate.error(),
             evaluation ? nullptr : &evaluation.error(), baselines ? nullptr : &baselines.error() }) {
        if (error)
            return *error;
    }
    const auto& node = found->state.tree().node(found->node);
    exporter::ExportRequest request;
    request.op = session->op;
    request.candidate = *candidate;
    request.evaluation = *evaluation;
    request.speedups = found->state.speedups(found->node);
    for (const auto& baseline : *baselines)
        request.baselines[baseline.name] = baseline.evaluation;
    request.session = session->session;
    request.node = found->node;
    request.parents = node.parents;
    request.proposer = node.proposer;
    request.policy = found->state.policy();
    request.createdMs = found->createdMs;
    request.device = session->device;
    request.humanEdits = touchedByHand(found->state, found->node);
    request.license = options.license;
    request.allowUnverified = options.allowUnverified;
    request.strip = options.strip;
    return request;
}

} // namespace

int exportNode(const ExportOptions& options)
{
    const auto file = store::SessionFile::open(options.session, store::OpenMode::ReadOnly);
    if (!file)
        return fail(file.error(), options.json);
    const auto preset = exporter::findPreset(options.preset);
    if (!preset)
        return fail(preset.error(), options.json);
    const auto request = requestFor(**file, options);
    if (!request)
        return fail(request.error(), options.json);
    const auto files = preset->make(*request);
    if (!files)
        return fail(files.error(), options.json);
    if (options.verify)
        std::fprintf(stderr, "Building and testing the export before it is committed ...\n");
    exporter::CommitOptions commit;
    commit.verify = options.verify;
    commit.allowDirty = options.allowDirty;
    const auto result = exporter::exportToRepository(options.repository, *files, *request, commit);
    if (!result)
        return fail(result.error(), options.json);
    if (options.json) {
        const Json document{ { "schema", 1 }, { "branch", result->branch }, { "commit", result->commit },
            { "changed", result->changed }, { "verified", result->verified } };
        std::printf("%s\n", document.dump(2).c_str());
        return 0;
    }
    for (const auto& one : *files)
        std::printf("  %s\n", one.path.c_str());
    std::printf("%s %s on branch %s%s\n",
        result->changed ? "committed" : "unchanged:", result->commit.substr(0, 12).c_str(), result->branch.c_str(),
        result->verified ? ", its tests pass" : ", its tests were not run");
    std::printf("next  %s\n", result->nextCommand.c_str());
    return 0;
}

} // namespace rooftree::app
