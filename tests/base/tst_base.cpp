// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/machinelock.h"
#include "core/base/process.h"
#include "core/base/rng.h"
#include "core/base/sha256.h"
#include "core/base/text.h"

#include <QTest>

#include <cerrno>
#include <csignal>
#include <set>
#include <thread>

using namespace rooftree;

class TestBase : public QObject {
    Q_OBJECT

private slots:
    void sha256KnowsThePublishedVectors();
    void sha256PartsCannotBeShifted();
    void rngRepeatsItselfAndIsUniform();
    void durations_data();
    void durations();
    void nearestNames();
    void identifiersAreReplacedWhole();
    void utf8IsMadeSafe_data();
    void utf8IsMadeSafe();
    void elisionKeepsBothEnds();
    void jsonFaultsAreErrors();
    void filesRoundTrip();
    void processGivesOutputsAndCode();
    void processIsKilledAtItsLimitWithItsGroup();
    void processOutputIsCapped();
    void processCanBeCanceled();
    void processThatCannotStartIsAnError();
    void timingExcludesWork();
};

void TestBase::sha256KnowsThePublishedVectors()
{
    QCOMPARE(sha256Hex("abc"), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    QCOMPARE(sha256Hex(""), std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
}

void TestBase::sha256PartsCannotBeShifted()
{
    QVERIFY(Sha256().addPart("ab").addPart("c").hex() != Sha256().addPart("a").addPart("bc").hex());
}

void TestBase::rngRepeatsItselfAndIsUniform()
{
    Rng a(7);
    Rng b(7);
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < 20'000; ++i) {
        QCOMPARE(a.next(), b.next());
        const double z = a.normal();
        b.normal();
        sum += z;
        squares += z * z;
    }
    QVERIFY(std::abs(sum / 20'000) < 0.03);
    QVERIFY(std::abs(squares / 20'000 - 1) < 0.05);
    std::set<uint64_t> seen;
    for (int i = 0; i < 1'000; ++i)
        seen.insert(a.below(10));
    QCOMPARE(seen.size(), std::size_t(10));
    QVERIFY(Rng(1).next() != Rng(2).next());
}

void TestBase::durations_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("ms"); // -1: refused
    QTest::newRow("seconds") << QStringLiteral("90s") << qint64(90'000);
    QTest::newRow("plain") << QStringLiteral("2") << qint64(2'000);
    QTest::newRow("mixed") << QStringLiteral("1m30s") << qint64(90'000);
    QTest::newRow("hours") << QStringLiteral("2h") << qint64(7'200'000);
    QTest::newRow("ms") << QStringLiteral("250ms") << qint64(250);
    QTest::newRow("fraction") << QStringLiteral("0.5m") << qint64(30'000);
    for (const char* bad : { "", "m", "5x", "-3s", "1e99h", "nan", "3 s x" })
        QTest::newRow(bad) << QString::fromLatin1(bad) << qint64(-1);
}

void TestBase::durations()
{
    QFETCH(QString, text);
    QFETCH(qint64, ms);
    QCOMPARE(qint64(parseDurationMs(text.toStdString()).value_or(-1)), ms);
}

void TestBase::nearestNames()
{
    const std::vector<std::string> names{ "softmax", "matmul", "layernorm" };
    QCOMPARE(nearestName("sofmax", names).value_or(""), std::string("softmax"));
    QCOMPARE(nearestName("mat", names).value_or(""), std::string("matmul"));
    QVERIFY(!nearestName("zzzzzz", names));
}

void TestBase::identifiersAreReplacedWhole()
{
    QCOMPARE(replaceIdentifier("real x; realm y; unreal z; (real)", "real", "float"),
        std::string("float x; realm y; unreal z; (float)"));
}

void TestBase::utf8IsMadeSafe_data()
{
    QTest::addColumn<QByteArray>("in");
    QTest::addColumn<QByteArray>("out");
    QTest::newRow("plain") << QByteArray("a\n\tb") << QByteArray("a\n\tb");
    QTest::newRow("umlaut") << QByteArray("\xc3\xa4") << QByteArray("\xc3\xa4");
    QTest::newRow("lone byte") << QByteArray("a\xffz") << QByteArray("a\xef\xbf\xbdz");
    QTest::newRow("overlong") << QByteArray("\xc0\x80") << QByteArray("\xef\xbf\xbd\xef\xbf\xbd");
    QTest::newRow("escape") << QByteArray("\x1b[2J") << QByteArray("\xef\xbf\xbd[2J");
    QTest::newRow("cut") << QByteArray("\xe2\x82") << QByteArray("\xef\xbf\xbd\xef\xbf\xbd");
}

void TestBase::utf8IsMadeSafe()
{
    QFETCH(QByteArray, in);
    QFETCH(QByteArray, out);
    QCOMPARE(QByteArray::fromStdString(sanitizedUtf8(in.toStdString())), out);
}

void TestBase::elisionKeepsBothEnds()
{
    const std::string text = "head" + std::string(1000, '.') + "tail";
    const std::string cut = elided(text, 100);
    QVERIFY(cut.size() < 200 && cut.starts_with("head") && cut.ends_with("tail"));
    QCOMPARE(elided("short", 100), std::string("short"));
}

void TestBase::jsonFaultsAreErrors()
{
    const auto broken = parseJson("{\"a\":", "the test");
    QVERIFY(!broken && broken.error().code == ErrorCode::Parse
        && broken.error().text.find("the test") != std::string::npos);
    const auto fine = parseJson("{\"a\": 1, \"b\": \"x\"}", "the test");
    QVERIFY(fine.ok());
    QCOMPARE(jsonValue<int>(*fine, "a", 0), 1);
    QCOMPARE(jsonValue<int>(*fine, "b", 7), 7); // wrong type: the fallback
    QCOMPARE(jsonValue<int>(*fine, "c", 7), 7);
}

void TestBase::filesRoundTrip()
{
    const auto dir = TemporaryDir::make("rooftree-test");
    QVERIFY(dir.ok());
    const auto path = dir->path() / "file";
    QVERIFY(writeFile(path, "content").ok());
    QCOMPARE(readFile(path).value(), std::string("content"));
    QVERIFY(readFile(path, 3).error().code == ErrorCode::Usage);
    QVERIFY(readFile(dir->path() / "none").error().code == ErrorCode::NotFound);
    QVERIFY(!readFile(dir->path()).ok());
    QVERIFY(!writeFile(dir->path() / "none" / "file", "x").ok());
}

void TestBase::processGivesOutputsAndCode()
{
    ProcessSpec spec;
    spec.argv = { "sh", "-c", "cat; echo err >&2; exit 3" };
    spec.standardInput = std::string(300'000, 'x'); // more than a pipe holds
    const auto result = runProcess(spec);
    QVERIFY(result.ok());
    QCOMPARE(result->exitCode, 3);
    QCOMPARE(result->out.size(), std::size_t(300'000));
    QCOMPARE(result->err, std::string("err\n"));
    QVERIFY(!result->truncated && !result->timedOut);
}

void TestBase::processIsKilledAtItsLimitWithItsGroup()
{
    const auto dir = TemporaryDir::make("rooftree-test");
    ProcessSpec spec;
    spec.argv = { "sh", "-c", "sleep 100 & echo $! > pid; sleep 100" };
    spec.workingDir = dir->path();
    spec.timeoutMs = 300;
    const auto result = runProcess(spec);
    QVERIFY(result.ok() && result->timedOut);
    QVERIFY(result->wallMs < 5'000);
    const auto pid = static_cast<pid_t>(std::stol(readFile(dir->path() / "pid").value()));
    QTRY_VERIFY(::kill(pid, 0) != 0 && errno == ESRCH);
}

void TestBase::processOutputIsCapped()
{
    ProcessSpec spec;
    spec.argv = { "head", "-c", "50000000", "/dev/zero" };
    spec.maxOutputBytes = 1000;
    const auto result = runProcess(spec);
    QVERIFY(result.ok() && result->truncated);
    QCOMPARE(result->out.size(), std::size_t(1000));
    QCOMPARE(result->exitCode, 0);
}

void TestBase::processCanBeCanceled()
{
    std::atomic<bool> cancel{ false };
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        cancel = true;
    });
    ProcessSpec spec;
    spec.argv = { "sleep", "100" };
    spec.cancel = &cancel;
    const auto result = runProcess(spec);
    later.join();
    QVERIFY(result.ok() && result->canceled && !result->succeeded());
}

void TestBase::processThatCannotStartIsAnError()
{
    ProcessSpec spec;
    spec.argv = { "no-such-program-anywhere" };
    const auto result = runProcess(spec);
    QVERIFY(!result.ok() && result.error().code == ErrorCode::Environment);
    QVERIFY(!findProgram("no-such-program-anywhere"));
    QVERIFY(findProgram("sh").has_value());
}

void TestBase::timingExcludesWork()
{
    std::atomic<bool> cancel{ false };
    const MachineLock work(MachineLock::Mode::Work);
    QVERIFY(work.held());
    const MachineLock alsoWork(MachineLock::Mode::Work);
    QVERIFY(alsoWork.held());
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        cancel = true;
    });
    const MachineLock timing(MachineLock::Mode::Timing, &cancel);
    later.join();
    QVERIFY(!timing.held()); // gave up: the work was still there
}

QTEST_APPLESS_MAIN(TestBase)
#include "tst_base.moc"
