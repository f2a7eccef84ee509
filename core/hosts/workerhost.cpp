// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hosts/workerhost.h"

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/spec/operatorreader.h"

#include <QTimer>
#include <spdlog/spdlog.h>

namespace rooftree::hosts {

namespace {

constexpr int maxDeathsInARow = 5;
constexpr int maxAttempts = 2;

// Turns the text of an answer into a value; a text that does not parse is the worker's fault.
template <typename T, typename Parse>
std::function<void(const Answer<std::string>&)> parsed(Callback<T> done, Parse parse)
{
    return [done = std::move(done), parse](const Answer<std::string>& answer) {
        if (!answer.value)
            return done({ std::nullopt, answer.absence, answer.error });
        const auto json = parseJson(*answer.value, "The worker's answer");
        if (!json)
            return done({ std::nullopt, Absence::Environment, json.error() });
        auto value = parse(*json);
        if (!value)
            return done({ std::nullopt, Absence::Environment, value.error() });
        done({ std::move(*value), {}, {} });
    };
}

} // namespace

struct WorkerHost::Request {
    int64_t id = 0;
    std::string line;
    std::function<void(const Answer<std::string>&)> done;
    int64_t job = -1; // -1: not a job, sent again without counting
    bool begun = false; // the worker has reported work on it
    int attempts = 0;
};

WorkerHost::WorkerHost(QStringList command, QObject* parent)
    : Host(parent)
    , m_command(std::move(command))
{
    if (m_command.isEmpty())
        m_command << QString::fromStdString(programPath("rooftree-worker").string());
}

WorkerHost::~WorkerHost()
{
    m_closing = true;
    if (m_process && m_process->state() != QProcess::NotRunning) {
        m_process->disconnect(this);
        m_process->closeWriteChannel(); // the worker leaves when its input closes
        if (!m_process->waitForFinished(2000)) {
            m_process->kill();
            m_process->waitForFinished(1000);
        }
    }
}

qint64 WorkerHost::workerPid() const
{
    return m_process ? m_process->processId() : 0;
}

void WorkerHost::start(Callback<worker::Hello> done)
{
    m_helloDone = std::move(done);
    launch();
}

void WorkerHost::launch()
{
    m_buffer.clear();
    m_process = std::make_unique<QProcess>();
    m_process->setProcessChannelMode(QProcess::ForwardedErrorChannel);
    connect(m_process.get(), &QProcess::readyReadStandardOutput, this, &WorkerHost::readLines);
    connect(m_process.get(), &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        handleExit(status == QProcess::CrashExit ? QStringLiteral("was killed by a signal")
                                                 : QStringLiteral("left with exit code %1").arg(code));
    });
    connect(m_process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
            const auto program = m_command.first().toStdString();
            failAll({ ErrorCode::Environment,
                "Cannot start the worker " + program + ". Is it installed beside rooftree?", {} });
        }
    });
    m_process->start(m_command.first(), m_command.mid(1));
    sendHello();
    for (const auto& [id, request] : m_requests)
        write(request);
}

void WorkerHost::sendHello()
{
    // hello and the operator go first on every (re)start; only the first hello has somebody waiting.
    const Json params{ { "protocol", worker::protocolVersion } };
    const int64_t id = m_nextId++;
    if (m_helloDone) {
        Request request{ id, worker::requestLine(id, worker::method::hello, params),
            parsed<worker::Hello>(std::exchange(m_helloDone, {}), worker::helloFromJson) };
        m_requests.emplace(id, std::move(request)); // written by the caller
    } else {
        m_process->write(QByteArray::fromStdString(worker::requestLine(id, worker::method::hello, params)));
    }
    if (!m_operatorJson.empty()) {
        const auto json = parseJson(m_operatorJson, "operator");
        if (json)
            m_process->write(QByteArray::fromStdString(
                worker::requestLine(m_nextId++, worker::method::setOperator, Json{ { "operator", *json } })));
    }
}

void WorkerHost::write(const Request& request)
{
    m_process->write(QByteArray::fromStdString(request.line));
}

void WorkerHost::send(
    const char* method, const Json& params, std::function<void(const Answer<std::string>&)> done, int64_t job)
{
    const int64_t id = m_nextId++;
    const auto& request =
        m_requests.emplace(id, Request{ id, worker::requestLine(id, method, params), std::move(done), job })
            .first->second;
    if (m_process && m_process->state() != QProcess::NotRunning)
        write(request);
}

void WorkerHost::setOperator(const spec::Operator& op, Callback<Nothing> done)
{
    const Json json = spec::toJson(op);
    m_operatorJson = toLine(json);
    send(worker::method::setOperator, Json{ { "operator", json } },
        [done = std::move(done)](const Answer<std::string>& answer) {
            done({ answer.value ? std::optional(Nothing{}) : std::nullopt, answer.absence, answer.error });
        });
}

