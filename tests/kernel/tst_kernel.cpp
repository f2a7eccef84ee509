// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"
#include "core/kernel/candidate.h"
#include "core/kernel/directives.h"
#include "core/kernel/tunables.h"

#include <QtTest>

using namespace rooftree;
using namespace rooftree::kernel;

static Candidate candidateOf(const std::string& source)
{
    return { Language::Cpp, "f", { { "kernel.cpp", source } } };
}

static const char* const tiledSource = "#define TILE 64   // rooftree: tune {16, 32, 64, 128}\n"
                                       "#define UNROLL 4 // rooftree: tune {1, 2, 4}\n"
                                       "constexpr int width = 8; // rooftree: tune {4, 8}\n"
                                       "#define TYPE float /* rooftree: tune {float, \"unsigned int\"} */\n"
                                       "#define MODE \"fast\" // rooftree: tune {\"fast\", \"safe\"}\n"
                                       "// rooftree: require TILE * UNROLL <= 256\n"
                                       "// rooftree: flags {\"-O3 -march=native\", \"-O2\"}\n"
                                       "// rooftree: compiler {\"g++\", \"clang++\"}\n"
                                       "extern \"C\" void f() {}\n";

static QByteArray text(const std::string& value)
{
    return QByteArray::fromStdString(value);
}

class TestKernel : public QObject {
    Q_OBJECT

private slots:
    void languagesHaveNames();
    void candidateSurvivesJson();
    void hostileCandidatesAreRefused_data();
    void hostileCandidatesAreRefused();
    void sourceHashSeparatesParts();

    void tunablesAreRead();
    void sourcesWithoutTunablesGiveAnEmptySpace();
    void pythonLinesAreTunables();
    void currentValueJoinsItsList();
    void malformedDirectivesAreErrors_data();
    void malformedDirectivesAreErrors();
    void requirementsBind();
    void retuningRewritesOneLine();
    void retuningRoundTrips();
    void everyOptionCanBeChosen();
    void structureHashForgetsValuesOnly();
    void buildOptionsHaveDefaults();
    void severalFilesShareOneSpace();
    void hostileTextIsScannedInLinearTime();
};

void TestKernel::languagesHaveNames()
{
    QCOMPARE(languageName(Language::Cpp), std::string_view("cpp"));
    QVERIFY(languageFromName("cpp"));
    QVERIFY(!languageFromName("fortran"));
}

void TestKernel::candidateSurvivesJson()
{
    const Candidate original{ Language::Cpp, "softmax", { { "kernel.cpp", "int \xc3\xa9;\n" }, { "a/b.h", "" } } };
    const auto copy = candidateFromJson(toJson(original));
    QVERIFY(copy);
    QCOMPARE(text(sourceHash(*copy)), text(sourceHash(original)));
    QCOMPARE(copy->files.size(), std::size_t(2));
    QCOMPARE(text(copy->mainSource()), text(original.mainSource()));
    for (const auto* broken :
        { "{}", "[]", "3", "null", "{\"language\":\"cpp\"}", "{\"language\":\"cpp\",\"entry\":\"f\",\"files\":7}",
            "{\"language\":\"cpp\",\"entry\":\"f\",\"files\":[]}",
            "{\"language\":\"cpp\",\"entry\":\"f\",\"files\":[3]}" })
        QVERIFY2(!candidateFromJson(*parseJson(broken, "test")), broken);
}

void TestKernel::hostileCandidatesAreRefused_data()
{
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("word");
    QTest::newRow("absolute") << QByteArray("/etc/passwd") << QByteArray("absolute");
    QTest::newRow("parent") << QByteArray("../x.cpp") << QByteArray("'..'");
    QTest::newRow("parent inside") << QByteArray("a/../x.cpp") << QByteArray("'..'");
    QTest::newRow("here") << QByteArray("./x.cpp") << QByteArray("'.'");
    QTest::newRow("empty part") << QByteArray("a//x.cpp") << QByteArray("empty part");
    QTest::newRow("trailing slash") << QByteArray("a/") << QByteArray("empty part");
    QTest::newRow("empty") << QByteArray("") << QByteArray("empty");
    QTest::newRow("zero byte") << QByteArray("a\0b", 3) << QByteArray("control");
    QTest::newRow("newline") << QByteArray("a\nb") << QByteArray("control");
    QTest::newRow("long") << QByteArray(5000, 'a') << QByteArray("1024");
}

