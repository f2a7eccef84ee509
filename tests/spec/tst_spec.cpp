// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/spec/catalogue.h"
#include "core/spec/operatorreader.h"

#include <QtTest>

#include <algorithm>
#include <cstdlib>

using namespace rooftree;
using namespace rooftree::spec;

static const char* const softmaxToml = R"(name = "softmax"
family = "row-reduction"
description = "Softmax over the last axis."
axes = { rows = "var", cols = "var", heads = 4, alpha = "var" }

[[inputs]]
name = "x"
shape = ["rows", "cols", 2]
dtype = "float32"
fill = { kind = "normal", mean = 0.0, std = 3.0 }

[[inputs]]
name = "offsets"
shape = ["rows + 1"]
dtype = "int64"
fill = { kind = "offsets", of = "rows * cols" }

[[outputs]]
name = "y"
shape = ["rows", "cols"]
dtype = "float32"

[reference]
language = "cpp"
file = "reference.cpp"

[cost]
flops = "5 * rows * cols"
bytes = "8 * rows * cols"

[check]
mode = "tolerance"
rtol = 1e-5
atol = 1e-7
scale = "condition"

[[cases]]
axes = { rows = 2048, cols = 4096, alpha = 1 }

[[cases]]
axes = { rows = 333, cols = 1021, alpha = 2 }
role = "held-out"
)";

static const std::map<std::string, std::string> softmaxSources{
    { "reference.cpp", "using real_t = real; // unreal\nextern \"C\" void softmax(const real* x, real* y);\n" },
    { "naive.cpp", "void softmax();" }, { "vendor.cpp", "void softmax();" }, { "empty.cpp", " \n" },
    { "other.cpp", "void f();" }
};

static Result<Operator> parse(const QByteArray& toml)
{
    return parseOperator(toml.toStdString(), "softmax/operator.toml", softmaxSources);
}

static QByteArray text(std::string_view value)
{
    return { value.data(), static_cast<qsizetype>(value.size()) };
}

class TestSpec : public QObject {
    Q_OBJECT

private slots:
    void operatorIsRead();
    void signatureFollowsTheFile();
    void fillsAreRead_data();
    void fillsAreRead();
    void optionalSources();
    void pythonReferenceIsRefused();
    void operatorSurvivesJson();
    void brokenJsonIsAnError_data();
    void brokenJsonIsAnError();
    void hashFollowsTheContent();
    void elementCounts();
    void filesStayInsideTheirFolder();
    void catalogueIsFoundByNameAndPath();
    void everyByteOfTheFileMayBreak();
};

void TestSpec::operatorIsRead()
{
    const auto op = parse(softmaxToml);
    QVERIFY2(op, op.ok() ? "" : op.error().text.c_str());
    QCOMPARE(text(op->name), QByteArray("softmax"));
    QCOMPARE(text(op->family), QByteArray("row-reduction"));
    QCOMPARE(op->axes.size(), std::size_t(4));
    QCOMPARE(op->inputs.size(), std::size_t(2));
    QCOMPARE(op->inputs[0].fill.std, 3.0);
    QVERIFY(op->inputs[1].fill.kind == FillKind::Offsets);
    QVERIFY(op->check.scale == Scale::Condition);
    QCOMPARE(op->check.atol, 1e-7);
    QCOMPARE(op->cases.size(), std::size_t(2));
    QVERIFY(op->cases[1].role == Role::HeldOut);
    QCOMPARE(op->cases[1].axes.at("heads"), int64_t(4)); // constants are filled in
    QCOMPARE(text(caseName(op->cases[1])), QByteArray("alpha=2 cols=1021 heads=4 rows=333"));
    QCOMPARE(*op->flops.evaluate(op->cases[0].axes), 5.0 * 2048 * 4096);
    QCOMPARE(text(op->naiveSource),
        QByteArray("using real_t = float; // unreal\nextern \"C\" void softmax(const float* x, float* y);\n"));
    QCOMPARE(op->hash.size(), std::size_t(64));
}

