// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hosts/recordedhost.h"

#include "core/kernel/candidate.h"

#include <QTimer>

#include <deque>
#include <unordered_map>

namespace rooftree::hosts {

FunctionHost::FunctionHost(Functions functions, QObject* parent)
    : Host(parent)
    , m_functions(std::move(functions))
{
}

void FunctionHost::start(Callback<worker::Hello> done)
{
    QTimer::singleShot(0, this, [this, done] { done({ m_functions.hello, {}, {} }); });
}

void FunctionHost::setOperator(const spec::Operator&, Callback<Nothing> done)
{
    QTimer::singleShot(0, this, [done] { done({ Nothing{}, {}, {} }); });
}

void FunctionHost::admit(const spec::Operator&, Callback<worker::AdmissionReport> done)
{
    QTimer::singleShot(0, this, [done] { done({ worker::AdmissionReport{ true, {}, {} }, {}, {} }); });
}

void FunctionHost::evaluate(const worker::EvaluateRequest& request, Callback<measure::Evaluation> done)
{
    QTimer::singleShot(0, this, [this, request, done] { done(m_functions.evaluate(request)); });
}

void FunctionHost::duel(const worker::DuelRequest& request, Callback<measure::DuelResult> done)
{
    QTimer::singleShot(0, this, [this, request, done] { done(m_functions.duel(request)); });
}

namespace {

struct Recording {
    std::unordered_map<std::string, std::deque<measure::Evaluation>> evaluations; // by source hash, in order
    std::map<std::pair<std::string, std::string>, std::deque<measure::DuelResult>>
        duels; // by hashes of candidate and incumbent
    std::map<int64_t, std::string> hashOf; // node -> source hash
    std::map<std::string, std::string> baselineHash;
    worker::Hello hello;
};

void note(Recording& recording, const store::EventBody& body)
{
    if (const auto* session = std::get_if<store::SessionCreated>(&body)) {
        recording.hello.devices = { session->device };
        recording.hello.toolchains = session->toolchains;
        const auto baselineHash = [&](const std::string& source) {
            return kernel::sourceHash(
                { kernel::Language::Cpp, session->op.name, { { session->op.name + ".cpp", source } } });
        };
        recording.baselineHash["naive"] = baselineHash(session->op.naiveSource);
        recording.baselineHash["vendor"] = baselineHash(session->op.vendorSource);
    } else if (const auto* baseline = std::get_if<store::BaselineMeasured>(&body)) {
        recording.evaluations[recording.baselineHash[baseline->name]].push_back(baseline->evaluation);
    } else if (const auto* added = std::get_if<store::NodeAdded>(&body)) {
        recording.hashOf[added->node.value] = added->sourceHash;
    } else if (const auto* evaluated = std::get_if<store::NodeEvaluated>(&body)) {
        if (evaluated->node.value > 0) // the root's is the naive baseline's
            recording.evaluations[recording.hashOf[evaluated->node.value]].push_back(evaluated->evaluation);
    } else if (const auto* duel = std::get_if<store::DuelFought>(&body)) {
        recording.duels[{ recording.hashOf[duel->candidate.value], recording.hashOf[duel->incumbent.value] }].push_back(
            duel->result);
    } else if (const auto* measured = std::get_if<store::ChampionMeasured>(&body)) {
        recording.duels[{ recording.hashOf[measured->node.value], recording.baselineHash[measured->baseline] }]
            .push_back(measured->result);
    }
}

const Error notRecorded{ ErrorCode::NotFound, "The recorded session does not have this.", {} };

// The next one that was recorded under this key, the last one again and again. The same key may stand for several in a row: a re-evaluation, or
// a duel against the root and the champion's last measurement against naive, which are the same two sources.
template <typename T, typename Map, typename Key> Answer<T> next(Map& recorded, const Key& key)
{
    const auto it = recorded.find(key);
    if (it == recorded.end())
        return { std::nullopt, Absence::Lost, notRecorded };
    const T value = it->second.front();
    if (it->second.size() > 1)
        it->second.pop_front();
    return { value, {}, {} };
}

} // namespace

Result<FunctionHost::Functions> replayFunctions(const store::SessionFile& session)
{
    auto recording = std::make_shared<Recording>();
    const auto read = session.read(1, store::Detail::Full, [&](const store::Event& event) {
        note(*recording, event.body);
        return true;
    });
    if (!read)
        return read.error();
    FunctionHost::Functions functions;
    functions.hello = recording->hello;
    functions.evaluate = [recording](const worker::EvaluateRequest& request) {
        return next<measure::Evaluation>(recording->evaluations, kernel::sourceHash(request.candidate));
    };
    functions.duel = [recording](const worker::DuelRequest& request) {
        return next<measure::DuelResult>(
            recording->duels, std::pair(kernel::sourceHash(request.candidate), kernel::sourceHash(request.incumbent)));
    };
    return functions;
}

} // namespace rooftree::hosts
