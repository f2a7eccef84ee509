// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "clifixture.h"

#include <QFile>
#include <QJsonArray>
#include <QTest>

using namespace rooftree;
using namespace rooftree::test;

class TestCli : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void badCommandLines_data();
    void badCommandLines();
    void badOperators_data();
    void badOperators();
    void badKernels_data();
    void badKernels();
    void badSessions_data();
    void badSessions();
    void goodKernelPasses();
    void kernelOfSeveralFiles();
    void compareFindsAKnownDifference();
    void searchShowExport();
    void replayRepeatsTheTree();

private:
    void write(const char* name, const std::string& content) { QVERIFY(writeFile(m_dir->path() / name, content).ok()); }
    std::optional<TemporaryDir> m_dir;
};

void TestCli::initTestCase()
{
    auto dir = TemporaryDir::make("rooftree-test");
    QVERIFY(dir.ok());
    m_dir.emplace(std::move(*dir));
    writeSmallOperator(m_dir->path());
}

void TestCli::badCommandLines_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* arguments, int code, const char* says) {
        QTest::newRow(arguments) << QString::fromLatin1(arguments).split(QLatin1Char(' '), Qt::SkipEmptyParts) << code
                                 << QString::fromLatin1(says);
    };
    row("", 2, "subcommand");
    row("rum softmax", 2, "Did you mean run");
    row("frobnicate", 2, "Commands:");
    row("run", 2, "OPERATOR");
    row("run sofmax", 2, "softmax");
    row("run softmax --evals x", 2, "--evals");
    row("run softmax --evals -3", 2, "--evals");
    row("run softmax --time soon", 2, "90s");
    row("run softmax --policy mtcs", 2, "mcts");
    row("run softmax --proposers libary", 2, "library");
    row("run softmax --device gpu7", 2, "cpu");
    row("run softmax --language triton", 2, "cpp");
    row("run softmax --jobs 0", 2, "--jobs");
    row("run softmax --kernel none.cpp --evals 1", 2, "none.cpp");
    row("run softmax --session no/such/folder/x.rooftree --evals 1", 2, "no/such/folder");
    row("run softmax --nonsense", 2, "nonsense");
    row("resume none.rooftree", 2, "none.rooftree");
    row("eval softmax", 2, "KERNEL");
    row("eval softmax none.cpp", 2, "none.cpp");
    row("eval softmax kernel.txt", 2, "kernel.txt");
    row("show none.rooftree", 2, "none.rooftree");
    row("export none.rooftree best --repo .", 2, "none.rooftree");
    row("operators show sofmax", 2, "softmax");
    row("operators check no-such-thing", 2, "no-such-thing");
    row("bench speed", 2, "speed");
    row("compare softmax a.cpp", 2, "KERNEL_B");
}

void TestCli::badCommandLines()
{
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QString, says);
    const auto result = runCli(arguments, m_dir->path());
    QVERIFY(!result.crashed);
    QCOMPARE(result.code, code);
    QVERIFY2(result.err.contains(says.toUtf8()), result.err.constData());
    QVERIFY2(result.err.startsWith("rooftree: "), result.err.constData());
    QVERIFY2(result.err.count('\n') <= 3, result.err.constData()); // one clear message
}

void TestCli::badOperators_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const char* from, const char* to, const char* says) {
        QTest::newRow(name) << QString::fromLatin1(from) << QString::fromLatin1(to) << QString::fromLatin1(says);
    };
    row("not toml", "axes = {", "axes = = {", "operator.toml:4");
    row("unknown key", "family =", "familly =", "family");
    row("unknown dtype", "float32", "float33", "float32");
    row("unknown axis", "shape = [\"n\"]", "shape = [\"m\"]", "m");
    row("no cases", "[[cases]]", "[[casses]]", "cases");
    row("bad expression", "\"2 * n\"", "\"2 * * n\"", "operator.toml:");
    row("unknown fill", "kind = \"normal\"", "kind = \"norml\"", "normal");
    row("no such reference", "reference.cpp", "other.cpp", "other.cpp");
    row("leaves the folder", "reference.cpp", "../reference.cpp", "..");
    row("negative size", "n = 65536", "n = -1", "n");
    row("huge size", "n = 65536", "n = 99999999999999", "n");
    row("bad name", "name = \"affine\"", "name = \"2fast\"", "2fast");
    row("keyword", "name = \"affine\"", "name = \"while\"", "while");
    row("bad role", "held-out", "hold-out", "held-out");
    row("binary", "name", "na\001me", "operator.toml");
}

