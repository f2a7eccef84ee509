// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/championship.h"

#include "core/engine/preparation.h"

#include <algorithm>
#include <cmath>

namespace rooftree::engine {

namespace {

// On CPUs with unlocked clocks a difference below 2 % is not called one (reference "Measurement and duel", margin m).
constexpr double duelMargin = 0.02;
// A candidate challenges when its screen is better by half the margin; at the end also those that lie within the
// margin.
constexpr double challengeGap = duelMargin / 2;
constexpr double clearRatio = 1.5; // beyond it a few pairs settle the matter
constexpr double obviousRatio = 10; // beyond it, in one process pair: the slow side may take seconds a call
constexpr std::size_t maxRunOff = 3;
constexpr int64_t baselineDuelMs = 20'000;

} // namespace

Championship::Championship(Journal& journal, hosts::Host& host)
    : m_journal(journal)
    , m_host(host)
{
}

worker::DuelRequest Championship::duelRequest(NodeId candidate, double expectedRatio) const
{
    const auto base = evaluateRequest(m_journal.state(), {});
    worker::DuelRequest request;
    request.job = base.job;
    request.seed = base.seed;
    request.timing = base.timing;
    request.limits = base.limits;
    request.margin = duelMargin;
    if (const auto source = m_journal.file().candidate(candidate))
        request.candidate = *source;
    const bool clear = expectedRatio > clearRatio;
    request.processes = expectedRatio > obviousRatio ? 1 : clear ? 3 : 5;
    request.pairsPerProcess = expectedRatio <= obviousRatio && clear ? 1 : 3;
    request.maxMs = clear ? 5'000 : 20'000;
    return request;
}

void Championship::consider(NodeId node, Done done)
{
    const auto& tree = m_journal.state().tree();
    const NodeId champion = m_journal.state().championOrRoot();
    const auto& challenger = tree.node(node);
    if (!challenger.hasValue || node == champion || challenger.value < m_journal.state().championValue() + challengeGap
        || m_fought.contains({ node, champion }))
        return;
    fight(node, std::move(done));
}

void Championship::fight(NodeId candidate, Done done)
{
    const auto& tree = m_journal.state().tree();
    const NodeId incumbent = m_journal.state().championOrRoot();
    m_busy = true;
    m_fought.insert({ candidate, incumbent });
    auto request = duelRequest(candidate, std::exp(tree.node(candidate).value - tree.node(incumbent).value));
    if (const auto source = m_journal.file().candidate(incumbent))
        request.incumbent = *source;
    request.incumbentPurpose = incumbent == tree.root() ? worker::Purpose::Baseline : worker::Purpose::Candidate;
    const int64_t start = Clock::system().monotonicNs();
    m_host.duel(request,
        [this, candidate, incumbent, start, done = std::move(done)](const hosts::Answer<measure::DuelResult>& answer) {
            m_busy = false;
            m_journal.state().addDuelMs(static_cast<double>(Clock::system().monotonicNs() - start) / 1e6);
            if (!answer.value && answer.absence == hosts::Absence::Environment)
                return done(answer.error);
            if (!answer.value) {
                m_journal.notice(
                    "The duel of node " + std::to_string(candidate.value) + " was lost: " + answer.error.text);
                return done(success());
            }
            const bool wins = answer.value->verdict == measure::Verdict::Faster;
            m_journal.record(store::DuelFought{ candidate, incumbent, *answer.value, wins });
            done(success());
        });
}

std::vector<NodeId> Championship::challengers(double margin, std::size_t most) const
{
    const auto& tree = m_journal.state().tree();
    const NodeId champion = m_journal.state().championOrRoot();
    std::vector<NodeId> found;
    for (const auto& node : tree.nodes()) {
        if (node.hasValue && node.id != champion && !tree.isPruned(node.id)
            && node.value > m_journal.state().championValue() - margin && !m_fought.contains({ node.id, champion }))
            found.push_back(node.id);
    }
    std::stable_sort(
        found.begin(), found.end(), [&](NodeId a, NodeId b) { return tree.node(a).value > tree.node(b).value; });
    found.resize(std::min(found.size(), most));
    return found;
}

void Championship::finalize(Done done)
{
    const auto verified = [this, done](const Status& status) {
        if (!status)
            return done(status);
        const auto& baselines = m_journal.state().baselines();
        std::deque<std::string> names;
        for (const auto& [name, evaluation] : baselines)
            names.push_back(name);
        measureNext(std::move(names), done);
    };
    runOff(challengers(duelMargin, maxRunOff),
        [this, verified](const Status& status) { status ? verifyFresh(verified) : verified(status); });
}

void Championship::runOff(std::vector<NodeId> rest, Done done)
{
    if (rest.empty())
        return done(success());
    const NodeId next = rest.front();
    rest.erase(rest.begin());
    if (next == m_journal.state().championOrRoot())
        return runOff(std::move(rest), std::move(done));
    fight(next, [this, rest, done](const Status& status) { status ? runOff(rest, done) : done(status); });
}

void Championship::verifyFresh(Done done)
{
    const NodeId champion = m_journal.state().championOrRoot();
    if (champion == m_journal.state().tree().root())
        return done(success());
    const auto source = m_journal.file().candidate(champion);
    if (!source)
        return done(source.error());
    auto request = evaluateRequest(m_journal.state(), *source);
    request.seed = splitMix64(request.seed);
    request.time = false;
    m_busy = true;
    m_host.evaluate(request, [this, champion, done](const hosts::Answer<measure::Evaluation>& answer) {
        m_busy = false;
        if (!answer.value)
            return done(answer.absence == hosts::Absence::Environment ? Status(answer.error) : success());
        if (answer.value->passed())
            return done(success());
        demote(champion, *answer.value, done);
    });
}

void Championship::demote(NodeId champion, const measure::Evaluation& evaluation, Done done)
{
    m_journal.notice(
        "Node " + std::to_string(champion.value) + " was champion but fails on fresh inputs: " + evaluation.reason);
    if (!m_journal.record(store::NodeEvaluated{ champion, evaluation, std::nullopt, {} }))
        return done(*m_journal.fault());
    // The best of the others takes its place by a duel against the root, and has to pass the same test.
    const auto root = m_journal.state().tree().root();
    measure::DuelResult none;
    if (!m_journal.record(store::DuelFought{ root, champion, none, true }))
        return done(*m_journal.fault());
    const auto next = challengers(1e9, 1);
    if (next.empty())
        return done(success());
    fight(next.front(), [this, done](const Status& status) { status ? verifyFresh(done) : done(status); });
}

void Championship::measureNext(std::deque<std::string> baselines, Done done)
{
    const NodeId champion = m_journal.state().championOrRoot();
    if (baselines.empty() || champion == m_journal.state().tree().root() || m_journal.fault())
        return done(m_journal.fault() ? Status(*m_journal.fault()) : success());
    const std::string name = baselines.front();
    baselines.pop_front();
    const auto& op = m_journal.state().session().op;
    const auto known = m_journal.state().speedups(champion);
    auto request = duelRequest(champion, known.contains(name) ? known.at(name).value : 1.0);
    request.incumbent = operatorCandidate(op, name == "naive" ? op.naiveSource : op.vendorSource);
    request.incumbentPurpose = worker::Purpose::Baseline;
    request.maxMs = baselineDuelMs;
    m_busy = true;
    m_host.duel(request, [this, champion, name, baselines, done](const hosts::Answer<measure::DuelResult>& answer) {
        m_busy = false;
        if (!answer.value && answer.absence == hosts::Absence::Environment)
            return done(answer.error);
        if (answer.value)
            m_journal.record(store::ChampionMeasured{ champion, name, *answer.value });
        measureNext(baselines, done);
    });
}

} // namespace rooftree::engine
