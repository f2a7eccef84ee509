// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/worker/tst_protocol.h"
#include "core/base/json.h"
#include "core/worker/protocol.h"

#include <QTest>

namespace rooftree::worker::test {

namespace {

kernel::Candidate candidate(const char* text)
{
    kernel::Candidate candidate;
    candidate.entry = "affine";
    candidate.files.push_back({ "kernel.cpp", text });
    candidate.files.push_back({ "part/more.h", "// \"quoted\"\n\t\\" });
    return candidate;
}

} // namespace

void TestProtocol::requestsSurviveTheWire()
{
    EvaluateRequest request;
    request.job = JobId{ 17 };
    request.candidate = candidate("int a;\n");
    request.purpose = Purpose::Baseline;
    request.seed = 0xfedcba9876543210ULL;
    request.time = false;
    request.timeHeldOut = true;
    request.timing = { measure::CacheMode::Cold, 0.02, 3, 77, 1.5e6 };
    request.limits = { 1, 2, 3, 4, 5 };
    const auto json = toJson(request);
    const auto back = evaluateRequestFromJson(json);
    QVERIFY2(back.ok(), back.ok() ? "" : back.error().text.c_str());
    QCOMPARE(toLine(toJson(*back)), toLine(json));
    QCOMPARE(back->seed, request.seed);
    QCOMPARE(back->candidate.files[1].content, request.candidate.files[1].content);

    DuelRequest duel;
    duel.job = JobId{ 0 };
    duel.candidate = candidate("a");
    duel.incumbent = candidate("b");
    duel.incumbentPurpose = Purpose::Baseline;
    duel.processes = 7;
    duel.pairsPerProcess = 2;
    duel.margin = 0.05;
    duel.heldOut = true;
    duel.maxMs = 123;
    const auto duelBack = duelRequestFromJson(toJson(duel));
    QVERIFY(duelBack.ok());
    QCOMPARE(toLine(toJson(*duelBack)), toLine(toJson(duel)));
}

void TestProtocol::reportsSurviveTheWire()
{
    Hello hello;
    hello.version = "1.2";
    hello.sandboxLevel = 1;
    hello.sandboxReasons = { "level 2: no" };
    hello.missing = { "clang++: not found" };
    hello.devices.resize(1);
    hello.devices[0].id = hello.devices[0].kind = "cpu";
    hello.toolchains.resize(1);
    hello.toolchains[0].language = "cpp";
    hello.toolchains[0].name = "g++";
    const auto helloBack = helloFromJson(toJson(hello));
    QVERIFY2(helloBack.ok(), helloBack.ok() ? "" : helloBack.error().text.c_str());
    QCOMPARE(toLine(toJson(*helloBack)), toLine(toJson(hello)));
    const auto progress = progressFromJson(toJson(Progress{ JobId{ 3 }, "build", 0.5, "half" }));
    QVERIFY(progress.ok());
    QCOMPARE(progress->fraction, 0.5);
    AdmissionReport report{ false, "refused",
        { { "zeros", false, true, true, "why" }, { "permuted", false, false, false, "n/a" } } };
    const auto reportBack = admissionReportFromJson(toJson(report));
    QVERIFY(reportBack.ok());
    QVERIFY(!reportBack->controls[0].ok());
    QVERIFY(reportBack->controls[1].ok());
    QCOMPARE(toLine(toJson(*reportBack)), toLine(toJson(report)));
    QVERIFY(!helloFromJson(Json::array()).ok());
    QVERIFY(!progressFromJson(Json::object()).ok());
    QVERIFY(!admissionReportFromJson("yes").ok());
}

void TestProtocol::framesAreOneLineEach()
{
    const auto line = requestLine(5, method::evaluate, Json{ { "text", "two\nlines" } });
    QCOMPARE(std::count(line.begin(), line.end(), '\n'), 1);
    QCOMPARE(line.back(), '\n');
    const auto frame = parseFrame(line);
    QVERIFY(frame.ok());
    QCOMPARE(frame->id.value(), 5);
    QCOMPARE(frame->method, std::string(method::evaluate));
    QCOMPARE(parseJson(frame->payload, "x")->at("text").get<std::string>(), std::string("two\nlines"));
    const auto note = parseFrame(notificationLine(method::progress, Json::object()));
    QVERIFY(note.ok() && !note->id && note->method == method::progress);
    const auto result = parseFrame(resultLine(9, Json{ { "a", 1 } }));
    QVERIFY(result.ok() && result->method.empty() && result->id == 9 && !result->error);
}

void TestProtocol::errorsKeepTheirKind()
{
    for (const auto code : { ErrorCode::Usage, ErrorCode::NotFound, ErrorCode::Parse, ErrorCode::Io,
             ErrorCode::Environment, ErrorCode::Protocol, ErrorCode::Failed, ErrorCode::Internal }) {
        const auto frame = parseFrame(errorLine(4, { code, "text", "detail" }));
        QVERIFY(frame.ok() && frame->error);
        QCOMPARE(frame->error->code, code);
        QCOMPARE(frame->error->text, std::string("text"));
        QCOMPARE(frame->error->detail, std::string("detail"));
    }
    const auto withoutId = parseFrame(errorLine(-1, { ErrorCode::Parse, "t", {} }));
    QVERIFY(withoutId.ok() && !withoutId->id && withoutId->error);
}

void TestProtocol::malformedFramesAreRefused_data()
{
    QTest::addColumn<QByteArray>("line");
    const auto row = [](const char* name, const QByteArray& line) { QTest::newRow(name) << line; };
    row("empty", "");
    row("not json", "hello");
    row("array", "[1,2]");
    row("no version", R"({"id":1,"method":"hello"})");
    row("old version", R"({"jsonrpc":"1.0","id":1,"method":"hello"})");
    row("text id", R"({"jsonrpc":"2.0","id":"1","method":"hello"})");
    row("fraction id", R"({"jsonrpc":"2.0","id":1.5,"method":"hello"})");
    row("method is a number", R"({"jsonrpc":"2.0","id":1,"method":7})");
    row("empty method", R"({"jsonrpc":"2.0","id":1,"method":""})");
    row("request and result", R"({"jsonrpc":"2.0","id":1,"method":"a","result":1})");
    row("nothing", R"({"jsonrpc":"2.0","id":1})");
    row("result and error", R"({"jsonrpc":"2.0","id":1,"result":1,"error":{}})");
    row("error is text", R"({"jsonrpc":"2.0","id":1,"error":"no"})");
    row("result without id", R"({"jsonrpc":"2.0","result":1})");
    row("cut off", R"({"jsonrpc":"2.0","id":1,"method":"hel)");
    row("deep", QByteArray(R"({"jsonrpc":"2.0","id":1,"method":"a","params":)") + QByteArray(1'000'000, '['));
    row("bytes", QByteArray("\xff\xfe\x00\x01", 4));
}

void TestProtocol::malformedFramesAreRefused()
{
    QFETCH(QByteArray, line);
    const auto frame = parseFrame(std::string_view(line.constData(), static_cast<std::size_t>(line.size())));
    QVERIFY(!frame.ok());
    QCOMPARE(frame.error().code, ErrorCode::Protocol);
    QVERIFY(!frame.error().text.empty());
}

void TestProtocol::malformedRequestsAreRefused_data()
{
    QTest::addColumn<QByteArray>("patch");
    const auto row = [](const char* name, const char* patch) { QTest::newRow(name) << QByteArray(patch); };
    row("no job", R"({"job":null})");
    row("negative job", R"({"job":-3})");
    row("no candidate", R"({"candidate":null})");
    row("candidate is text", R"({"candidate":"x"})");
    row("unknown purpose", R"({"purpose":"evil"})");
    row("zero limit", R"({"limits":{"runMs":0}})");
    row("unknown cache", R"({"timing":{"cache":"lukewarm"}})");
    row("negative precision", R"({"timing":{"precision":-1}})");
    row("no samples", R"({"timing":{"minSamples":0}})");
}

void TestProtocol::malformedRequestsAreRefused()
{
    QFETCH(QByteArray, patch);
    EvaluateRequest request;
    request.job = JobId{ 1 };
    request.candidate = candidate("a");
    Json json = toJson(request);
    json.merge_patch(*parseJson(patch.toStdString(), "patch"));
    const auto back = evaluateRequestFromJson(json);
    QVERIFY(!back.ok());
    QVERIFY(!back.error().text.empty());
    QVERIFY(!evaluateRequestFromJson(Json::array()).ok());
    QVERIFY(!duelRequestFromJson(json).ok());
}

} // namespace rooftree::worker::test
