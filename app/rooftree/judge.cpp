// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "judge.h"

#include "core/engine/preparation.h"

namespace rooftree::app {

namespace {

constexpr int64_t baselineTimingMs = 3'000;

} // namespace

int exitCodeOf(const Error& error)
{
    return error.text == Judge::interruptedText ? 130 : exitCode(error.code);
}

Judge::Judge() = default;

template <typename T> Result<T> Judge::await(const std::function<void(hosts::Callback<T>)>& begin)
{
    QEventLoop loop;
    std::optional<hosts::Answer<T>> answer;
    begin([&](hosts::Answer<T> got) {
        answer = std::move(got);
        loop.quit();
    });
    const auto connection = QObject::connect(&m_interrupt, &Interrupt::interrupted, &loop, [&] { loop.quit(); });
    if (!answer && m_interrupt.count() == 0)
        loop.exec();
    QObject::disconnect(connection);
    if (!answer)
        return Error{ ErrorCode::Failed, interruptedText, {} };
    if (!answer->value)
        return answer->error;
    return std::move(*answer->value);
}

Result<worker::Hello> Judge::start()
{
    return await<worker::Hello>([this](auto done) { m_host.start(std::move(done)); });
}

Status Judge::setOperator(const spec::Operator& op)
{
    return await<Nothing>([&](auto done) { m_host.setOperator(op, std::move(done)); });
}

Result<worker::AdmissionReport> Judge::admit(const spec::Operator& op)
{
    return await<worker::AdmissionReport>([&](auto done) { m_host.admit(op, std::move(done)); });
}

Result<measure::Evaluation> Judge::evaluate(worker::EvaluateRequest request)
{
    request.job = engine::nextJob();
    return await<measure::Evaluation>([&](auto done) { m_host.evaluate(request, std::move(done)); });
}

Result<measure::DuelResult> Judge::duel(worker::DuelRequest request)
{
    request.job = engine::nextJob();
    return await<measure::DuelResult>([&](auto done) { m_host.duel(request, std::move(done)); });
}

Result<std::map<std::string, measure::Evaluation>> Judge::baselines(
    const spec::Operator& op, uint64_t seed, measure::CacheMode cache, std::vector<std::string>& notes)
{
    std::map<std::string, measure::Evaluation> found;
    for (const std::string name : { "naive", "vendor" }) {
        const auto& source = name == "naive" ? op.naiveSource : op.vendorSource;
        if (source.empty()) {
            notes.push_back("no vendor baseline: no library is known to have " + op.name);
            continue;
        }
        worker::EvaluateRequest request;
        request.candidate = engine::operatorCandidate(op, source);
        request.purpose = worker::Purpose::Baseline;
        request.seed = seed;
        request.timing.cache = cache;
        request.timing.maxMs = baselineTimingMs;
        const auto evaluation = evaluate(request);
        if (!evaluation)
            return evaluation.error();
        if (evaluation->passed())
            found.emplace(name, *evaluation);
        else
            notes.push_back("baseline " + name + " is not available: " + evaluation->reason);
    }
    return found;
}

} // namespace rooftree::app
