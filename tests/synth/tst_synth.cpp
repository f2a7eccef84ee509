// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "harness.h"

#include "core/kernel/tunables.h"
#include "core/synth/transform/move.h"
#include "core/synth/transform/parser.h"

#include <QTest>

#include <algorithm>
#include <filesystem>
#include <map>

using namespace rooftree;
using namespace rooftree::synth;
using namespace rooftree::synth::transform;

class SynthTest : public QObject {
    Q_OBJECT
private slots:
    void editsKeepTheRest();
    void identifiersAreWholeAndCode();
    void loopsAreFound();
    void dependences_data();
    void dependences();
    void move_data();
    void move();
    void everyMoveIsTested();
    void chains();
    void matmulReachesRegisterBlocks();
    void proposalsAreNeverRepeated();
    void hostileSources_data();
    void hostileSources();
    void registrationList();
    void tuneChangesOneConfiguration();
    void tuneEnds();
    void libraryByNameAndFamily();

private:
    struct View;
    std::string moved(const std::string& source, const std::string& key);
    const std::vector<float>& expected(const std::string& source);
    Harness m_harness;
    Parser m_parser;
    std::map<std::string, std::vector<float>> m_expected;
};

// One analysis and what the moves need of it.
struct SynthTest::View {
    View(Parser& parser, const std::string& source)
        : op(testOperator())
        , analysis(parser.parse(testCandidate(source)).value())
        , dependence(*analysis)
        , context{ *analysis, dependence, op, "", 2, true,
            [&parser](const std::string& text) { return parser.parse(testCandidate(text)).value(); } }
    {
    }
    const Loop& loop(const std::string& signature) const
    {
        const auto* found = analysis->findLoop(signature);
        return found ? *found : (qFatal("no loop %s", signature.c_str()), analysis->loops.front());
    }
    spec::Operator op;
    std::unique_ptr<Analysis> analysis;
    DependenceTester dependence;
    Context context;
};

// The source after the move with this key; empty when there is no such place or the result is not C++.
std::string SynthTest::moved(const std::string& source, const std::string& key)
{
    const View view(m_parser, source);
    for (const auto& move : moves()) {
        for (const auto& site : move.sites(view.context)) {
            if (site.key != key)
                continue;
            const auto result = move.apply(view.context, site).value_or("");
            return m_parser.compiles(testCandidate(result)) ? result : (qWarning("%s", result.c_str()), "");
        }
    }
    qWarning("no place %s", key.c_str());
    return {};
}

const std::vector<float>& SynthTest::expected(const std::string& source)
{
    auto& values = m_expected[source];
    if (values.empty())
        values = m_harness.run(source);
    return values;
}

void SynthTest::editsKeepTheRest()
{
    Edits edits;
    edits.replace({ 6, 11 }, "moon");
    edits.insert(6, "pale ");
    edits.insert(0, ">");
    QCOMPARE(edits.applied("hello world!"), std::string(">hello pale moon!"));
    QCOMPARE(reindented("if (x)\n        y();\n    z();", "    ", "  "), std::string("if (x)\n      y();\n  z();"));
}

void SynthTest::identifiersAreWholeAndCode()
{
    QCOMPARE(withIdentifier("i + ii + x.i + p->i // i\n\"i\" i", "i", "j"),
        std::string("j + ii + x.i + p->i // i\n\"i\" j"));
    QVERIFY(mentions("a[i]", "i"));
    QVERIFY(!mentions("a[ii] /* i */", "i"));
    QCOMPARE(freshName({ "i0", "i02" }, "i0"), std::string("i03"));
    Edits edits;
    setDirectiveLine("// SPDX: x\n#include <a>\n", "flags", "// rooftree: flags {\"-O3\"}", edits);
    QCOMPARE(edits.applied("// SPDX: x\n#include <a>\n"),
        std::string("// SPDX: x\n// rooftree: flags {\"-O3\"}\n#include <a>\n"));
}