void TestSpec::signatureFollowsTheFile()
{
    const auto op = parse(softmaxToml);
    QVERIFY(op);
    QCOMPARE(text(signature(*op)),
        QByteArray("extern \"C\" void softmax(const float* x, const int64_t* offsets, float* y, "
                   "int64_t rows, int64_t cols, int64_t heads, int64_t alpha)"));
    QVERIFY(text(signature(*op, SignatureForm::Real)).contains("const real* x, const int64_t* offsets, real* y,"));
}

void TestSpec::fillsAreRead_data()
{
    QTest::addColumn<QByteArray>("dtype");
    QTest::addColumn<QByteArray>("fill");
    QTest::addColumn<int>("kind");
    const auto row = [](const char* dtype, const char* fill, FillKind kind) {
        QTest::newRow(fill) << QByteArray(dtype) << QByteArray(fill) << static_cast<int>(kind);
    };
    row("float64", "{ kind = \"uniform\", lo = -1.0, hi = 1 }", FillKind::Uniform);
    row("float32", "{ kind = \"uniform\", lo = \"0 - rows\", hi = \"cols\" }", FillKind::Uniform);
    row("int64", "{ kind = \"integers\", lo = 0, hi = \"rows - 1\" }", FillKind::Integers);
    row("float32", "{ kind = \"integers\", lo = 0, hi = 1 }", FillKind::Integers);
    row("int32", "{ kind = \"indices\", of = \"rows\" }", FillKind::Indices);
    row("uint8", "{ kind = \"mask\", p = 0.3 }", FillKind::Mask);
    row("float32", "{ kind = \"constant\", value = 1.5 }", FillKind::Constant);
    row("int8", "{ kind = \"constant\", value = -3 }", FillKind::Constant);
    row("float32", "{ kind = \"sorted\", lo = 0, hi = 1e9 }", FillKind::Sorted);
    row("int64", "{ kind = \"permutation\" }", FillKind::Permutation);
    row("int64", "{ kind = \"offsets\", of = 10 }", FillKind::Offsets);
    row("float32", "{ kind = \"normal\" }", FillKind::Normal);
}

static QByteArray withOffsetsInput(const QByteArray& dtype, const QByteArray& fill)
{
    QByteArray toml(softmaxToml);
    toml.replace("int64", dtype);
    return toml.replace("{ kind = \"offsets\", of = \"rows * cols\" }", fill);
}

void TestSpec::fillsAreRead()
{
    QFETCH(QByteArray, dtype);
    QFETCH(QByteArray, fill);
    QFETCH(int, kind);
    auto toml = withOffsetsInput(dtype, fill);
    if (dtype == "float64")
        toml.replace("float32", "float64");
    const auto op = parse(toml);
    QVERIFY2(op, op.ok() ? "" : op.error().text.c_str());
    QCOMPARE(static_cast<int>(op->inputs[1].fill.kind), kind);
    const auto copy = operatorFromJson(toJson(*op));
    QVERIFY2(copy, copy.ok() ? "" : copy.error().text.c_str());
    QCOMPARE(text(copy->hash), text(op->hash));
}

void TestSpec::optionalSources()
{
    const auto op = parse(QByteArray(softmaxToml)
        + "[naive]\nfile = \"naive.cpp\"\n[vendor]\nname = \"oneDNN\"\nfile = \"vendor.cpp\"\n");
    QVERIFY2(op, op.ok() ? "" : op.error().text.c_str());
    QCOMPARE(text(op->naiveSource), QByteArray("void softmax();"));
    QCOMPARE(text(op->vendorName), QByteArray("oneDNN"));
    QVERIFY(!op->vendorSource.empty());

    // Floating dtypes that differ leave no single meaning for 'real' in the naive form.
    const auto mixed = QByteArray(softmaxToml)
                           .replace("shape = [\"rows\", \"cols\"]\ndtype = \"float32\"",
                               "shape = [\"rows\", \"cols\"]\ndtype = \"float64\"");
    QVERIFY(!parse(mixed));
    QVERIFY2(text(parse(mixed).error().text).contains("[naive]"), parse(mixed).error().text.c_str());
    QVERIFY(parse(mixed + "[naive]\nfile = \"naive.cpp\"\n"));
}