void TestCli::badOperators()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, says);
    auto dir = TemporaryDir::make("rooftree-test");
    QVERIFY(dir.ok());
    const auto folder = writeSmallOperator(dir->path());
    auto toml = QString::fromStdString(smallOperatorToml());
    QVERIFY(toml.contains(from));
    toml.replace(from, to);
    QVERIFY(writeFile(folder / "operator.toml", toml.toStdString()).ok());
    const auto result =
        runCli({ QStringLiteral("run"), QStringLiteral("affine/"), QStringLiteral("--evals"), QStringLiteral("1") },
            dir->path());
    QVERIFY(!result.crashed);
    QCOMPARE(result.code, 2);
    QVERIFY2(result.err.contains(says.toUtf8()), result.err.constData());
    QVERIFY2(result.err.contains("operator.toml"), result.err.constData());
}

void TestCli::badKernels_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("status");
    const auto row = [](const char* name, const std::string& source, const char* status) {
        QTest::newRow(name) << QString::fromStdString(source) << QString::fromLatin1(status);
    };
    row("empty", "", "COMPILE_ERROR");
    row("not c++", "this is no kernel", "COMPILE_ERROR");
    row("binary", std::string("\x01\x02\x03\xff"), "COMPILE_ERROR");
    row("no entry", "extern \"C\" void other() { }", "COMPILE_ERROR");
    row("wrong", smallKernel("y[i] = x[i];"), "INCORRECT_NUMERICAL");
    row("nan", smallKernel("y[i] = __builtin_nanf(\"\");"), "INCORRECT_NUMERICAL");
    row("does nothing", smallKernel(";"), "INCORRECT_NUMERICAL");
    row("segfault", smallKernel("*(volatile int*)nullptr = 1;"), "RUNTIME_ERROR");
    row("exit", "#include <cstdlib>\n" + smallKernel("std::exit(0);"), "RUNTIME_ERROR");
    row("abort", "#include <cstdlib>\n" + smallKernel("std::abort();"), "RUNTIME_ERROR");
    row("includes a device", "#include \"/dev/zero\"\n" + smallKernel(), "COMPILE_ERROR");
}

void TestCli::badKernels()
{
    QFETCH(QString, source);
    QFETCH(QString, status);
    write("bad.cpp", source.toStdString());
    const auto result = runCli(
        { QStringLiteral("eval"), QStringLiteral("affine/"), QStringLiteral("bad.cpp"), QStringLiteral("--json") },
        m_dir->path());
    QVERIFY(!result.crashed);
    QCOMPARE(result.json().value(QStringLiteral("status")).toString(), status);
    QVERIFY(!result.json().value(QStringLiteral("reason")).toString().isEmpty());
    QCOMPARE(result.code, 1);
}

void TestCli::badSessions_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("text") << QByteArray("this is no session\n");
    QTest::newRow("cut database") << QByteArray("SQLite format 3\0", 16);
}

void TestCli::badSessions()
{
    QFETCH(QByteArray, content);
    write("bad.rooftree", content.toStdString());
    for (const char* command : { "show", "resume" }) {
        const auto result = runCli({ QString::fromLatin1(command), QStringLiteral("bad.rooftree") }, m_dir->path());
        QVERIFY(!result.crashed);
        QVERIFY2(result.code == 2 || result.code == 3, qPrintable(QString::number(result.code)));
        QVERIFY2(result.err.contains("bad.rooftree"), result.err.constData());
    }
}

void TestCli::goodKernelPasses()
{
    const auto result = runCli(
        { QStringLiteral("eval"), QStringLiteral("affine/"), QStringLiteral("kernel.cpp"), QStringLiteral("--json") },
        m_dir->path());
    const auto json = result.json();
    QCOMPARE(json.value(QStringLiteral("status")).toString(), QStringLiteral("PASSED"));
    QCOMPARE(result.code, 0);
    QVERIFY(json.value(QStringLiteral("speedup")).toObject().contains(QStringLiteral("naive")));
    const auto cases = json.value(QStringLiteral("cases")).toArray();
    QCOMPARE(cases.size(), 2);
    for (const auto& one : cases)
        QVERIFY(
            one.toObject().value(QStringLiteral("time_ns")).toObject().value(QStringLiteral("median")).toDouble() > 0);
}

void TestCli::kernelOfSeveralFiles()
{
    std::filesystem::create_directories(m_dir->path() / "several" / "detail");
    write("several/affine.cpp", "#include \"detail/step.h\"\n" + smallKernel("y[i] = step(x[i]);"));
    write("several/detail/step.h", "float step(float x);\n");
    write("several/step.cpp", "#include \"detail/step.h\"\nfloat step(float x) { return 3.0f * x + 1.0f; }\n");
    const auto result = runCli({ QStringLiteral("eval"), QStringLiteral("affine/"), QStringLiteral("several"),
                                   QStringLiteral("--json"), QStringLiteral("--no-baselines") },
        m_dir->path());
    QCOMPARE(result.json().value(QStringLiteral("status")).toString(), QStringLiteral("PASSED"));
}