void TestKernel::hostileCandidatesAreRefused()
{
    QFETCH(QByteArray, path);
    QFETCH(QByteArray, word);
    const auto status = validate({ Language::Cpp, "f", { { path.toStdString(), "x" } } });
    QVERIFY(!status);
    QVERIFY2(text(status.error().text).contains(word), status.error().text.c_str());
}

void TestKernel::sourceHashSeparatesParts()
{
    const Candidate a{ Language::Cpp, "f", { { "ab", "c" } } };
    const Candidate b{ Language::Cpp, "f", { { "a", "bc" } } };
    QVERIFY(sourceHash(a) != sourceHash(b));
    QCOMPARE(sourceHash(a).size(), std::size_t(64));

    QVERIFY(validate(a));
    QVERIFY(!validate({ Language::Cpp, "f", {} }));
    QVERIFY(!validate({ Language::Cpp, "f; evil", { { "a", "x" } } }));
    QVERIFY(!validate({ Language::Cpp, "", { { "a", "x" } } }));
    QVERIFY(!validate({ Language::Cpp, "f", { { "a", "x" }, { "a", "y" } } }));
    QVERIFY(!validate({ Language::Cpp, "f", { { "a", "\xff\xfe" } } }));
    QVERIFY(validate({ Language::Cpp, "f", { { "a", std::string(16u << 20, 'x') } } }));
    QVERIFY(!validate({ Language::Cpp, "f", { { "a", std::string(16u << 20, 'x') }, { "b", "y" } } }));
}

void TestKernel::tunablesAreRead()
{
    const auto space = readTunables(candidateOf(tiledSource));
    QVERIFY2(space, space.ok() ? "" : space.error().text.c_str());
    QCOMPARE(space->tunables.size(), std::size_t(7));
    QCOMPARE(space->requirements.size(), std::size_t(1));
    QCOMPARE(space->size(), 4.0 * 3 * 2 * 2 * 2 * 2 * 2);
    const Configuration expected{ { "TILE", "64" }, { "UNROLL", "4" }, { "width", "8" }, { "TYPE", "float" },
        { "MODE", "fast" }, { "flags", "-O3 -march=native" }, { "compiler", "g++" } };
    QVERIFY(space->current() == expected);
    QCOMPARE(space->tunables[2].line, std::size_t(2));
    QVERIFY((space->tunables[3].values == std::vector<std::string>{ "float", "unsigned int" }));
    // Sorted, so that the order in the line carries no meaning.
    QVERIFY((space->tunables[5].values == std::vector<std::string>{ "-O2", "-O3 -march=native" }));
}

void TestKernel::sourcesWithoutTunablesGiveAnEmptySpace()
{
    for (const auto* source :
        { "", "int main() {}\n", "const char* s = \"rooftree: tune {1}\";\n", "int rooftree:7;\n" }) {
        const auto space = readTunables(candidateOf(source));
        QVERIFY2(space, source);
        QVERIFY(space->tunables.empty());
        QCOMPARE(space->size(), 1.0);
        QVERIFY(space->allows({}));
    }
}

void TestKernel::pythonLinesAreTunables()
{
    const auto candidate = candidateOf("BLOCK = 128   # rooftree: tune {64, 128, 256}\r\nx = 1\r\n");
    const auto space = readTunables(candidate);
    QVERIFY(space);
    QCOMPARE(text(space->tunables.front().name), QByteArray("BLOCK"));
    const auto changed = withConfiguration(candidate, { { "BLOCK", "256" } });
    QCOMPARE(text(changed.mainSource()), QByteArray("BLOCK = 256   # rooftree: tune {64, 128, 256}\r\nx = 1\r\n"));
}

void TestKernel::currentValueJoinsItsList()
{
    const auto space = readTunables(candidateOf("#define T 48 // rooftree: tune {16, 32, 16}\n"));
    QVERIFY(space);
    QVERIFY((space->tunables.front().values == std::vector<std::string>{ "16", "32", "48" }));
}

