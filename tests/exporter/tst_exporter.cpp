// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/sha256.h"
#include "core/exporter/exporttree.h"
#include "core/exporter/kernelsources.h"
#include "core/exporter/redaction.h"
#include "core/exporter/templates.h"
#include "tests/exporter/exportsamples.h"

#include <QtTest>
#include <filesystem>

namespace fs = std::filesystem;
using namespace rooftree;
using namespace rooftree::exporter;

namespace {

QByteArray bytes(const std::string& text)
{
    return { text.data(), static_cast<qsizetype>(text.size()) };
}

std::vector<ExportFile> made(const ExportRequest& request)
{
    const auto preset = findPreset("cpp");
    auto files = preset->make(request);
    if (!files)
        qFatal("%s", files.error().text.c_str());
    return files.value();
}

std::string content(const std::vector<ExportFile>& files, const std::string& path)
{
    const auto* file = fileNamed(files, path);
    return file ? file->content : std::string();
}

} // namespace

class TestExporter : public QObject {
    Q_OBJECT
private slots:
    void presetsHaveNames();
    void layout();
    void sameRequestSameBytes();
    void everySourceSaysItsLicence();
    void provenance();
    void readmeTellsRegressions();
    void readmeWithoutBaselines();
    void stripsTunerLines();
    void flagsForEveryMachineAndForThisOne();
    void refusesUnverified();
    void refusesForeignCandidates();
    void refusesCollidingFiles();
    void templates();
    void slugs();
    void cmakeQuoting();
    void privateWordsAreFound_data();
    void privateWordsAreFound();
    void writeTreeStaysInside();
    void exportBuildsAndPasses();
    void exportFailsWhenTheKernelIsWrong();
    void kernelThatNeedsAnInstructionSetFallsBack();
};

void TestExporter::presetsHaveNames()
{
    for (const auto& preset : presets())
        QVERIFY(!preset.name.empty() && !preset.description.empty() && findPreset(preset.name).ok());
    const auto missing = findPreset("cpq");
    QVERIFY(!missing.ok());
    QVERIFY(bytes(missing.error().text).contains("cpp"));
}

void TestExporter::layout()
{
    const auto files = made(sampleRequest());
    QStringList paths;
    for (const auto& file : files)
        paths << QString::fromStdString(file.path);
    QCOMPARE(paths.join(QLatin1Char(' ')),
        QStringLiteral(
            "scale_rows/CMakeLists.txt scale_rows/LICENSE scale_rows/PROVENANCE.json scale_rows/README.md "
            "scale_rows/bench/bench_scale_rows.cpp scale_rows/bench/naive_scale_rows.cpp "
            "scale_rows/include/scale_rows.h "
            "scale_rows/src/detail/row.cpp scale_rows/src/detail/unroll.h scale_rows/src/scale_rows.cpp "
            "scale_rows/src/scale_rows_naive.cpp scale_rows/tests/harness.h scale_rows/tests/reference_scale_rows.cpp "
            "scale_rows/tests/test_scale_rows.cpp"));
    for (const auto& file : files) {
        QVERIFY(!bytes(file.content).contains('\r'));
        QVERIFY2(file.content.ends_with('\n'), file.path.c_str());
        // Nothing of a template is left.
        QVERIFY2(!QString::fromStdString(file.content).contains(QRegularExpression(QStringLiteral("@[A-Z_]+@"))),
            file.path.c_str());
    }
    // The shape that is too large for a test is in the benchmark.
    QVERIFY(!bytes(content(files, "scale_rows/tests/test_scale_rows.cpp")).contains("rows=100000"));
    QVERIFY(bytes(content(files, "scale_rows/tests/test_scale_rows.cpp")).contains("rows=1\""));
}

void TestExporter::sameRequestSameBytes()
{
    const auto first = made(sampleRequest());
    const auto second = made(sampleRequest());
    QCOMPARE(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
        QCOMPARE(first[i].path, second[i].path);
        QCOMPARE(first[i].content, second[i].content);
    }
}