void TestCli::compareFindsAKnownDifference()
{
    write("slow.cpp",
        smallKernel(
            "{ float s = 0; for (volatile int r = 0; r < 20; r = r + 1) s += 1; y[i] = 3.0f * x[i] + s / 20; }"));
    const QStringList fast{ QStringLiteral("compare"), QStringLiteral("affine/"), QStringLiteral("kernel.cpp"),
        QStringLiteral("slow.cpp"), QStringLiteral("--json") };
    const auto json = runCli(fast, m_dir->path()).json();
    QCOMPARE(json.value(QStringLiteral("verdict")).toString(), QStringLiteral("FASTER"));
    QVERIFY(json.value(QStringLiteral("ratio")).toObject().value(QStringLiteral("value")).toDouble() > 1.5);
}

void TestCli::searchShowExport()
{
    const auto run = runCli({ QStringLiteral("run"), QStringLiteral("affine/"), QStringLiteral("--evals"),
                                QStringLiteral("12"), QStringLiteral("--kernel"), QStringLiteral("kernel.cpp"),
                                QStringLiteral("--session"), QStringLiteral("s.rooftree"), QStringLiteral("--json") },
        m_dir->path());
    QVERIFY2(run.code == 0 || run.code == 1, run.err.constData());
    QCOMPARE(run.json().value(QStringLiteral("evaluations")).toInt(), 12);
    QCOMPARE(run.json().value(QStringLiteral("stopped_by")).toString(), QStringLiteral("evaluations"));
    for (const char* what : { "--tree", "--best", "--node=1", "--why=2" }) {
        const auto shown =
            runCli({ QStringLiteral("show"), QStringLiteral("s.rooftree"), QString::fromLatin1(what) }, m_dir->path());
        QVERIFY2(shown.code == 0 && !shown.out.isEmpty(), shown.err.constData());
    }
    QCOMPARE(runCli({ QStringLiteral("show"), QStringLiteral("s.rooftree"), QStringLiteral("--node"),
                        QStringLiteral("999") },
                 m_dir->path())
                 .code,
        2);
    const auto early = runCli({ QStringLiteral("show"), QStringLiteral("s.rooftree"), QStringLiteral("--at"),
                                  QStringLiteral("3"), QStringLiteral("--tree") },
        m_dir->path());
    const auto all =
        runCli({ QStringLiteral("show"), QStringLiteral("s.rooftree"), QStringLiteral("--tree") }, m_dir->path());
    QVERIFY(early.out.count('\n') < all.out.count('\n'));

    QProcess git;
    git.setWorkingDirectory(QString::fromStdString(m_dir->path().string()));
    git.start(QStringLiteral("sh"),
        { QStringLiteral("-c"),
            QStringLiteral("git init -q repo && cd repo && git config user.name T && git config user.email "
                           "t@example.org && echo x > x && git add x && git commit -qm x") });
    QVERIFY(git.waitForFinished() && git.exitCode() == 0);
    const auto exported = runCli({ QStringLiteral("export"), QStringLiteral("s.rooftree"), QStringLiteral("1"),
                                     QStringLiteral("--repo"), QStringLiteral("repo") },
        m_dir->path());
    QVERIFY2(exported.code == 0, exported.err.constData());
    git.start(QStringLiteral("git"),
        { QStringLiteral("-C"), QStringLiteral("repo"), QStringLiteral("branch"), QStringLiteral("--list"),
            QStringLiteral("rooftree/*") });
    QVERIFY(git.waitForFinished());
    QVERIFY(git.readAllStandardOutput().contains("rooftree/"));
}

void TestCli::replayRepeatsTheTree()
{
    const auto tree = [&](const char* session) {
        return runCli({ QStringLiteral("show"), QString::fromLatin1(session), QStringLiteral("--tree") }, m_dir->path())
            .out;
    };
    const QStringList search{ QStringLiteral("run"), QStringLiteral("affine/"), QStringLiteral("--evals"),
        QStringLiteral("10"), QStringLiteral("--seed"), QStringLiteral("5"), QStringLiteral("--json"),
        QStringLiteral("--session") };
    runCli(search + QStringList{ QStringLiteral("recorded.rooftree") }, m_dir->path());
    const auto replayed = runCli(search
            + QStringList{ QStringLiteral("replayed.rooftree"), QStringLiteral("--replay"),
                QStringLiteral("recorded.rooftree") },
        m_dir->path());
    QVERIFY2(replayed.code == 0 || replayed.code == 1, replayed.err.constData());
    QVERIFY(tree("recorded.rooftree").count('\n') > 5);
    QCOMPARE(tree("replayed.rooftree"), tree("recorded.rooftree"));
}

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