void TestKernel::malformedDirectivesAreErrors_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("word");
    const auto row = [](const char* name, const QByteArray& line, const char* word) {
        QTest::newRow(name) << line << QByteArray(word);
    };
    row("no list", "#define T 1 // rooftree: tune", "braces");
    row("empty list", "#define T 1 // rooftree: tune {}", "empty");
    row("blank list", "#define T 1 // rooftree: tune {  }", "empty");
    row("open list", "#define T 1 // rooftree: tune {1, 2", "not closed");
    row("open quote", "// rooftree: flags {\"-O3", "second quote");
    row("spare comma", "#define T 1 // rooftree: tune {1,,2}", "comma");
    row("last comma", "#define T 1 // rooftree: tune {1,}", "comma");
    row("no comma", "// rooftree: flags {\"-O3\" \"-O2\"}", "commas");
    row("nothing tuned", "// rooftree: tune {1, 2}", "behind a value");
    row("no value", "#define T // rooftree: tune {1, 2}", "behind a value");
    row("macro with parameters", "#define T(x) x // rooftree: tune {1, 2}", "parameters");
    row("other directive", "#include <x> // rooftree: tune {1, 2}", "behind a value");
    row("comparison", "a == b // rooftree: tune {1, 2}", "behind a value");
    row("unknown word", "// rooftree: tnue {1}", "tune, require");
    row("no word", "// rooftree:", "tune, require");
    row("empty requirement", "// rooftree: require", "requirement is empty");
    row("bad requirement", "// rooftree: require T <= <= 3", "Expected");
    row("unknown name", "// rooftree: require UNKNOWN <= 3", "UNKNOWN");
    row("twice", "#define T 1 // rooftree: tune {1}\n#define T 2 // rooftree: tune {2}", "twice");
    row("two flags", "// rooftree: flags {\"-O3\"}\n// rooftree: flags {\"-O3\"}", "twice");
    row("long line", "#define T 1 // rooftree: tune {" + QByteArray(9000, '1') + "}", "8192");
}

void TestKernel::malformedDirectivesAreErrors()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, word);
    const auto candidate = candidateOf("int first;\n" + line.toStdString() + "\n");
    const auto space = readTunables(candidate);
    QVERIFY(!space);
    const auto message = text(space.error().text);
    QVERIFY2(message.startsWith("kernel.cpp:2:") || message.startsWith("kernel.cpp:3:"), message.constData());
    QVERIFY2(message.contains(word), message.constData());
    // The functions that cannot fail leave such lines alone.
    QVERIFY(!structureHash(candidate).empty());
    QVERIFY(!buildOptions(candidate).flags.empty());
    withConfiguration(candidate, { { "T", "7" }, { "flags", "-O1" } });
}

void TestKernel::requirementsBind()
{
    const auto space = readTunables(candidateOf(tiledSource));
    QVERIFY(space);
    auto configuration = space->current();
    QVERIFY(space->allows(configuration)); // 64 * 4
    configuration["TILE"] = "128";
    QVERIFY(!space->allows(configuration)); // 128 * 4
    configuration["UNROLL"] = "2";
    QVERIFY(space->allows(configuration));

    // A name takes part as the index of its value; a division by zero does not hold.
    const auto named = readTunables(candidateOf("#define T a // rooftree: tune {a, b}\n// rooftree: require T == 1\n"));
    QVERIFY(!named->allows({ { "T", "a" } }));
    QVERIFY(named->allows({ { "T", "b" } }));
    const auto zero =
        readTunables(candidateOf("#define T 0 // rooftree: tune {0, 2}\n// rooftree: require 4 % T == 0\n"));
    QVERIFY(!zero->allows({ { "T", "0" } }));
    QVERIFY(zero->allows({ { "T", "2" } }));
}

void TestKernel::retuningRewritesOneLine()
{
    const auto candidate = candidateOf(tiledSource);
    const auto changed = withConfiguration(candidate, { { "TILE", "16" }, { "unknown", "3" } });
    auto expected = candidate.mainSource();
    expected.replace(expected.find("64 "), 2, "16");
    QCOMPARE(text(changed.mainSource()), text(expected));
    // A value that would break out of its line is not written.
    QCOMPARE(text(withConfiguration(candidate, { { "TILE", "1\n#include <x>" } }).mainSource()),
        text(candidate.mainSource()));
}