void WorkerHost::admit(const spec::Operator& op, Callback<worker::AdmissionReport> done)
{
    send(worker::method::admit, Json{ { "operator", spec::toJson(op) } },
        parsed<worker::AdmissionReport>(std::move(done), worker::admissionReportFromJson));
}

void WorkerHost::evaluate(const worker::EvaluateRequest& request, Callback<measure::Evaluation> done)
{
    send(worker::method::evaluate, worker::toJson(request),
        parsed<measure::Evaluation>(std::move(done), measure::evaluationFromJson), request.job.value);
}

void WorkerHost::duel(const worker::DuelRequest& request, Callback<measure::DuelResult> done)
{
    send(worker::method::duel, worker::toJson(request),
        parsed<measure::DuelResult>(std::move(done), measure::duelFromJson), request.job.value);
}

void WorkerHost::cancelAll()
{
    std::vector<int64_t> ids;
    for (const auto& [id, request] : m_requests) {
        if (request.job < 0)
            continue;
        ids.push_back(id);
        if (m_process)
            m_process->write(QByteArray::fromStdString(
                worker::notificationLine(worker::method::cancel, Json{ { "job", request.job } })));
    }
    for (const int64_t id : ids) {
        QTimer::singleShot(0, this, [this, id] {
            settle(id, { std::nullopt, Absence::Lost, { ErrorCode::Failed, "Canceled.", {} } });
        });
    }
}

void WorkerHost::readLines()
{
    m_buffer += m_process->readAllStandardOutput();
    while (true) {
        const auto end = m_buffer.indexOf('\n');
        if (end < 0)
            break;
        const QByteArray line = m_buffer.left(end);
        m_buffer.remove(0, end + 1);
        handleLine(line);
    }
    if (static_cast<std::size_t>(m_buffer.size()) > worker::maxLineBytes) {
        spdlog::error("the worker sent a line over {} bytes; it is restarted", worker::maxLineBytes);
        m_process->kill();
    }
}

void WorkerHost::handleLine(const QByteArray& line)
{
    const auto frame = worker::parseFrame(std::string_view(line.constData(), static_cast<std::size_t>(line.size())));
    if (!frame) {
        spdlog::warn("the worker sent a line that is no message: {}", frame.error().text);
        return;
    }
    if (frame->method == worker::method::progress)
        return handleProgress(frame->payload);
    if (!frame->id)
        return;
    m_deathsInARow = 0;
    if (frame->error)
        settle(*frame->id, { std::nullopt, Absence::Environment, *frame->error });
    else
        settle(*frame->id, { frame->payload, {}, {} });
}

void WorkerHost::handleProgress(const std::string& payload)
{
    const auto json = parseJson(payload, "progress");
    const auto report = json ? worker::progressFromJson(*json) : Result<worker::Progress>(json.error());
    if (!report)
        return;
    for (auto& [id, request] : m_requests) {
        if (request.job == report->job.value && report->stage != "waiting")
            request.begun = true;
    }
    emit progress(*report);
}

void WorkerHost::settle(int64_t id, const Answer<std::string>& answer)
{
    const auto it = m_requests.find(id);
    if (it == m_requests.end())
        return;
    const auto done = std::move(it->second.done);
    m_requests.erase(it);
    done(answer);
}

void WorkerHost::handleExit(const QString& how)
{
    if (m_closing)
        return;
    readLines(); // what it said before it died still counts
    if (++m_deathsInARow >= maxDeathsInARow) {
        failAll({ ErrorCode::Environment,
            "The worker " + how.toStdString() + " " + std::to_string(m_deathsInARow)
                + " times in a row. Run `rooftree doctor` to see what this machine lacks.",
            {} });
        return;
    }
    emit trouble(QStringLiteral("The worker %1; it is started again.").arg(how));
    std::vector<int64_t> lost;
    for (auto& [id, request] : m_requests) {
        if (request.begun && ++request.attempts >= maxAttempts)
            lost.push_back(id);
        request.begun = false;
    }
    QTimer::singleShot(0, this, [this, lost] {
        for (const int64_t id : lost)
            settle(id,
                { std::nullopt, Absence::Lost,
                    { ErrorCode::Protocol, "The worker died twice on this candidate.", {} } });
        launch();
    });
}

void WorkerHost::failAll(const Error& error)
{
    QTimer::singleShot(0, this, [this, error] {
        while (!m_requests.empty())
            settle(m_requests.begin()->first, { std::nullopt, Absence::Environment, error });
    });
}

} // namespace rooftree::hosts