void SynthTest::loopsAreFound()
{
    const View view(m_parser, source::matmul);
    const auto& analysis = *view.analysis;
    QCOMPARE(analysis.errors.size(), std::size_t(0));
    QCOMPARE(analysis.loops.size(), std::size_t(3));
    QCOMPARE(analysis.loops[0].perfect, 1);
    QCOMPARE(analysis.loops[1].perfect, -1);
    QCOMPARE(analysis.text(*analysis.loops[2].bound), std::string("k"));
    const auto added =
        reductionOf(analysis, analysis.loops[2].body(), analysis.loops[1].body().child(0).child(0).symbol);
    QVERIFY(added.has_value());
    QCOMPARE(added->op, std::string("+"));
    // The same signature wherever the loop stands.
    const View moved(m_parser, std::string("// a line more\n") + source::matmul);
    QCOMPARE(moved.analysis->loops[2].signature, std::string("kernel/i/j/p"));
    QCOMPARE(moved.analysis->line(moved.analysis->loops[2]), analysis.line(analysis.loops[2]) + 1);
}

void SynthTest::dependences_data()
{
    QTest::addColumn<QString>("body");
    QTest::addColumn<bool>("independent");
    QTest::addColumn<QString>("reduction");
    const auto row = [](const char* name, const char* body, bool independent, const char* reduction = "") {
        QTest::newRow(name) << QString::fromLatin1(body) << independent << QString::fromLatin1(reduction);
    };
    row("own element", "c[i] = a[i] + a[i + 1];", true);
    row("neighbour", "c[i] = c[i + 1] * 2;", false);
    row("row of the next", "c[i * n] = c[(i + 1) * n];", false);
    row("one place", "c[0] = a[i];", false);
    row("behind each other", "c[i] = a[i]; c[m + i] = a[i];", true);
    row("interleaved", "c[2 * i] = a[i]; c[2 * i + 1] = a[i];", true);
    row("sum", "s += a[i];", true, "+");
    row("difference", "s = s - a[i];", true, "+");
    row("largest by if", "if (a[i] > s) s = a[i];", true, "max");
    row("smallest by choice", "s = a[i] < s ? a[i] : s;", true, "min");
    row("largest by call", "s = std::max(a[i], s);", true, "max");
    row("recurrence", "s = s * a[i] + 1;", false);
    row("sum that is used", "s += a[i]; c[i] = s;", false);
    row("two operations", "s += a[i]; s *= 2;", false);
    row("set first", "s = a[i]; c[i] = s * s;", true);
    row("leaves early", "if (a[i] > 3) break;", false);
    row("unknown call", "std::rand(); c[i] = 1;", false);
    row("through a local pointer", "float* row = c + i * n; row[0] = a[i]; row[1] = 2;", true);
    row("pointer that moves", "float* p = c; p += i; *p = 1;", false);
    row("computed place", "c[static_cast<int64_t>(a[i])] = 1;", false);
    row("counter changed", "c[i] = 0; i += 1;", false);
}

void SynthTest::dependences()
{
    QFETCH(QString, body);
    QFETCH(bool, independent);
    QFETCH(QString, reduction);
    const auto source = "#include <algorithm>\n#include <cstdint>\n#include <cstdlib>\nextern \"C\" void kernel(const "
                        "float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k)\n{\n"
                        "    float s = 0;\n    for (int64_t i = 0; i < m; ++i) {\n        "
        + body.toStdString() + "\n    }\n    c[k] = s + b[n];\n}\n";
    const View view(m_parser, source);
    QVERIFY2(view.analysis->errors.empty(), view.analysis->errors.empty() ? "" : view.analysis->errors.front().c_str());
    const auto verdict = view.dependence.test(view.loop("kernel/i"));
    QVERIFY2(verdict.ok() == independent, verdict.why.c_str());
    QCOMPARE(verdict.reductions.size(), std::size_t(reduction.isEmpty() ? 0 : 1));
    if (!reduction.isEmpty())
        QCOMPARE(verdict.reductions.front().op, reduction.toStdString());
}