void TestExporter::everySourceSaysItsLicence()
{
    auto request = sampleRequest();
    request.license = "Apache-2.0";
    request.candidate.files[1].content =
        "// SPDX-License-Identifier: BSD-2-Clause\n" + request.candidate.files[1].content;
    const auto files = made(request);
    for (const auto& file : files)
        if (file.path.ends_with(".cpp") || file.path.ends_with(".h"))
            if (!file.path.ends_with("_naive.cpp")) // the operator's own source, as it came
                QVERIFY2(bytes(file.content).contains("SPDX-License-Identifier: "), file.path.c_str());
    QVERIFY(content(files, "scale_rows/src/scale_rows.cpp").starts_with("// SPDX-License-Identifier: Apache-2.0\n"));
    QVERIFY(!bytes(content(files, "scale_rows/src/detail/unroll.h")).contains("Apache"));
    QVERIFY(bytes(content(files, "scale_rows/LICENSE")).contains("Apache-2.0"));
}

void TestExporter::provenance()
{
    const auto files = made(sampleRequest());
    const auto json = parseJson(content(files, "scale_rows/PROVENANCE.json"), "provenance");
    QVERIFY(json.ok());
    QCOMPARE((*json)["schema"], 1);
    QCOMPARE((*json)["tool"]["name"], "rooftree");
    QCOMPARE((*json)["node"], "17");
    QCOMPARE((*json)["parents"], Json({ "3", "9" }));
    QCOMPARE((*json)["created"], "2026-12-01T12:00:00Z");
    QCOMPARE((*json)["operator"]["name"], "scale_rows");
    QCOMPARE((*json)["origin"]["human_edits"], false);
    QCOMPARE(
        (*json)["source_sha256"]["src/scale_rows.cpp"], sha256Hex(content(files, "scale_rows/src/scale_rows.cpp")));
    const auto& evaluation = (*json)["evaluations"][0];
    QCOMPARE(evaluation["device"], "AMD EPYC");
    QCOMPARE(evaluation["shape"]["rows"], 64);
    QCOMPARE(evaluation["n"], 3);
    QCOMPARE(evaluation["time_ns"]["median"], 1000.0);
    QCOMPARE(evaluation["baselines"][0]["speedup"]["value"].get<double>(), 12.0);
    QCOMPARE(evaluation["correctness"]["rung"], "tolerance");
    QCOMPARE((*json)["regressions"].size(), 1u);
    QCOMPARE((*json)["regressions"][0]["speedup"].get<double>(), 0.5);
    QCOMPARE((*json)["license"], "MIT-0");
}

void TestExporter::readmeTellsRegressions()
{
    const auto readme = bytes(content(made(sampleRequest()), "scale_rows/README.md"));
    QVERIFY(readme.contains("AMD EPYC, 2 threads"));
    QVERIFY2(readme.contains("2.45x [2.40, 2.50] over `naive`"), readme.constData());
    QVERIFY(readme.contains("Slower than the plain source"));
    QVERIFY(readme.contains("0.50x"));
    QVERIFY(readme.contains("-O3 -march=native"));
}

void TestExporter::readmeWithoutBaselines()
{
    auto request = sampleRequest();
    request.baselines.clear();
    request.speedups.clear();
    request.humanEdits = true;
    const auto readme = bytes(content(made(request), "scale_rows/README.md"));
    QVERIFY(readme.contains("No baseline was timed"));
    QVERIFY(readme.contains("slower shapes are not known"));
    QVERIFY(readme.contains("A person edited it"));
}

void TestExporter::stripsTunerLines()
{
    auto request = sampleRequest();
    QVERIFY(bytes(content(made(request), "scale_rows/src/scale_rows.cpp")).contains("rooftree: tune"));
    request.strip = true;
    const auto source = bytes(content(made(request), "scale_rows/src/scale_rows.cpp"));
    QVERIFY(!source.contains("rooftree:"));
    QVERIFY(source.contains("#define TILE 64\n"));
    QCOMPARE(stripped("a;  // rooftree: x\n  // rooftree: y\n\nb\n"), "a;\n\nb\n");
}