void TestSpec::pythonReferenceIsRefused()
{
    const auto op = parse(QByteArray(softmaxToml).replace("language = \"cpp\"", "language = \"python\""));
    QVERIFY(!op);
    QVERIFY2(text(op.error().text).startsWith("softmax/operator.toml:24: "), op.error().text.c_str());
    QVERIFY(text(op.error().text).contains("not supported yet in this version"));
}

void TestSpec::operatorSurvivesJson()
{
    const auto op = parse(softmaxToml);
    QVERIFY(op);
    const auto line = toLine(toJson(*op));
    const auto copy = operatorFromJson(*parseJson(line, "test"));
    QVERIFY2(copy, copy.ok() ? "" : copy.error().text.c_str());
    QCOMPARE(text(toLine(toJson(*copy))), text(line));
    QCOMPARE(text(signature(*copy)), text(signature(*op)));
}

void TestSpec::brokenJsonIsAnError_data()
{
    QTest::addColumn<QByteArray>("pointer");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QByteArray>("word");
    const auto row = [](const char* pointer, const char* value, const char* word) {
        QTest::addRow("%s = %s", pointer, value) << QByteArray(pointer) << QByteArray(value) << QByteArray(word);
    };
    row("", "null", "object");
    row("", "[]", "object");
    row("", "7", "object");
    row("/name", "7", "identifier");
    row("/name", "\"int\"", "keyword");
    row("/outputs", "[]", "no outputs");
    row("/outputs", "\"x\"", "dtype");
    row("/axes/0/constant", "-1", "positive");
    row("/inputs/0/shape/0", "7", "empty");
    row("/inputs/0/shape/0", "\"rows +\"", "column");
    row("/inputs/0/dtype", "\"float3\"", "float32");
    row("/inputs/0/fill/kind", "\"norml\"", "normal");
    row("/inputs/0/fill", "null", "kind");
    row("/cases/0/axes/rows", "1.5", "whole number");
    row("/cases/0/axes/rows", "-1", "positive");
    row("/cases/0/axes", "9", "no value");
    row("/cases/0/role", "\"x\"", "role");
    row("/cost/flops", "\"nothing\"", "nothing");
    row("/check/rtol", "-1", "rtol");
    row("/reference", "\"\"", "define");
}

void TestSpec::brokenJsonIsAnError()
{
    QFETCH(QByteArray, pointer);
    QFETCH(QByteArray, value);
    QFETCH(QByteArray, word);
    auto json = toJson(*parse(softmaxToml));
    json[Json::json_pointer(pointer.toStdString())] = *parseJson(value.toStdString(), "test");
    const auto op = operatorFromJson(json);
    QVERIFY(!op);
    QVERIFY2(text(op.error().text).contains(word), op.error().text.c_str());
}

void TestSpec::hashFollowsTheContent()
{
    const auto hash = parse(softmaxToml)->hash;
    QCOMPARE(text(parse(QByteArray("# a comment\n") + softmaxToml)->hash), text(hash));
    QVERIFY(parse(QByteArray(softmaxToml).replace("std = 3.0", "std = 2.0"))->hash != hash);
    QVERIFY(parse(QByteArray(softmaxToml).replace("rows = 333", "rows = 334"))->hash != hash);
}

void TestSpec::elementCounts()
{
    const auto tensor = [](const char* extent) {
        Tensor tensor;
        tensor.name = "x";
        tensor.shape = { *Expression::parse(extent), Expression(2) };
        return tensor;
    };
    QCOMPARE(*elementCount(tensor("n + 1"), { { "n", 4 } }), int64_t(10));
    QCOMPARE(*elementCount(Tensor{}, {}), int64_t(1)); // a scalar
    for (const auto* wrong : { "n - 4", "n - 9", "n / 3", "m", "n * 1000000000000", "n / 0" }) {
        const auto count = elementCount(tensor(wrong), { { "n", 4 } });
        QVERIFY2(!count, wrong);
        QVERIFY2(text(count.error().text).contains("'x'"), count.error().text.c_str());
    }
}

