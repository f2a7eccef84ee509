// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/worker/tst_server.h"
#include "core/base/json.h"
#include "core/spec/operatorreader.h"
#include "tests/worker/fixture.h"

#include <QProcess>
#include <QTest>

#include <map>

namespace rooftree::worker::test {

namespace {

// What an engine does, in a few lines: sends requests, collects answers by id.
class Client {
public:
    Client()
    {
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("XDG_CACHE_HOME"), QString::fromStdString(cacheFolder().string()));
        m_process.setProcessEnvironment(environment);
        m_process.start(QString::fromStdString(programPath("rooftree-worker").string()), QStringList{});
    }
    ~Client()
    {
        m_process.kill();
        m_process.waitForFinished();
    }
    void send(const std::string& line) { m_process.write(line.data(), static_cast<qint64>(line.size())); }
    int64_t request(const char* name, const Json& params)
    {
        send(requestLine(++m_lastId, name, params));
        return m_lastId;
    }
    // The answer to a request, -1 for an error without an id. Fails the program after a minute.
    Frame answer(int64_t id)
    {
        while (!m_answers.contains(id)) {
            if (!m_process.canReadLine() && !m_process.waitForReadyRead(60'000))
                qFatal("the worker does not answer: %s", m_process.readAllStandardError().constData());
            while (m_process.canReadLine())
                take(m_process.readLine());
        }
        auto frame = m_answers.at(id);
        m_answers.erase(id);
        return frame;
    }
    void openOperator()
    {
        QVERIFY(!answer(request(method::setOperator, { { "operator", spec::toJson(affine()) } })).error);
    }
    QProcess& process() { return m_process; }
    const std::vector<Progress>& progress() const { return m_progress; }

private:
    void take(const QByteArray& line)
    {
        auto frame = parseFrame(line.trimmed().toStdString());
        if (!frame)
            qFatal("the worker printed what is no message: %s", line.constData());
        if (frame->method == method::progress)
            m_progress.push_back(*progressFromJson(*parseJson(frame->payload, "progress")));
        else
            m_answers.emplace(frame->id.value_or(-1), *frame);
    }
    QProcess m_process;
    int64_t m_lastId = 0;
    std::map<int64_t, Frame> m_answers;
    std::vector<Progress> m_progress;
};

Json request(int64_t job, const std::string& body)
{
    auto request = requestFor(affine(), affineKernel(body, "#include <cstdio>"));
    request.job = JobId{ job };
    return toJson(request);
}

} // namespace

void TestServer::servesAnEngine()
{
    Client client;
    const auto hello =
        helloFromJson(*parseJson(client.answer(client.request(method::hello, Json::object())).payload, "hello"));
    QVERIFY2(hello.ok(), hello.ok() ? "" : hello.error().text.c_str());
    QCOMPARE(hello->protocol, protocolVersion);
    QCOMPARE(hello->devices.size(), std::size_t{ 1 });
    QVERIFY(hello->devices[0].peaks.bandwidthGBs > 0);
    QVERIFY(!hello->toolchains.empty());
    client.openOperator();
    // Several at once; what a candidate prints never reaches the protocol's stream.
    std::vector<int64_t> ids;
    for (int64_t job = 0; job < 3; ++job)
        ids.push_back(client.request(
            method::evaluate, request(job, std::string("puts(\"{\\\"jsonrpc\\\":\\\"2.0\\\"}\");") + goodBody)));
    for (const auto id : ids) {
        const auto frame = client.answer(id);
        QVERIFY2(!frame.error, frame.error ? frame.error->text.c_str() : "");
        const auto evaluation = measure::evaluationFromJson(*parseJson(frame.payload, "evaluation"));
        QVERIFY(evaluation.ok());
        QVERIFY2(evaluation->passed(), evaluation->reason.c_str());
    }
    std::map<std::string, int> stages;
    for (const auto& progress : client.progress())
        ++stages[progress.stage];
    QVERIFY(stages["build"] >= 3 && stages["verify"] >= 3 && stages["time"] >= 3);
    const auto admission = admissionReportFromJson(*parseJson(
        client.answer(client.request(method::admit, { { "operator", spec::toJson(affine()) } })).payload, "report"));
    QVERIFY(admission.ok());
    QVERIFY2(admission->admitted, admission->reason.c_str());
}

void TestServer::answersWhatItCannotUnderstand()
{
    Client client;
    client.send("this is not a message\n");
    QVERIFY(client.answer(-1).error);
    client.send("\n");
    QVERIFY(client.answer(-1).error);
    QVERIFY(client.answer(client.request("dance", Json::object())).error);
    QVERIFY(client.answer(client.request(method::setOperator, Json::object())).error);
    QVERIFY(client.answer(client.request(method::setOperator, { { "operator", 5 } })).error);
    const auto tooEarly = client.answer(client.request(method::evaluate, request(1, goodBody)));
    QVERIFY(tooEarly.error && tooEarly.error->text.find("operator") != std::string::npos);
    QVERIFY(client.answer(client.request(method::evaluate, Json::array())).error);
    client.send("{\"jsonrpc\":\"2.0\",\"method\":\"cancel\"}\n");
    client.openOperator();
    QVERIFY(!client.answer(client.request(method::evaluate, request(1, goodBody))).error);
}

void TestServer::cancelAndShutdown()
{
    Client client;
    client.openOperator();
    auto endless = parseJson(toLine(request(7, "for (;;) asm volatile(\"\");")), "request");
    (*endless)["limits"]["runMs"] = 600'000;
    const auto id = client.request(method::evaluate, *endless);
    QTest::qWait(500);
    client.send(notificationLine(method::cancel, { { "job", 7 } }));
    const auto frame = client.answer(id);
    QVERIFY(frame.error);
    QCOMPARE(frame.error->text, std::string(canceledText));
    QVERIFY(!client.answer(client.request(method::shutdown, Json::object())).error);
    QVERIFY(client.process().waitForFinished(5000));
    QCOMPARE(client.process().exitCode(), 0);
}

void TestServer::closedInputEndsEverything()
{
    Client client;
    client.openOperator();
    auto endless = parseJson(toLine(request(7, "for (;;) asm volatile(\"\");")), "request");
    (*endless)["limits"]["runMs"] = 600'000;
    client.request(method::evaluate, *endless);
    QTest::qWait(1500);
    client.process().closeWriteChannel();
    QVERIFY(client.process().waitForFinished(10'000));
    QCOMPARE(client.process().exitStatus(), QProcess::NormalExit);
    QTRY_COMPARE_WITH_TIMEOUT(descendants(), 0, 2000);
}

} // namespace rooftree::worker::test
