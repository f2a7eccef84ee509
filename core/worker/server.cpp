// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/server.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/spec/operatorreader.h"
#include "core/worker/hello.h"
#include "core/worker/linereader.h"

#include <cerrno>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace rooftree::worker {

namespace {

constexpr std::size_t maxJobThreads = 64;

Error canceledError()
{
    return { ErrorCode::Failed, canceledText, {} };
}

template <typename T> Result<Json> answerOf(const Result<T>& outcome)
{
    if (!outcome)
        return outcome.error();
    return toJson(*outcome);
}

Result<spec::Operator> operatorParam(const Json& params)
{
    const auto it = params.is_object() ? params.find("operator") : params.end();
    if (!params.is_object() || it == params.end())
        return Error{ ErrorCode::Protocol, "The request has no \"operator\".", {} };
    return spec::operatorFromJson(*it);
}

} // namespace

Server::Server(int input, int output)
    : m_input(input)
    , m_output(output)
    , m_pool(std::make_unique<JobPool>(maxJobThreads))
{
}

Server::~Server()
{
    cancelJobs(std::nullopt);
    m_pool.reset();
}

int Server::run()
{
    LineReader reader(m_input, maxLineBytes);
    while (const auto line = reader.next()) {
        if (line->tooLong) {
            write(errorLine(-1,
                { ErrorCode::Protocol, "A message is longer than " + std::to_string(maxLineBytes) + " bytes.", {} }));
            continue;
        }
        auto frame = parseFrame(line->text);
        if (!frame)
            write(errorLine(-1, frame.error()));
        else if (!handle(*frame))
            break;
    }
    cancelJobs(std::nullopt);
    m_pool.reset();
    return 0;
}

bool Server::handle(const Frame& frame)
{
    if (frame.method.empty())
        return true; // an answer; the worker asks nothing
    auto params = parseJson(frame.payload, "The parameters of " + frame.method);
    if (frame.method == method::cancel && params)
        cancelJobs(JobId{ jsonValue<int64_t>(*params, "job", -1) });
    if (!frame.id)
        return frame.method != method::shutdown;
    if (!params)
        write(errorLine(*frame.id, params.error()));
    else if (frame.method == method::cancel || frame.method == method::shutdown)
        write(resultLine(*frame.id, Json::object()));
    else
        dispatch(*frame.id, frame.method, *params);
    return frame.method != method::shutdown;
}

void Server::dispatch(int64_t id, const std::string& name, const Json& params)
{
    if (name == method::hello)
        return handleHello(id);
    if (name == method::setOperator)
        return handleOperator(id, params);
    if (name == method::admit)
        return handleAdmit(id, params);
    if (name == method::evaluate)
        return handleEvaluate(id, params);
    if (name == method::duel)
        return handleDuel(id, params);
    write(errorLine(id, { ErrorCode::Protocol, "The worker does not know the method \"" + name + "\".", {} }));
}

void Server::startJob(int64_t id, JobId jobId, Work work)
{
    auto job = std::make_shared<Job>();
    job->id = jobId;
    {
        const std::lock_guard lock(m_jobsMutex);
        m_jobs.emplace(job.get(), job);
    }
    m_pool->submit([this, id, job, work = std::move(work)] {
        auto answer = job->cancel ? Result<Json>(canceledError()) : work(*job);
        if (job->cancel)
            answer = canceledError();
        {
            const std::lock_guard lock(m_jobsMutex);
            m_jobs.erase(job.get());
        }
        if (!answer)
            spdlog::info("request {}: {} {}", id, answer.error().text, answer.error().detail);
        write(answer ? resultLine(id, *answer) : errorLine(id, answer.error()));
    });
}

void Server::cancelJobs(std::optional<JobId> which)
{
    const std::lock_guard lock(m_jobsMutex);
    for (const auto& [pointer, job] : m_jobs) {
        if (!which || (which->valid() && job->id == *which))
            job->cancel = true;
    }
}

JobContext Server::contextOf(Job& job)
{
    return JobContext(
        &job.cancel, [this, id = job.id](const std::string& stage, double fraction, const std::string& text) {
            if (id.valid())
                write(notificationLine(method::progress, toJson(Progress{ id, stage, fraction, text })));
        });
}

Evaluator& Server::evaluator()
{
    std::call_once(m_explored, [this] { m_evaluator = std::make_unique<Evaluator>(exploreMachine(cacheDir())); });
    return *m_evaluator;
}

void Server::handleHello(int64_t id)
{
    startJob(id, {}, [this](Job&) -> Result<Json> { return toJson(helloOf(evaluator().machine())); });
}

void Server::handleOperator(int64_t id, const Json& params)
{
    auto parsed = operatorParam(params);
    if (!parsed)
        return write(errorLine(id, parsed.error()));
    m_operator = std::make_shared<const spec::Operator>(std::move(parsed).value());
    startJob(id, {}, [this, op = m_operator](Job& job) -> Result<Json> {
        auto context = contextOf(job);
        auto status = evaluator().prepare(*op, context);
        return status ? Result<Json>(Json{ { "hash", op->hash } }) : Result<Json>(status.error());
    });
}

void Server::handleAdmit(int64_t id, const Json& params)
{
    auto parsed = operatorParam(params);
    if (!parsed)
        return write(errorLine(id, parsed.error()));
    auto op = std::make_shared<const spec::Operator>(std::move(parsed).value());
    startJob(id, JobId{ jsonValue<int64_t>(params, "job", -1) }, [this, op](Job& job) {
        auto context = contextOf(job);
        return answerOf(evaluator().admit(*op, context));
    });
}

void Server::handleEvaluate(int64_t id, const Json& params)
{
    auto request = evaluateRequestFromJson(params);
    if (!request)
        return write(errorLine(id, request.error()));
    if (!m_operator)
        return write(errorLine(
            id, { ErrorCode::Protocol, "There is no operator yet. Send \"operator\" before \"evaluate\".", {} }));
    const JobId job = request->job;
    startJob(id, job, [this, op = m_operator, request = std::move(request).value()](Job& running) {
        auto context = contextOf(running);
        return answerOf(evaluator().evaluate(*op, request, context));
    });
}

void Server::handleDuel(int64_t id, const Json& params)
{
    auto request = duelRequestFromJson(params);
    if (!request)
        return write(errorLine(id, request.error()));
    if (!m_operator)
        return write(
            errorLine(id, { ErrorCode::Protocol, "There is no operator yet. Send \"operator\" before \"duel\".", {} }));
    const JobId job = request->job;
    startJob(id, job, [this, op = m_operator, request = std::move(request).value()](Job& running) {
        auto context = contextOf(running);
        return answerOf(evaluator().duel(*op, request, context));
    });
}

void Server::write(const std::string& line)
{
    const std::lock_guard lock(m_writeMutex);
    std::string_view rest = line;
    while (!rest.empty()) {
        const ssize_t put = ::write(m_output, rest.data(), rest.size());
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            spdlog::error("the engine does not listen any more");
            return cancelJobs(std::nullopt);
        }
        rest.remove_prefix(static_cast<std::size_t>(put));
    }
}

} // namespace rooftree::worker
