// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/spec/operatorreader.h"

#include <QtTest>

using namespace rooftree::spec;

// A sound operator, one key a line, so that a row below can break one line of it.
static const char* const soundToml = "name = \"gather\"\n" // 1
                                     "axes = { n = \"var\", k = 8 }\n"
                                     "[[inputs]]\n"
                                     "name = \"x\"\n"
                                     "shape = [\"n\"]\n" // 5
                                     "dtype = \"float32\"\n"
                                     "fill = { kind = \"normal\" }\n"
                                     "[[inputs]]\n"
                                     "name = \"ids\"\n"
                                     "shape = [\"n\"]\n" // 10
                                     "dtype = \"int8\"\n"
                                     "fill = { kind = \"indices\", of = \"k\" }\n"
                                     "[[outputs]]\n"
                                     "name = \"y\"\n"
                                     "shape = [\"n\", \"k\"]\n" // 15
                                     "dtype = \"float32\"\n"
                                     "[reference]\n"
                                     "language = \"cpp\"\n"
                                     "file = \"reference.cpp\"\n"
                                     "[cost]\n" // 20
                                     "flops = \"n\"\n"
                                     "bytes = \"9 * n\"\n"
                                     "[check]\n"
                                     "mode = \"tolerance\"\n"
                                     "rtol = 1e-5\n" // 25
                                     "[[cases]]\n"
                                     "axes = { n = 100 }\n"
                                     "role = \"tune\"\n";

static rooftree::Result<Operator> parse(const QByteArray& toml)
{
    return parseOperator(toml.toStdString(), "gather.toml",
        { { "reference.cpp", "void gather(real* x);" }, { "empty.cpp", " \n" }, { "other.cpp", "void f();" } });
}

class TestMalformedOperators : public QObject {
    Q_OBJECT

private slots:
    void soundOneIsRead() { QVERIFY(parse(soundToml)); }
    void messages_data();
    void messages();

private:
    void topAndAxes();
    void tensors();
    void fills();
    void tables();
    void cases();
};

// Line 'line' is replaced by 'replacement'; the message must name 'errorLine' (the same by default) and contain 'word'.
static void row(const char* name, int line, const QByteArray& replacement, const char* word, int errorLine = 0)
{
    QTest::newRow(name) << line << replacement << QByteArray(word) << (errorLine ? errorLine : line);
}

void TestMalformedOperators::topAndAxes()
{
    row("no TOML", 1, "name = gather", "Not valid TOML");
    row("open quote", 1, "name = \"gather", "Not valid TOML");
    row("key twice", 1, "name = \"gather\"\nname = \"x\"", "Not valid TOML", 2);
    row("broken UTF-8", 1, "name = \"\xff\"", "Not valid TOML");
    row("no name", 1, "", "'name' is missing");
    row("name is a number", 1, "name = 7", "text in quotes");
    row("name is no identifier", 1, "name = \"soft max\"", "C identifier");
    row("name begins with a digit", 1, "name = \"2d\"", "C identifier");
    row("name is a keyword", 1, "name = \"double\"", "keyword");
    row("empty name", 1, "name = \"\"", "C identifier");
    row("long name", 1, "name = \"" + QByteArray(65, 'a') + "\"", "64");
    row("reference lacks the entry", 1, "name = \"scatter\"", "does not define 'scatter'", 17);
    row("unknown key", 1, "name = \"gather\"\nfamly = \"x\"", "Did you mean 'family'?", 2);
    row("unknown far key", 1, "name = \"gather\"\nqqqqqqq = \"x\"", "known keys are", 2);
    row("axes missing", 2, "", "'axes' is missing", 1);
    row("axes is a list", 2, "axes = [\"n\"]", "a table");
    row("axis is a word", 2, "axes = { n = \"variable\", k = 8 }", "\"var\"");
    row("axis is zero", 2, "axes = { n = \"var\", k = 0 }", "positive");
    row("axis is a fraction", 2, "axes = { n = \"var\", k = 1.5 }", "positive");
    row("axis is a keyword", 2, "axes = { n = \"var\", k = 8, for = 3 }", "keyword");
    row("axis named like a tensor", 2, "axes = { n = \"var\", k = 8, x = 3 }", "used twice", 3);
    row("axis is no identifier", 2, "axes = { n = \"var\", k = 8, \"a b\" = 3 }", "C identifier");
}

