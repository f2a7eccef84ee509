// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/preparation.h"

#include "core/base/files.h"
#include "core/kernel/tunables.h"

#include <atomic>
#include <cmath>

namespace rooftree::engine {

namespace {

constexpr int64_t baselineTimingMs = 3'000;
constexpr int64_t minRunMs = 5'000;
constexpr int64_t maxRunMs = 120'000;

std::filesystem::path admissionMark(const spec::Operator& op)
{
    return cacheDir() / ("admitted-" + op.hash.substr(0, 32));
}

// A candidate that needs three times the naive time is of no use; the first call may take longer than later ones.
int64_t runLimitMs(const SessionState& state)
{
    const auto naive = state.baselines().find("naive");
    if (naive == state.baselines().end())
        return maxRunMs;
    double slowest = 0;
    for (const auto& result : naive->second.cases)
        slowest = std::max(slowest, result.timing ? result.timing->medianNs : 0);
    return std::clamp(static_cast<int64_t>(3 * slowest / 1e6), minRunMs, maxRunMs);
}

} // namespace

kernel::Candidate operatorCandidate(const spec::Operator& op, const std::string& source)
{
    return { kernel::Language::Cpp, op.name, { { op.name + ".cpp", source } } };
}

JobId nextJob()
{
    static std::atomic<int64_t> last{ 0 };
    return { ++last };
}

worker::EvaluateRequest evaluateRequest(const SessionState& state, const kernel::Candidate& candidate)
{
    worker::EvaluateRequest request;
    request.job = nextJob();
    request.candidate = candidate;
    request.seed = splitMix64(state.session().seed);
    request.timing.cache = state.session().cache == "cold" ? measure::CacheMode::Cold : measure::CacheMode::Warm;
    request.timing.precision = 0.02;
    request.timing.maxMs = 400;
    request.limits.runMs = runLimitMs(state);
    return request;
}

Preparation::Preparation(Journal& journal, hosts::Host& host, bool admit)
    : m_journal(journal)
    , m_host(host)
    , m_admit(admit)
{
}

void Preparation::run(std::function<void(Phase)> phase, std::function<void(Status)> done)
{
    m_phase = std::move(phase);
    m_done = std::move(done);
    admit();
}

void Preparation::admit()
{
    const auto& op = m_journal.state().session().op;
    std::error_code ignored;
    if (!m_admit || std::filesystem::exists(admissionMark(op), ignored))
        return sendOperator();
    m_phase(Phase::Admitting);
    m_host.admit(op, [this](const hosts::Answer<worker::AdmissionReport>& answer) { admitted(answer); });
}

void Preparation::admitted(const hosts::Answer<worker::AdmissionReport>& answer)
{
    if (!answer.value)
        return m_done(answer.error);
    if (!answer.value->admitted) {
        m_done(Error{ ErrorCode::Failed, "The operator is refused: " + answer.value->reason, {} });
        return;
    }
    const auto marked = writeFile(admissionMark(m_journal.state().session().op), "");
    if (!marked)
        m_journal.notice(marked.error().text);
    sendOperator();
}

void Preparation::sendOperator()
{
    m_host.setOperator(m_journal.state().session().op, [this](const hosts::Answer<Nothing>& answer) {
        if (!answer.value)
            return m_done(answer.error);
        measureNaive();
    });
}

void Preparation::measureNaive()
{
    const auto& state = m_journal.state();
    if (state.tree().size() > 0)
        return m_done(success());
    m_phase(Phase::Baselines);
    auto request = evaluateRequest(state, operatorCandidate(state.session().op, state.session().op.naiveSource));
    request.purpose = worker::Purpose::Baseline;
    request.timing.maxMs = baselineTimingMs;
    m_host.evaluate(request, [this](const hosts::Answer<measure::Evaluation>& answer) {
        if (!answer.value)
            return m_done(answer.error);
        if (!answer.value->passed()) {
            const auto& stages = answer.value->stages;
            m_done(Error{ ErrorCode::Failed, "The naive kernel of the operator does not pass: " + answer.value->reason,
                stages.empty() ? std::string() : stages.back().log });
            return;
        }
        if (m_journal.record(store::BaselineMeasured{ "naive", {}, *answer.value }))
            measureVendor();
        else
            m_done(*m_journal.fault());
    });
}

void Preparation::measureVendor()
{
    const auto& state = m_journal.state();
    const auto& op = state.session().op;
    const auto naive = state.baselines().at("naive");
    if (op.vendorSource.empty()) {
        m_journal.notice("No vendor baseline: no library is known to have " + op.name + ".");
        return addRoot(naive);
    }
    auto request = evaluateRequest(state, operatorCandidate(op, op.vendorSource));
    request.purpose = worker::Purpose::Baseline;
    request.timing.maxMs = baselineTimingMs;
    m_host.evaluate(request, [this, naive](const hosts::Answer<measure::Evaluation>& answer) {
        const auto& library = m_journal.state().session().op.vendorName;
        if (answer.value && answer.value->passed())
            m_journal.record(store::BaselineMeasured{ "vendor", library, *answer.value });
        else
            m_journal.notice("The vendor baseline " + library
                + " is not available: " + (answer.value ? answer.value->reason : answer.error.text));
        addRoot(naive);
    });
}

void Preparation::addRoot(const measure::Evaluation& naive)
{
    const auto candidate =
        operatorCandidate(m_journal.state().session().op, m_journal.state().session().op.naiveSource);
    store::NodeAdded root;
    root.node = NodeId{ 0 };
    root.proposer = "reference";
    root.technique = "reference";
    root.title = "the operator as it is stated";
    root.sourceHash = kernel::sourceHash(candidate);
    root.structureHash = kernel::structureHash(candidate);
    root.candidate = candidate;
    store::NodeEvaluated evaluated{ root.node, naive, 0.0, { { "naive", { 1, 1, 1 } } } };
    const auto& baselines = m_journal.state().baselines();
    if (const auto vendor = baselines.find("vendor"); vendor != baselines.end()) {
        if (const auto speedup = measure::speedupOver(vendor->second, naive))
            evaluated.speedup["vendor"] = *speedup;
    }
    if (m_journal.record({ root, evaluated }))
        m_done(success());
    else
        m_done(*m_journal.fault());
}

} // namespace rooftree::engine