void TestExporter::flagsForEveryMachineAndForThisOne()
{
    auto request = sampleRequest();
    request.candidate.files[0].content =
        "// rooftree: flags {\"-O3 -march=native -mprefer-vector-width=512 -ffast-math -fopenmp\"}\n";
    const auto flags = flagSets(request.candidate);
    QCOMPARE(flags.portable, (std::vector<std::string>{ "-O3", "-ffast-math" }));
    QCOMPARE(flags.native, (std::vector<std::string>{ "-march=native", "-mprefer-vector-width=512" }));
    const auto cmake = bytes(content(made(request), "scale_rows/CMakeLists.txt"));
    QVERIFY(cmake.contains("set(kernel_flags -O3 -ffast-math)"));
    QVERIFY(cmake.contains(
        "ROOFTREE_NATIVE \"Build for the instruction set of this machine, as the kernel was measured\" OFF"));
}

void TestExporter::refusesUnverified()
{
    auto request = sampleRequest();
    request.evaluation.status = measure::EvaluationStatus::IncorrectNumerical;
    request.evaluation.reason = "y[3] is wrong.";
    const auto refused = presets()[0].make(request);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code, ErrorCode::Failed);
    QVERIFY(bytes(refused.error().text).contains("y[3] is wrong")
        && bytes(refused.error().text).contains("--allow-unverified"));
    request.allowUnverified = true;
    QVERIFY(bytes(content(made(request), "scale_rows/README.md")).contains("Not verified"));

    request = sampleRequest();
    request.evaluation.suspicions = { "faster than physics" };
    QVERIFY(!presets()[0].make(request).ok());
    request.allowUnverified = true;
    QVERIFY(bytes(content(made(request), "scale_rows/README.md")).contains("faster than physics"));
}

void TestExporter::refusesForeignCandidates()
{
    auto request = sampleRequest();
    request.candidate.entry = "softmax";
    QVERIFY(!presets()[0].make(request).ok());
    request = sampleRequest();
    request.candidate.files.clear();
    QVERIFY(!presets()[0].make(request).ok());
    request = sampleRequest();
    request.candidate.files[1].path = "../outside.h";
    QVERIFY(!presets()[0].make(request).ok());
}

void TestExporter::refusesCollidingFiles()
{
    auto request = sampleRequest();
    request.candidate.files[1].path = "scale_rows_naive.cpp";
    const auto refused = presets()[0].make(request);
    QVERIFY(!refused.ok());
    QVERIFY(bytes(refused.error().text).contains("scale_rows_naive.cpp"));
}

void TestExporter::templates()
{
    QCOMPARE(filled("a @X@ b@c @ @Y_Z@", { { "X", "@Y_Z@" }, { "Y_Z", "2" } }).value(), "a @Y_Z@ b@c @ 2");
    QVERIFY(!filled("@MISSING@", {}).ok());
    QCOMPARE(filled("@", {}).value(), "@");
    QCOMPARE(filled("", {}).value(), "");
    QCOMPARE(filled("x@@A", {}).value(), "x@@A");
    QVERIFY(!readTemplate("cpp/nothing").ok());
    QCOMPARE(oneLine("a\nb|c \\"), "a b c");
}

void TestExporter::slugs()
{
    QCOMPARE(slugOf("matmul"), "matmul");
    QCOMPARE(slugOf("Conv2D"), "conv2d");
    QCOMPARE(slugOf("_x"), "k__x");
    QCOMPARE(slugOf(""), "k_");
    QVERIFY(slugOf(std::string(300, 'a')).size() <= 62);
}

void TestExporter::cmakeQuoting()
{
    QCOMPARE(cmakeList({ "-O3", "-DX=\"a;b\"", "$x" }), R"(-O3 "-DX=\"a\;b\"" "\$x")");
    QCOMPARE(cmakeList({}), "");
    QCOMPARE(cppNumber(2), "2.0");
    QCOMPARE(cppNumber(1e-7), "1e-07");
}