void TestSpec::filesStayInsideTheirFolder()
{
    const auto folder = TemporaryDir::make("rooftree-spec");
    QVERIFY(folder);
    const auto dir = folder->path() / "softmax";
    std::filesystem::create_directories(dir);
    QVERIFY(writeFile(dir / "reference.cpp", softmaxSources.at("reference.cpp")));
    QVERIFY(writeFile(folder->path() / "outside.cpp", softmaxSources.at("reference.cpp")));
    std::filesystem::create_symlink(folder->path() / "outside.cpp", dir / "link.cpp");
    QVERIFY(writeFile(dir / "operator.toml", softmaxToml));
    QVERIFY(readOperator(dir));

    for (const auto* file : { "../outside.cpp", "link.cpp", "/etc/passwd", "missing.cpp", ".", "", "a\\u0000b" }) {
        const auto toml = QByteArray(softmaxToml).replace("reference.cpp", file);
        QVERIFY(writeFile(dir / "operator.toml", toml.toStdString()));
        const auto op = readOperator(dir);
        QVERIFY2(!op, file);
        QVERIFY2(text(op.error().text).contains("operator.toml:25: "), op.error().text.c_str());
    }
    std::filesystem::remove(dir / "operator.toml");
    QVERIFY(!readOperator(dir));
}

void TestSpec::catalogueIsFoundByNameAndPath()
{
    const auto folder = TemporaryDir::make("rooftree-spec");
    QVERIFY(folder);
    const auto dir = folder->path() / "operators" / "softmax";
    std::filesystem::create_directories(dir);
    std::filesystem::create_directories(folder->path() / "operators" / "empty");
    QVERIFY(writeFile(dir / "operator.toml", softmaxToml));
    QVERIFY(writeFile(dir / "reference.cpp", softmaxSources.at("reference.cpp")));
    qputenv("ROOFTREE_RESOURCES", text(folder->path().string()));

    QVERIFY((catalogueNames() == std::vector<std::string>{ "softmax" }));
    QVERIFY(findOperator("softmax"));
    QVERIFY(findOperator(dir.string()));
    QVERIFY(findOperator(dir.string() + "/"));
    QVERIFY(findOperator((dir / "operator.toml").string()));
    QVERIFY(text(findOperator("sofmax").error().text).contains("Did you mean 'softmax'?"));
    QVERIFY(findOperator("sofmax").error().code == ErrorCode::NotFound);
    QVERIFY(text(findOperator((folder->path() / "operators" / "empty").string()).error().text)
                .contains("no operator.toml"));
    for (const auto& wrong : { std::string(), std::string("/"), std::string("no/such/folder"), std::string(100000, 'x'),
             std::string("a\0b", 3) })
        QVERIFY(!findOperator(wrong));
    qputenv("ROOFTREE_RESOURCES", text((folder->path() / "nowhere").string()));
    QVERIFY(catalogueNames().empty());
    qunsetenv("ROOFTREE_RESOURCES");
}

// Whatever byte is lost or changed, the answer is an operator or an error that names a line.
void TestSpec::everyByteOfTheFileMayBreak()
{
    const QByteArray whole(softmaxToml);
    for (qsizetype i = 0; i < whole.size(); ++i) {
        const auto shorter = parse(whole.left(i));
        QVERIFY(shorter || text(shorter.error().text).startsWith("softmax/operator.toml:"));
        for (const char c : { '\0', '"', '[', '\xff', '9' }) {
            auto changed = whole;
            changed[i] = c;
            const auto op = parse(changed);
            QVERIFY(op || text(op.error().text).startsWith("softmax/operator.toml:"));
        }
    }
}

QTEST_APPLESS_MAIN(TestSpec)
#include "tst_spec.moc"