void SynthTest::move_data()
{
    QTest::addColumn<QByteArray>("source");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("contains");
    const auto row = [](const char* source, const char* key, const char* contains) {
        QTest::newRow(key) << QByteArray(source) << QString::fromLatin1(key) << QString::fromLatin1(contains);
    };
    row(source::matmul, "omp-parallel:kernel/i", "#pragma omp parallel for schedule(static)\n    for (int64_t i");
    row(source::matmul, "omp-parallel:kernel/i:collapse", "collapse(2)");
    row(source::histogram, "omp-parallel:kernel/i#2", "reduction(+: c[:m * n])");
    row(source::attention, "omp-parallel:kernel/i", "firstprivate(weights)");
    row(source::normalise, "omp-simd:kernel/r/j#2", "#pragma omp simd reduction(max: largest)");
    row(source::softmax, "omp-simd:all", "reduction(+: sum)");
    row(source::matmul, "omp-tile:kernel/i", "// rooftree: compiler {\"clang++\"}");
    row(source::elementwise, "omp-unroll:kernel/i", "#pragma omp unroll partial(4)");
    row(source::elementwise, "gcc-unroll:kernel/i:8", "#pragma GCC unroll 8");
    row(source::elementwise, "gcc-ivdep:kernel/i", "#pragma GCC ivdep");
    row(source::matmulIkj, "interchange:kernel/i/p",
        "for (int64_t j = 0; j < n; ++j)\n            for (int64_t p = 0; p < k; ++p)");
    row(source::matmulIkj, "tile:kernel/i/p:2", "#define TILE_P 64 // rooftree: tune {16, 32, 64, 128, 256}");
    row(source::batched, "tile:kernel/t:3", "std::min<int64_t>");
    row(source::matmul, "jam-lanes:kernel/i/j", "float acc[LANES_J];");
    row(source::matmul, "jam-rows:kernel/i", "const int64_t i = i0 + ii;");
    row(source::convolution, "jam-rows:kernel/f", "float acc[ROWS_F];");
    row(source::convolution, "jam-lanes:kernel/f/y/x", "#pragma omp simd");
    row(source::matmul, "register-block:kernel/i/j:i", "float acc[ROWS_I][LANES_J];");
    row(source::convolution, "register-block:kernel/f/y/x:f", "float acc[ROWS_F][LANES_X];");
    row(source::softmax, "jam-rows:kernel/r", "float sum[ROWS_R];");
    row(source::matmul, "restrict:kernel", "const float* __restrict a");
    row(source::matmulIkj, "privatise:kernel/i/p", "");
    row(source::matmul, "distribute:kernel/i/j", "c[i * n + j] += a[i * k + p]");
    row(source::batched, "distribute:kernel/t/i/j", "c[(t * m + i) * n + j] > 0");
    row(source::softmax, "split-reduction:kernel/r/j", "largestLanes[lane]");
    row(source::softmax, "reciprocal:kernel/r/j#3", "out[j] *= reciprocal;");
    row(source::elementwise, "hoist:kernel/i", "const float invariant = b[k];");
    row(source::elementwise, "fuse:kernel/i", "");
    row(source::softmax, "fission:kernel/r/j#2:1", "");
    row(source::attention, "inline:kernel/weigh#0", "const float* q = a + i * k;");
    row(source::normalise, "narrow-floats", "float largest = 0.0f;");
    row(source::softmax, "flags:fast-math", "// rooftree: flags {\"-O3 -march=native -ffast-math\", ");
    row(source::matmul, "compiler", "// rooftree: compiler {\"clang++\", \"g++\"}");
}

void SynthTest::move()
{
    QFETCH(QByteArray, source);
    QFETCH(QString, key);
    QFETCH(QString, contains);
    auto start = source.toStdString();
    if (key.startsWith(QLatin1String("privatise"))) { // the loop over p must be the inner one
        start = moved(start, "interchange:kernel/i/p");
        key = QStringLiteral("privatise:kernel/i/j#2/p");
        contains = QStringLiteral("float cAcc = c[i * n + j];");
    }
    const auto result = moved(start, key.toStdString());
    QVERIFY(!result.empty());
    QVERIFY2(result.find(contains.toStdString()) != std::string::npos, result.c_str());
    const auto space = kernel::readTunables(testCandidate(result));
    QVERIFY2(space.ok(), space.ok() ? "" : space.error().text.c_str());
    const auto values = m_harness.run(result);
    QVERIFY2(!values.empty(), (m_harness.log() + "\n" + result).c_str());
    QVERIFY2(Harness::agree(expected(source.toStdString()), values), result.c_str());
    QVERIFY2(m_parser.parse(testCandidate(result)).value()->errors.empty(), "the next move must be able to read it");
}

