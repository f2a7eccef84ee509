// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"
#include "core/hosts/workerhost.h"

#include <QSignalSpy>
#include <QTest>

using namespace rooftree;

// The host against workers that misbehave: small shell scripts that speak the protocol badly.
class TestHosts : public QObject {
    Q_OBJECT

private slots:
    void init();
    void missingProgramIsAnEnvironmentError();
    void workerThatAlwaysDiesIsAnEnvironmentError();
    void garbageIsPassedOver();
    void jobThatKillsItsWorkerTwiceIsLost();
    void jobThatOnlyWaitedIsSentAgain();
    void errorAnswersAreNobodysFault();
    void cancelSettlesJobs();

private:
    QStringList script(const std::string& text);
    static worker::EvaluateRequest request(int64_t job);
    std::optional<TemporaryDir> m_dir;
};

// What every script begins with: answers hello, then goes on with the given commands; $line is the last line read, $id its id.
static const char* const preamble = R"(
next() { read -r line || exit 0; id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'); }
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
begun() { printf '{"jsonrpc":"2.0","method":"progress","params":{"job":%s,"stage":"build"}}\n' "$1"; }
next
answer '{"protocol":1,"version":"x","devices":[],"toolchains":[],"sandbox":{"level":0,"reasons":[]},"missing":[]}'
)";

void TestHosts::init()
{
    auto dir = TemporaryDir::make("rooftree-test");
    QVERIFY(dir.ok());
    m_dir.emplace(std::move(*dir));
}

QStringList TestHosts::script(const std::string& text)
{
    const auto path = m_dir->path() / "worker.sh";
    if (!writeFile(path, preamble + text))
        qFatal("cannot write the script");
    return { QStringLiteral("sh"), QString::fromStdString(path.string()) };
}

worker::EvaluateRequest TestHosts::request(int64_t job)
{
    worker::EvaluateRequest request;
    request.job = { job };
    request.candidate = { kernel::Language::Cpp, "f", { { "f.cpp", "x" } } };
    return request;
}

// Collects answers of any kind.
template <typename T> struct Collected {
    std::vector<hosts::Answer<T>> answers;
    hosts::Callback<T> callback()
    {
        return [this](hosts::Answer<T> answer) { answers.push_back(std::move(answer)); };
    }
};

void TestHosts::missingProgramIsAnEnvironmentError()
{
    hosts::WorkerHost host({ QStringLiteral("/no/such/rooftree-worker") });
    Collected<worker::Hello> hello;
    host.start(hello.callback());
    QTRY_COMPARE(hello.answers.size(), std::size_t(1));
    QVERIFY(!hello.answers[0].value);
    QCOMPARE(hello.answers[0].absence, hosts::Absence::Environment);
    QVERIFY(hello.answers[0].error.text.find("/no/such/rooftree-worker") != std::string::npos);
}

void TestHosts::workerThatAlwaysDiesIsAnEnvironmentError()
{
    hosts::WorkerHost host({ QStringLiteral("false") });
    Collected<worker::Hello> hello;
    host.start(hello.callback());
    QTRY_COMPARE(hello.answers.size(), std::size_t(1));
    QCOMPARE(hello.answers[0].absence, hosts::Absence::Environment);
    QVERIFY(hello.answers[0].error.text.find("doctor") != std::string::npos);
}

void TestHosts::garbageIsPassedOver()
{
    hosts::WorkerHost host(script(
        "printf 'garbage\n{\"a\":1}\n\n'; next; answer '{\"status\":\"COMPILE_ERROR\",\"reason\":\"r\"}'; next"));
    Collected<worker::Hello> hello;
    Collected<measure::Evaluation> evaluation;
    host.start(hello.callback());
    host.evaluate(request(1), evaluation.callback());
    QTRY_COMPARE(evaluation.answers.size(), std::size_t(1));
    QVERIFY(hello.answers.size() == 1 && hello.answers[0].value.has_value());
    QVERIFY(evaluation.answers[0].value.has_value());
    QCOMPARE(evaluation.answers[0].value->status, measure::EvaluationStatus::CompileError);
}

void TestHosts::jobThatKillsItsWorkerTwiceIsLost()
{
    hosts::WorkerHost host(script("next; begun 1; exit 7"));
    QSignalSpy trouble(&host, &hosts::Host::trouble);
    Collected<worker::Hello> hello;
    Collected<measure::Evaluation> evaluation;
    host.start(hello.callback());
    host.evaluate(request(1), evaluation.callback());
    QTRY_COMPARE(evaluation.answers.size(), std::size_t(1));
    QVERIFY(!evaluation.answers[0].value);
    QCOMPARE(evaluation.answers[0].absence, hosts::Absence::Lost);
    QCOMPARE(trouble.size(), 2);
}

void TestHosts::jobThatOnlyWaitedIsSentAgain()
{
    // The first worker dies on job 1; its successor loses job 1 as well, and the third one does job 2.
    hosts::WorkerHost host(script("next; case \"$line\" in *'\"job\":1'*) begun 1; exit 1;; esac; answer "
                                  "'{\"status\":\"COMPILE_ERROR\",\"reason\":\"two\"}'; next"));
    Collected<worker::Hello> hello;
    Collected<measure::Evaluation> first;
    Collected<measure::Evaluation> second;
    host.start(hello.callback());
    host.evaluate(request(1), first.callback());
    host.evaluate(request(2), second.callback());
    QTRY_COMPARE(second.answers.size(), std::size_t(1));
    QCOMPARE(first.answers.size(), std::size_t(1));
    QVERIFY(!first.answers[0].value);
    QVERIFY(second.answers[0].value.has_value());
}

void TestHosts::errorAnswersAreNobodysFault()
{
    hosts::WorkerHost host(
        script("next; printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32000,\"message\":\"No space left. "
               "Free some.\"}}\n' \"$id\"; next"));
    Collected<worker::Hello> hello;
    Collected<measure::Evaluation> evaluation;
    host.start(hello.callback());
    host.evaluate(request(1), evaluation.callback());
    QTRY_COMPARE(evaluation.answers.size(), std::size_t(1));
    QCOMPARE(evaluation.answers[0].absence, hosts::Absence::Environment);
    QVERIFY(evaluation.answers[0].error.text.find("No space left") != std::string::npos);
}

void TestHosts::cancelSettlesJobs()
{
    hosts::WorkerHost host(script("while true; do next; done"));
    Collected<worker::Hello> hello;
    Collected<measure::Evaluation> evaluation;
    host.start(hello.callback());
    host.evaluate(request(1), evaluation.callback());
    host.evaluate(request(2), evaluation.callback());
    host.cancelAll();
    QTRY_COMPARE(evaluation.answers.size(), std::size_t(2));
    QCOMPARE(evaluation.answers[0].absence, hosts::Absence::Lost);
}

QTEST_GUILESS_MAIN(TestHosts)
#include "tst_hosts.moc"