void TestMalformedOperators::tensors()
{
    row("tensor without name", 4, "", "'name' is missing", 3);
    row("tensor name twice", 9, "name = \"x\"", "used twice", 8);
    row("tensor name is hostile", 9, "name = \"x; system\"", "C identifier", 8);
    row("shape missing", 5, "", "'shape' is missing", 3);
    row("shape is a text", 5, "shape = \"n\"", "a list");
    row("shape with an unknown axis", 5, "shape = [\"rows\"]", "'rows'");
    row("shape with a near axis", 5, "shape = [\"nn\"]", "Did you mean 'n'?");
    row("shape that cannot be parsed", 5, "shape = [\"n +\"]", "column");
    row("shape with a table", 5, "shape = [{ a = 1 }]", "expression in quotes");
    row("shape with an empty text", 5, "shape = [\"\"]", "empty");
    row("shape of zero", 5, "shape = [\"n - 100\"]", "positive whole number", 26);
    row("shape of a fraction", 5, "shape = [\"n / 3\"]", "positive whole number", 26);
    row("shape too large", 5, "shape = [\"n\", 100000000, 100000000]", "2^40", 26);
    row("case too large", 5, "shape = [\"n\", 100000000]", "2^33", 26);
    row("too many dimensions", 5, "shape = [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "16", 3);
    row("dtype missing", 6, "", "'dtype' is missing", 3);
    row("unknown dtype", 6, "dtype = \"float23\"", "Did you mean 'float32'?");
    row("mixed floats", 6, "dtype = \"float64\"", "[naive]", 17);
    row("no outputs", 13, "[[inputs]]", "'outputs' is missing", 1);
    row("fill of an output", 16, "dtype = \"float32\"\nfill = { kind = \"normal\" }", "Unknown key 'fill'", 17);
}

void TestMalformedOperators::fills()
{
    row("unknown fill", 7, "fill = { kind = \"norml\" }", "Did you mean 'normal'?");
    row("fill without kind", 7, "fill = { std = 2.0 }", "'kind' is missing");
    row("fill is a text", 7, "fill = \"normal\"", "a table");
    row("key of another fill", 7, "fill = { kind = \"normal\", lo = 1 }", "Unknown key 'lo'");
    row("key of a fill without keys", 12, "fill = { kind = \"permutation\", of = \"n\" }", "Unknown key 'of'");
    row("negative std", 7, "fill = { kind = \"normal\", std = -1.0 }", "std");
    row("infinite mean", 7, "fill = { kind = \"normal\", mean = inf }", "finite");
    row("uniform without hi", 7, "fill = { kind = \"uniform\", lo = 0 }", "both lo and hi");
    row("uniform upside down", 7, "fill = { kind = \"uniform\", lo = 1, hi = 0 }", "not below");
    row("indices on floats", 7, "fill = { kind = \"indices\", of = \"k\" }", "integer dtype");
    row("normal on integers", 12, "fill = { kind = \"normal\" }", "integers");
    row("integers without a fill", 12, "", "fractions", 8);
    row("indices without of", 12, "fill = { kind = \"indices\" }", "'of'");
    row("indices of nothing", 12, "fill = { kind = \"indices\", of = \"n - 100\" }", "at least 1");
    row("indices beyond the dtype", 12, "fill = { kind = \"indices\", of = 1000 }", "do not fit");
    row("indices of an unknown axis", 12, "fill = { kind = \"indices\", of = \"vocab\" }", "'vocab'");
    row("fraction as a constant", 12, "fill = { kind = \"constant\", value = 0.5 }", "whole number");
    row("constant without a value", 12, "fill = { kind = \"constant\" }", "value");
    row("mask above one", 12, "fill = { kind = \"mask\", p = 1.5 }", "probability");
    row("division by zero in a bound", 12, "fill = { kind = \"integers\", lo = 0, hi = \"k / (n - 100)\" }", "zero");
}

void TestMalformedOperators::tables()
{
    row("reference missing", 17, "[vendor]", "'reference' is missing", 1);
    row("unknown language", 18, "language = \"fortran\"", "fortran");
    row("Python reference", 18, "language = \"python\"", "not supported yet");
    row("file missing", 19, "", "'file' is missing", 17);
    row("file does not exist", 19, "file = \"refrence.cpp\"", "missing");
    row("file is empty", 19, "file = \"empty.cpp\"", "is empty");
    row("other entry", 19, "file = \"other.cpp\"", "does not define 'gather'", 17);
    row("cost with an unknown axis", 21, "flops = \"n * m\"", "'m'");
    row("cost divides by zero", 21, "flops = \"n / (k - 8)\"", "zero");
    row("negative cost", 22, "bytes = \"0 - n\"", "negative");
    row("cost is a list", 22, "bytes = [1]", "expression in quotes");
    row("unknown mode", 24, "mode = \"bitwsie\"", "Did you mean 'bitwise'?");
    row("rtol is a text", 25, "rtol = \"small\"", "finite number");
    row("rtol is negative", 25, "rtol = -1.0", "negative", 23);
    row("rtol is nan", 25, "rtol = nan", "finite number");
    row("unknown scale", 25, "scale = \"maximum\"", "scale");
}

void TestMalformedOperators::cases()
{
    row("no cases", 26, "[vendor]", "'cases' is missing", 1);
    row("cases is a table", 26, "[cases]", "a list");
    row("axis left out", 27, "axes = { }", "no value for axis 'n'", 26);
    row("axes left out", 27, "", "no value for axis 'n'", 26);
    row("size zero", 27, "axes = { n = 0 }", "positive", 26);
    row("size negative", 27, "axes = { n = -5 }", "positive", 26);
    row("size is a text", 27, "axes = { n = \"big\" }", "whole number");
    row("size beyond 64 bits", 27, "axes = { n = 99999999999999999999 }", "Not valid TOML");
    row("constant again", 27, "axes = { n = 1, k = 9 }", "constant", 26);
    row("unknown axis in a case", 27, "axes = { n = 1, rows = 9 }", "'rows'", 26);
    row("unknown role", 28, "role = \"heldout\"", "Did you mean 'held-out'?");
    row("only held-out cases", 28, "role = \"held-out\"", "no case to tune on", 26);
}

void TestMalformedOperators::messages_data()
{
    QTest::addColumn<int>("line");
    QTest::addColumn<QByteArray>("replacement");
    QTest::addColumn<QByteArray>("word");
    QTest::addColumn<int>("errorLine");
    topAndAxes();
    tensors();
    fills();
    tables();
    cases();
}

void TestMalformedOperators::messages()
{
    QFETCH(int, line);
    QFETCH(QByteArray, replacement);
    QFETCH(QByteArray, word);
    QFETCH(int, errorLine);
    auto lines = QByteArray(soundToml).split('\n');
    lines[line - 1] = replacement;
    const auto op = parse(lines.join('\n'));
    QVERIFY(!op);
    const auto message = QByteArray::fromStdString(op.error().text);
    QVERIFY2(
        message.startsWith(QByteArray("gather.toml:" + QByteArray::number(errorLine) + ": ")), message.constData());
    QVERIFY2(message.contains(word), message.constData());
    QVERIFY2(message.endsWith('.') || message.endsWith('?'), message.constData()); // whole sentences
    QCOMPARE(rooftree::exitCode(op.error().code), 2);
}

QTEST_APPLESS_MAIN(TestMalformedOperators)
#include "tst_malformedoperators.moc"