void TestKernel::retuningRoundTrips()
{
    const auto candidate = candidateOf(tiledSource);
    const Configuration other{ { "TILE", "16" }, { "UNROLL", "1" }, { "width", "4" }, { "TYPE", "unsigned int" },
        { "MODE", "safe" }, { "flags", "-O2" }, { "compiler", "clang++" } };
    const auto changed = withConfiguration(candidate, other);
    const auto space = readTunables(changed);
    QVERIFY(space);
    QVERIFY(space->current() == other);
    QCOMPARE(text(withConfiguration(changed, readTunables(candidate)->current()).mainSource()).count('\n'),
        text(candidate.mainSource()).count('\n'));
    QVERIFY(readTunables(withConfiguration(changed, readTunables(candidate)->current()))->current()
        == readTunables(candidate)->current());
}

void TestKernel::everyOptionCanBeChosen()
{
    const auto candidate = candidateOf("// rooftree: flags {\"-O3\", \"-O2 -DX=\\\"a\\\"\", \"-O1\"}\n");
    const auto values = readTunables(candidate)->tunables.front().values;
    for (const auto& value : values) {
        const auto changed = withConfiguration(candidate, { { "flags", value } });
        const auto space = readTunables(changed);
        QVERIFY(space);
        QCOMPARE(text(space->tunables.front().current), text(value));
        QVERIFY(space->tunables.front().values == values);
    }
}

void TestKernel::structureHashForgetsValuesOnly()
{
    const auto candidate = candidateOf(tiledSource);
    const auto changed = withConfiguration(candidate,
        { { "TILE", "16" }, { "width", "4" }, { "MODE", "safe" }, { "flags", "-O2" }, { "compiler", "clang++" } });
    QVERIFY(sourceHash(candidate) != sourceHash(changed));
    QCOMPARE(text(structureHash(candidate)), text(structureHash(changed)));

    const auto different = candidateOf(std::string(tiledSource) + "int more;\n");
    QVERIFY(structureHash(candidate) != structureHash(different));
    const auto untuned = candidateOf("#define TILE 64\n");
    QVERIFY(structureHash(untuned) != structureHash(candidateOf("#define TILE 32\n")));
}

void TestKernel::buildOptionsHaveDefaults()
{
    const auto defaults = buildOptions(candidateOf("int x;\n"));
    QCOMPARE(text(defaults.compiler), QByteArray("g++"));
    QVERIFY((defaults.flags == std::vector<std::string>{ "-O3", "-march=native" }));
    const auto asked =
        buildOptions(candidateOf("// rooftree: compiler {\"clang++\"}\n// rooftree: flags {\"-O2 -fopenmp\"}\n"));
    QCOMPARE(text(asked.compiler), QByteArray("clang++"));
    QVERIFY((asked.flags == std::vector<std::string>{ "-O2", "-fopenmp" }));
}

void TestKernel::severalFilesShareOneSpace()
{
    Candidate candidate = candidateOf("#define A 1 // rooftree: tune {1, 2}\n");
    candidate.files.push_back({ "b.h", "\n#define B 3 // rooftree: tune {3, 4}\n// rooftree: require A < B\n" });
    const auto space = readTunables(candidate);
    QVERIFY(space);
    QCOMPARE(space->tunables[1].file, std::size_t(1));
    QCOMPARE(space->tunables[1].line, std::size_t(1));
    const auto changed = withConfiguration(candidate, { { "B", "4" } });
    QVERIFY(changed.files[1].content.find("#define B 4 //") != std::string::npos);
    QCOMPARE(text(changed.files[0].content), text(candidate.files[0].content));
}

void TestKernel::hostileTextIsScannedInLinearTime()
{
    std::string oneLine;
    while (oneLine.size() < (4u << 20))
        oneLine += "x rooftree: tune {{{{ ";
    std::string manyLines;
    while (manyLines.size() < (4u << 20))
        manyLines += "// rooftree: tune {{{{\n";
    const std::string blanks(4u << 20, ' ');
    QElapsedTimer timer;
    timer.start();
    for (const auto& source :
        { oneLine, manyLines, blanks + "rooftree:rooftree:rooftree:", "// rooftree: flags {" + oneLine }) {
        const auto candidate = candidateOf(source);
        if (const auto space = readTunables(candidate); !space)
            QVERIFY(space.error().text.starts_with("kernel.cpp:1:"));
        structureHash(candidate);
    }
    QVERIFY2(timer.elapsed() < 20000, "scanning is not linear");
}

QTEST_APPLESS_MAIN(TestKernel)
#include "tst_kernel.moc"