void TestExporter::privateWordsAreFound_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<bool>("clean");
    const auto row = [](const char* line, bool clean) { QTest::newRow(line) << QByteArray(line) << clean; };
    row("#include <vector>", true);
    row("// mean/var/count of a row; a / b", true);
    row("see https://host/home/page", true);
    row("sumAlice(); alice_rows", true);
    row("the root of the tree", true);
    row("hf_x sk-short", true);
    row("// written by alice", false);
    row("// alice@example.com", false);
    row("on turing-box", false);
    row("#include \"/home/bob/x.h\"", false);
    row("#include </usr/local/include/x.h>", false);
    row("FILE* f = fopen(\"/tmp/x\", \"r\");", false);
    row("// /nfs/people/alice42/kernel", false);
    row("key = sk-abcdefghijklmnopqrstuvwxyz", false);
    row("AKIAABCDEFGHIJKLMNOP", false);
    row("-----BEGIN RSA PRIVATE KEY-----", false);
}

void TestExporter::privateWordsAreFound()
{
    QFETCH(QByteArray, line);
    QFETCH(bool, clean);
    const PrivateWords words{ "alice", "turing-box", "/nfs/people/alice42" };
    const auto status = checkNothingPrivate({ { "k/src/a.cpp", "int a;\n" + line.toStdString() + "\n" } }, words);
    QCOMPARE(status.ok(), clean);
    if (!clean)
        QVERIFY2(bytes(status.error().text).contains("k/src/a.cpp:2"), status.error().text.c_str());
    // Names that say nothing about a machine do not stop an export.
    QVERIFY(checkNothingPrivate({ { "a", "root max test" } }, { "root", "max", "/" }).ok());
}

void TestExporter::writeTreeStaysInside()
{
    const auto folder = TemporaryDir::make("rooftree-export-test");
    QVERIFY(folder.ok());
    QVERIFY(writeTree(folder->path(), { { "a/b/c.txt", "x" } }).ok());
    QCOMPARE(readFile(folder->path() / "a/b/c.txt").value(), "x");
    fs::create_directory_symlink(fs::temp_directory_path(), folder->path() / "link");
    QVERIFY(!writeTree(folder->path(), { { "link/x.txt", "x" } }).ok());
    QVERIFY(!writeTree(folder->path(), { { "../x.txt", "x" } }).ok());
}

void TestExporter::exportBuildsAndPasses()
{
    const auto request = sampleRequest();
    const auto log = testExport(made(request), request);
    QVERIFY2(log.ok(), log.ok() ? "" : (log.error().text + log.error().detail).c_str());
    QCOMPARE(bytes(*log).count("100% tests passed"), 2);
    QVERIFY(!bytes(*log).contains("using the plain source"));
    QVERIFY2(!bytes(*log).contains("warning"), log->c_str());
}

void TestExporter::exportFailsWhenTheKernelIsWrong()
{
    auto request = sampleRequest();
    auto& row = request.candidate.files[2].content;
    row.replace(row.find("c[j] * f"), 8, "c[j] * f * 1.0001f");
    auto log = testExport(made(request), request);
    QVERIFY(!log.ok());
    QCOMPARE(log.error().code, ErrorCode::Failed);
    QVERIFY2(bytes(log.error().detail).contains("elements of y are wrong"), log.error().detail.c_str());

    request = sampleRequest();
    request.candidate.files[2].content =
        "#include \"unroll.h\"\nint64_t scaleRow(const float*, float, float*, int64_t) { return 0; }\n";
    log = testExport(made(request), request);
    QVERIFY(!log.ok());
    QVERIFY2(bytes(log.error().detail).contains("y[0] is nan"), log.error().detail.c_str());
}

void TestExporter::kernelThatNeedsAnInstructionSetFallsBack()
{
    auto request = sampleRequest();
    request.candidate.files[2].content =
        "#ifndef __SSE4_2__\n#error needs it\n#endif\n" + request.candidate.files[2].content;
    const auto log = testExport(made(request), request);
#ifdef __x86_64__
    QVERIFY2(log.ok(), log.ok() ? "" : (log.error().text + log.error().detail).c_str());
    QCOMPARE(bytes(*log).count("using the plain source"), 1);
#endif
}

QTEST_APPLESS_MAIN(TestExporter)
#include "tst_exporter.moc"
