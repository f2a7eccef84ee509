// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/expander.h"

#include "core/base/clock.h"
#include "core/base/machinelock.h"

#include <QMetaObject>

#include <optional>

namespace rooftree::engine {

Expander::Expander(Journal& journal, MakeProposer makeProposer)
    : m_journal(journal)
    , m_makeProposer(std::move(makeProposer))
{
    m_pool.setMaxThreadCount(1);
}

Expander::~Expander()
{
    m_canceled = true;
    m_pool.waitForDone();
}

void Expander::setUp(target::Device device, std::vector<target::Toolchain> toolchains, bool sharesMachine)
{
    m_device = std::move(device);
    m_toolchains = std::move(toolchains);
    m_sharesMachine = sharesMachine;
}

void Expander::propose(const search::Selection& selection, Rng rng, std::function<void(Answer)> done)
{
    auto& proposer = m_proposers[selection.proposer];
    if (!proposer) {
        auto made = m_makeProposer(selection.proposer);
        if (!made) {
            QMetaObject::invokeMethod(
                this,
                [done, error = made.error()] {
                    done({ error, 0 });
                },
                Qt::QueuedConnection);
            return;
        }
        proposer = std::move(*made);
    }
    auto request = std::make_shared<synth::ProposalRequest>(requestFor(selection, rng));
    m_pool.start([this, proposer, request, done = std::move(done)] {
        std::optional<MachineLock> lock;
        if (m_sharesMachine)
            lock.emplace(MachineLock::Mode::Work, &m_canceled);
        if (m_canceled)
            return;
        const int64_t start = Clock::system().monotonicNs();
        auto answer = std::make_shared<Answer>();
        answer->proposals = proposer->propose(*request);
        answer->ms = static_cast<double>(Clock::system().monotonicNs() - start) / 1e6;
        lock.reset();
        QMetaObject::invokeMethod(
            this, [answer, done] { done(std::move(*answer)); }, Qt::QueuedConnection);
    });
}

synth::ProposalRequest Expander::requestFor(const search::Selection& selection, Rng rng)
{
    const auto& state = m_journal.state();
    const auto& tree = state.tree();
    synth::ProposalRequest request;
    request.op = state.session().op;
    request.device = m_device;
    request.toolchains = m_toolchains;
    request.parentId = selection.parent;
    request.bound = tree.node(selection.parent).bound;
    request.memory = selection.memory;
    request.rng = rng;
    if (auto parent = m_journal.file().candidate(selection.parent))
        request.parent = std::move(*parent);
    if (selection.second.valid()) {
        if (auto second = m_journal.file().candidate(selection.second))
            request.second = std::move(*second);
    }
    request.memoryOf = memoryFor(selection);
    request.triedMoves = tree.triedMoves(selection.parent, selection.proposer);
    request.triedMoves.merge(state.duplicateMoves(selection.parent, selection.proposer));
    for (const NodeId child : tree.node(selection.parent).children)
        request.knownSources.insert(tree.node(child).sourceHash);
    addTuningHistory(request, selection.parent);
    return request;
}

void Expander::addTuningHistory(synth::ProposalRequest& request, NodeId parent)
{
    const auto& tree = m_journal.state().tree();
    for (const NodeId id : tree.withStructure(tree.node(parent).structureHash)) {
        const auto& node = tree.node(id);
        request.knownSources.insert(node.sourceHash);
        const auto& configuration = configurationOf(id);
        if (configuration.empty())
            continue;
        if (node.state == search::NodeState::Running)
            request.tuning.push_back(configuration);
        else // lost ones count as failed, so that they are not tried again
            request.tuned.push_back({ configuration, node.hasValue ? std::optional(-node.value) : std::nullopt });
    }
}

const kernel::Configuration& Expander::configurationOf(NodeId node)
{
    const auto [it, isNew] = m_configurations.try_emplace(node);
    if (isNew) {
        if (const auto candidate = m_journal.file().candidate(node)) {
            if (const auto space = kernel::readTunables(*candidate))
                it->second = space->current();
        }
    }
    return it->second;
}

std::vector<synth::PastAttempt> Expander::memoryFor(const search::Selection& selection) const
{
    const auto& tree = m_journal.state().tree();
    std::set<NodeId> shown;
    const bool line =
        selection.memory == search::MemoryMode::ParentLine || selection.memory == search::MemoryMode::Both;
    const bool siblings =
        selection.memory == search::MemoryMode::Siblings || selection.memory == search::MemoryMode::Both;
    if (line) {
        const auto ancestors = tree.lineage(selection.parent);
        shown.insert(ancestors.begin(), ancestors.end());
    }
    if (siblings) {
        const auto& children = tree.node(selection.parent).children;
        shown.insert(children.begin(), children.end());
    }
    std::vector<synth::PastAttempt> attempts;
    for (const NodeId id : shown) {
        const auto& node = tree.node(id);
        if (node.state != search::NodeState::Done)
            continue;
        attempts.push_back({ id, node.proposer, node.technique, node.title,
            std::string(measure::statusName(node.status)), node.hasValue ? std::optional(node.value) : std::nullopt });
    }
    return attempts;
}

} // namespace rooftree::engine