void SynthTest::everyMoveIsTested()
{
    // move_data's keys begin with the names of the moves.
    const std::set<std::string> tested{ "omp-parallel", "omp-simd", "omp-tile", "omp-unroll", "gcc-unroll", "gcc-ivdep",
        "interchange", "tile", "jam-lanes", "jam-rows", "register-block", "restrict", "privatise", "distribute",
        "split-reduction", "reciprocal", "hoist", "fuse", "fission", "inline", "narrow-floats", "flags", "compiler" };
    for (const auto& move : moves())
        QVERIFY2(tested.contains(move.name), move.name);
    QCOMPARE(tested.size(), moves().size());
}

// Moves on the results of moves: almost everything compiles, and what it computes is right.
void SynthTest::chains()
{
    int wrong = 0;
    int broken = 0;
    int made = 0;
    for (const char* start : { source::matmul, source::softmax, source::normalise, source::convolution }) {
        for (uint64_t seed = 1; seed <= 5; ++seed) {
            auto proposer = makeProposer("transform").value();
            auto request = testRequest(start, seed);
            std::string path;
            for (int step = 0; step < 3 + static_cast<int>(seed % 3); ++step) {
                request.rng = Rng(seed * 100 + static_cast<uint64_t>(step));
                const auto proposals = proposer->propose(request);
                QVERIFY(proposals.ok());
                if (proposals->empty())
                    break;
                path += proposals->front().moveKey + "  ";
                request.parent = proposals->front().candidate;
            }
            const auto values = m_harness.run(request.parent.mainSource());
            ++made;
            if (values.empty()) {
                ++broken;
                qInfo("does not compile: %s\n%s", path.c_str(), m_harness.log().substr(0, 600).c_str());
            } else if (!Harness::agree(expected(start), values)) {
                ++wrong;
                qInfo("computes something else: %s", path.c_str());
            }
        }
    }
    qInfo("%d chains, %d do not compile, %d are wrong", made, broken, wrong);
    QVERIFY(broken * 10 <= made);
    QCOMPARE(wrong, 0);
}

void SynthTest::matmulReachesRegisterBlocks()
{
    auto source = moved(source::matmul, "register-block:kernel/i/j:i");
    source = moved(source, "omp-parallel:kernel/i0");
    source = moved(source, "restrict:kernel");
    QVERIFY(!source.empty());
    const auto space = kernel::readTunables(testCandidate(source)).value();
    QCOMPARE(space.tunables.size(), std::size_t(2));
    const auto other = kernel::withConfiguration(testCandidate(source), { { "ROWS_I", "4" }, { "LANES_J", "16" } });
    QVERIFY(Harness::agree(expected(source::matmul), m_harness.run(other.mainSource())));
}

void SynthTest::proposalsAreNeverRepeated()
{
    auto proposer = makeProposer("transform").value();
    auto request = testRequest(source::scan);
    std::set<std::string> sources;
    for (int i = 0; i < 200; ++i) {
        const auto proposals = proposer->propose(request);
        QVERIFY(proposals.ok());
        if (proposals->empty())
            break;
        const auto& proposal = proposals->front();
        QVERIFY(!request.triedMoves.contains(proposal.moveKey));
        QVERIFY(!proposal.title.empty() && !proposal.technique.empty());
        QVERIFY(sources.insert(proposal.candidate.mainSource()).second);
        request.triedMoves.insert(proposal.moveKey);
        request.knownSources.insert(kernel::sourceHash(proposal.candidate));
    }
    QVERIFY(sources.size() >= 4);
    QVERIFY(proposer->propose(request)->empty()); // used up
    // A recurrence is neither shared among threads nor vectorised.
    for (const auto& key : request.triedMoves)
        QVERIFY2(!key.starts_with("omp-parallel:kernel/r/j") && !key.starts_with("omp-simd:kernel/r/j"), key.c_str());
}

void SynthTest::hostileSources_data()
{
    QTest::addColumn<QByteArray>("source");
    for (const auto& [name, text] : brokenSources())
        QTest::newRow(name) << QByteArray::fromStdString(text);
}

void SynthTest::hostileSources()
{
    QFETCH(QByteArray, source);
    auto proposer = makeProposer("transform").value();
    const auto proposals = proposer->propose(testRequest(source.toStdString()));
    QVERIFY(proposals.ok()); // a candidate's fault is no fault of ours
    QVERIFY(makeProposer("tune").value()->propose(testRequest(source.toStdString())).ok());
}

void SynthTest::registrationList()
{
    QCOMPARE(proposers().size(), std::size_t(3));
    for (const auto& info : proposers()) {
        QCOMPARE(makeProposer(info.name).value()->name(), info.name);
        QVERIFY(info.weight > 0 && !info.description.empty());
    }
    const auto wrong = makeProposer("transfrom");
    QVERIFY(!wrong.ok());
    QCOMPARE(wrong.error().code, ErrorCode::NotFound);
    QVERIFY(wrong.error().text.find("'transform'") != std::string::npos);
}

void SynthTest::tuneChangesOneConfiguration()
{
    const std::string source = "#define TILE 64 // rooftree: tune {16, 32, 64}\n#define WAYS 4 // rooftree: tune {4, "
                               "8}\nint x[TILE * WAYS];\n";
    auto request = testRequest(source);
    const auto proposal = makeProposer("tune").value()->propose(request)->front();
    QCOMPARE(proposal.technique, std::string("retune"));
    QVERIFY(proposal.candidate.mainSource() != source);
    QVERIFY2(proposal.title.find(" → ") != std::string::npos, proposal.title.c_str());
    QVERIFY(proposal.moveKey.find("TILE=") != std::string::npos);
    QCOMPARE(kernel::structureHash(proposal.candidate), kernel::structureHash(request.parent));
}

void SynthTest::tuneEnds()
{
    auto request = testRequest("#define TILE 64 // rooftree: tune {16, 32, 64}\n#define WAYS 4 // rooftree: tune {4, "
                               "8}\nint x[TILE * WAYS];\n");
    request.knownSources.insert(kernel::sourceHash(request.parent));
    auto proposer = makeProposer("tune").value();
    int count = 0;
    for (; count < 20; ++count) {
        request.rng = Rng(static_cast<uint64_t>(count));
        const auto proposals = proposer->propose(request).value();
        if (proposals.empty())
            break;
        QVERIFY(!request.triedMoves.contains(proposals.front().moveKey));
        request.triedMoves.insert(proposals.front().moveKey);
        // Half of them are only known by their source, as when another proposer made them.
        if (count % 2)
            request.knownSources.insert(kernel::sourceHash(proposals.front().candidate));
    }
    QCOMPARE(count, 5);
    QVERIFY(proposer->propose(testRequest("int x;")).value().empty());
    QVERIFY(proposer->propose(testRequest("#define A 1 // rooftree: tune {}\n")).value().empty());
}

void SynthTest::libraryByNameAndFamily()
{
    const auto resources = TemporaryDir::make("rooftree-tst-library").value();
    const auto write = [&](const std::string& path, const std::string& text) {
        std::filesystem::create_directories((resources.path() / path).parent_path());
        QVERIFY(writeFile(resources.path() / path, text).ok());
    };
    write("kernels/cpp/kernel/b.cpp",
        "// SPDX-License-Identifier: MIT-0\n// Does it the second way.\nvoid kernel() {}\n");
    write("kernels/cpp/kernel/a.cpp", "// Does it the first way.\nvoid kernel() {}\n");
    qputenv("ROOFTREE_RESOURCES", QByteArray::fromStdString(resources.path().string()));
    auto proposer = makeProposer("library").value();
    qunsetenv("ROOFTREE_RESOURCES");
    auto request = testRequest(source::matmul);
    const auto first = proposer->propose(request)->front();
    QCOMPARE(first.technique, std::string("library:a"));
    QCOMPARE(first.title, std::string("Does it the first way."));
    request.triedMoves.insert(first.moveKey);
    const auto second = proposer->propose(request)->front();
    QCOMPARE(second.title, std::string("Does it the second way."));
    request.triedMoves.insert(second.moveKey);
    QVERIFY(proposer->propose(request)->empty());
    auto deeper = testRequest(source::matmul);
    deeper.parentId = NodeId{ 3 };
    QVERIFY(proposer->propose(deeper)->empty());
}

QTEST_GUILESS_MAIN(SynthTest)
#include "tst_synth.moc"
