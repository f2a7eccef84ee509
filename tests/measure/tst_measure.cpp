// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"
#include "core/measure/duel.h"
#include "core/measure/evaluation.h"
#include "core/measure/statistics.h"

#include <QtTest>
#include <cmath>
#include <limits>
#include <numeric>

using namespace rooftree;
using namespace rooftree::measure;

namespace {

const double notANumber = std::numeric_limits<double>::quiet_NaN();
const double inf = std::numeric_limits<double>::infinity();

bool near(double a, double b, double tolerance = 1e-9)
{
    return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

// Process pairs with a common shift of each process and noise of each pair, as real measurements have them.
std::vector<DuelCase> simulated(double ratio, double sigma, int processes, int pairsPerProcess, Rng& rng, int cases = 1)
{
    std::vector<DuelCase> out(static_cast<std::size_t>(cases));
    for (int c = 0; c < cases; ++c) {
        auto& one = out[static_cast<std::size_t>(c)];
        one.axes = { { "n", 100 + c } };
        const double incumbentNs = 1e6 * (c + 1);
        for (int p = 0; p < processes; ++p)
            for (int i = 0; i < pairsPerProcess; ++i)
                one.pairs.push_back({ p, incumbentNs * ratio * std::exp(sigma * rng.normal()),
                    incumbentNs * std::exp(sigma * rng.normal()) });
    }
    return out;
}

CaseResult timedCase(int64_t n, double median, double lo, double hi)
{
    CaseResult result;
    result.axes = { { "n", n } };
    result.timing = Timing{ median, lo, hi, { median }, 1, CacheMode::Warm, 0.01 };
    return result;
}

Evaluation fullEvaluation()
{
    Evaluation e;
    e.status = EvaluationStatus::IncorrectNumerical;
    e.reason = "y[3] is wrong.";
    e.certificate = { { "compile", RungStatus::Pass, "" }, { "tolerance", RungStatus::Fail, "3 of 10" },
        { "bitwise", RungStatus::NotRun, "failed before" } };
    e.suspicions = { "reads the clock" };
    e.stages = { { "build", StageStatus::Passed, 312.5, "warning: x" },
        { "time", StageStatus::NotRun, 0, "not correct" } };
    CaseResult one = timedCase(64, 1000, 990, 1010);
    one.role = spec::Role::HeldOut;
    one.status = EvaluationStatus::IncorrectNumerical;
    one.reason = "wrong";
    one.timing->cache = CacheMode::Cold;
    one.timing->innerCalls = 17;
    one.timing->relativeError = inf;
    one.floorNs = 333;
    one.correctness = Correctness{ 10, 3, inf, 0.1, notANumber, { 7, 0, 3 },
        ElementError{ "y", 3, 1.5, notANumber, inf }, ElementError{ "y", 4, -inf, 0.1 + 0.2, 2.5 }, true, false };
    e.cases = { one, CaseResult{} };
    e.bound = "memory";
    e.boundEvidence = "91 % of the bandwidth";
    e.rooflineFraction = 0.91;
    e.objectHash = "abc";
    e.compiler = "g++ 12.2.0";
    e.flags = "-O3";
    e.environment = "cpu, 2 threads";
    return e;
}

} // namespace

class TestMeasure : public QObject {
    Q_OBJECT
private slots:
    void medianAndQuantiles();
    void deviationAndHodgesLehmann();
    void geometricMeans();
    void medianIntervalRanks();
    void medianIntervalCovers();
    void relativeError();
    void statusNames();
    void speedups();
    void speedupNeedsCommonTimings();
    void duelOfEqualsIsNeverDecided();
    void duelFindsTenPercent();
    void duelVerdictsByHand();
    void duelWithFewPairsIsAmbiguous();
    void duelAveragesCases();
    void duelSeesProcessEffects();
    void duelIsDeterministicAndQuick();
    void duelIgnoresBrokenPairs();
    void duelJson();
    void evaluationJson();
    void malformedJson_data();
    void malformedJson();
};

void TestMeasure::medianAndQuantiles()
{
    QCOMPARE(median({}), 0.0);
    QCOMPARE(median(std::vector<double>{ 3, 1, 2 }), 2.0);
    QCOMPARE(median(std::vector<double>{ 4, 1, 3, 2 }), 2.5);
    QCOMPARE(median(std::vector<double>{ notANumber, 1, 3 }), 2.0);
    // R: quantile(c(1,2,3,4,10), c(.25,.9)) is 2 and 7.6; type 7
    const std::vector<double> samples{ 10, 2, 3, 4, 1 };
    QCOMPARE(quantile(samples, 0.25), 2.0);
    QVERIFY(near(quantile(samples, 0.9), 7.6));
    QCOMPARE(quantile(samples, 0), 1.0);
    QCOMPARE(quantile(samples, 1), 10.0);
    QCOMPARE(quantile({}, 0.5), 0.0);
    QCOMPARE(quantile(std::vector<double>{ 1, inf, inf }, 0.75), inf);
}

void TestMeasure::deviationAndHodgesLehmann()
{
    // R: mad(c(1,1,2,2,4,6,9)) = 1.4826
    QVERIFY(near(medianAbsoluteDeviation(std::vector<double>{ 1, 1, 2, 2, 4, 6, 9 }), 1.4826));
    // Means of (1,2,6): 1 1.5 2 3.5 4 6
    QCOMPARE(hodgesLehmann(std::vector<double>{ 6, 1, 2 }), 2.75);
    QCOMPARE(hodgesLehmann({}), 0.0);
}

void TestMeasure::geometricMeans()
{
    QVERIFY(near(geometricMean(std::vector<double>{ 1, 100 }), 10));
    QVERIFY(near(geometricMean(std::vector<double>(1000, 1e300)), 1e300));
    QCOMPARE(geometricMean(std::vector<double>{ 2, 0 }), 0.0);
    QCOMPARE(geometricMean(std::vector<double>{ 2, -1 }), 0.0);
    QCOMPARE(geometricMean(std::vector<double>{ 2, notANumber }), 0.0);
    QCOMPARE(geometricMean({}), 0.0);
}

void TestMeasure::medianIntervalRanks()
{
    // Conover, Practical Nonparametric Statistics: 95 % ranks for n = 10 are 2 and 9, for 20: 6 and 15, for 50: 18
    // and 33.
    const std::vector<std::tuple<int, int, int>> known{ { 1, 1, 1 }, { 3, 1, 3 }, { 5, 1, 5 }, { 6, 1, 6 }, { 8, 1, 8 },
        { 9, 2, 8 }, { 10, 2, 9 }, { 20, 6, 15 }, { 50, 18, 33 }, { 100, 40, 61 } };
    for (const auto& [n, lower, upper] : known) {
        std::vector<double> samples(static_cast<std::size_t>(n));
        std::iota(samples.rbegin(), samples.rend(), 1.0);
        const auto interval = medianInterval(samples);
        QCOMPARE(interval.lo, static_cast<double>(lower));
        QCOMPARE(interval.hi, static_cast<double>(upper));
    }
    std::vector<double> many(1001);
    std::iota(many.begin(), many.end(), 1.0);
    QVERIFY(std::abs(medianInterval(many).lo - 469) <= 1); // the normal form joins the exact one
    QCOMPARE(medianInterval({}).hi, 0.0);
}

void TestMeasure::medianIntervalCovers()
{
    Rng rng(3);
    int covered = 0;
    for (int i = 0; i < 2000; ++i) {
        std::vector<double> samples(15);
        for (double& x : samples)
            x = rng.normal();
        const auto interval = medianInterval(samples);
        covered += interval.lo <= 0 && interval.hi >= 0 ? 1 : 0;
    }
    QVERIFY2(covered > 1880 && covered < 1970, qPrintable(QString::number(covered))); // 96.5 % by the binomial
}

void TestMeasure::relativeError()
{
    QVERIFY(near(relativeErrorOfMedian(std::vector<double>{ 99, 100, 101 }), 0.01));
    QCOMPARE(relativeErrorOfMedian(std::vector<double>{ 100 }), inf);
    QCOMPARE(relativeErrorOfMedian({}), inf);
    QCOMPARE(relativeErrorOfMedian(std::vector<double>{ 0, 0, 0 }), inf);
}

void TestMeasure::statusNames()
{
    QCOMPARE(statusName(EvaluationStatus::Rejected), "REJECTED");
    QCOMPARE(statusFromName("INCORRECT_DTYPE"), EvaluationStatus::IncorrectDtype);
    QVERIFY(!statusFromName("passed"));
    QCOMPARE(verdictName(Verdict::Ambiguous), "AMBIGUOUS");
    QCOMPARE(verdictFromName("SAME"), Verdict::Same);
    QVERIFY(!verdictFromName(""));
    QVERIFY(!failedEvaluation(EvaluationStatus::Timeout, "slow").passed());
}

void TestMeasure::speedups()
{
    Evaluation baseline;
    Evaluation candidate;
    baseline.cases = { timedCase(1, 1000, 900, 1100), timedCase(2, 800, 800, 800), timedCase(3, 1, 1, 1) };
    candidate.cases = { timedCase(2, 200, 200, 200), timedCase(1, 100, 90, 110), timedCase(4, 1, 1, 1) };
    const auto speedup = speedupOver(baseline, candidate);
    QVERIFY(speedup.has_value());
    QVERIFY(near(speedup->value, std::sqrt(10.0 * 4.0)));
    QVERIFY(near(speedup->lo, std::sqrt(900.0 / 110 * 4)));
    QVERIFY(near(speedup->hi, std::sqrt(1100.0 / 90 * 4)));
    // The swap inverts it.
    QVERIFY(near(speedupOver(candidate, baseline)->value, 1 / speedup->value));
    QVERIFY(near(geomeanNs(candidate), std::cbrt(200.0 * 100 * 1)));
}

void TestMeasure::speedupNeedsCommonTimings()
{
    Evaluation one;
    Evaluation other;
    QVERIFY(!speedupOver(one, other));
    one.cases = { timedCase(1, 5, 5, 5) };
    other.cases = { timedCase(2, 5, 5, 5), timedCase(1, 0, 0, 0) };
    QVERIFY(!speedupOver(one, other));
    QCOMPARE(geomeanNs(Evaluation{}), 0.0);
}

void TestMeasure::duelOfEqualsIsNeverDecided()
{
    Rng rng(11);
    int decided = 0;
    int same = 0;
    for (int i = 0; i < 200; ++i) {
        const auto verdict = judgeDuel(simulated(1, 0.01, 5, 4, rng), 0.02, rng.fork(1)).verdict;
        decided += verdict == Verdict::Faster || verdict == Verdict::Slower ? 1 : 0;
        same += verdict == Verdict::Same ? 1 : 0;
    }
    QCOMPARE(decided, 0);
    QVERIFY2(same > 100, qPrintable(QString::number(same)));
}

void TestMeasure::duelFindsTenPercent()
{
    Rng rng(12);
    int faster = 0;
    int slower = 0;
    int covered = 0;
    for (int i = 0; i < 100; ++i) {
        const auto win = judgeDuel(simulated(1 / 1.1, 0.01, 5, 4, rng), 0.02, rng.fork(1));
        faster += win.verdict == Verdict::Faster ? 1 : 0;
        covered += win.speedup.lo <= 1.1 && win.speedup.hi >= 1.1 ? 1 : 0;
        slower += judgeDuel(simulated(1.1, 0.01, 5, 4, rng), 0.02, rng.fork(1)).verdict == Verdict::Slower ? 1 : 0;
    }
    QCOMPARE(faster, 100);
    QCOMPARE(slower, 100);
    QVERIFY2(covered >= 85, qPrintable(QString::number(covered)));
}

void TestMeasure::duelVerdictsByHand()
{
    const auto verdictOf = [](double ratio) {
        DuelCase one;
        for (int i = 0; i < 6; ++i)
            one.pairs.push_back({ i / 2, 100 * ratio, 100 });
        return judgeDuel({ one }, 0.02, Rng(1));
    };
    QCOMPARE(verdictOf(1 / 1.021).verdict, Verdict::Faster);
    QCOMPARE(verdictOf(1 / 1.019).verdict, Verdict::Same);
    QCOMPARE(verdictOf(1.019).verdict, Verdict::Same);
    QCOMPARE(verdictOf(1.021).verdict, Verdict::Slower);
    const auto exact = verdictOf(0.5);
    QVERIFY(near(exact.speedup.value, 2) && near(exact.speedup.lo, 2) && near(exact.speedup.hi, 2));
    QCOMPARE(exact.pairs, 6);
}

void TestMeasure::duelWithFewPairsIsAmbiguous()
{
    QCOMPARE(judgeDuel({}, 0.02, Rng(1)).verdict, Verdict::Ambiguous);
    DuelCase one;
    one.pairs = { { 0, 50, 100 }, { 1, 50, 100 } };
    const auto result = judgeDuel({ one }, 0.02, Rng(1));
    QCOMPARE(result.verdict, Verdict::Ambiguous);
    QVERIFY(near(result.speedup.value, 2));
    // A second case that could not be timed leaves nothing to average.
    one.pairs.push_back({ 2, 50, 100 });
    QCOMPARE(judgeDuel({ one }, 0.02, Rng(1)).verdict, Verdict::Faster);
    QCOMPARE(judgeDuel({ one, DuelCase{} }, 0.02, Rng(1)).verdict, Verdict::Ambiguous);
}

void TestMeasure::duelAveragesCases()
{
    DuelCase twice;
    DuelCase half;
    for (int i = 0; i < 5; ++i) {
        twice.pairs.push_back({ 0, 50, 100 });
        half.pairs.push_back({ 0, 2000, 1000 });
    }
    half.pairs.pop_back(); // the slower case has fewer pairs
    const auto result = judgeDuel({ twice, half }, 0.02, Rng(1));
    QCOMPARE(result.verdict, Verdict::Same);
    QCOMPARE(result.pairs, 4);
    QVERIFY(near(result.speedup.value, 1));
    QVERIFY(near(result.cases[0].speedup.value, 2));
    QVERIFY(near(result.cases[1].speedup.value, 0.5));
}

void TestMeasure::duelSeesProcessEffects()
{
    // Inside a process all pairs agree on 5 %, but the processes do not agree with each other.
    DuelCase one;
    const double shifts[] = { -0.15, -0.05, -0.05, 0.05, -0.1 };
    for (int p = 0; p < 5; ++p)
        for (int i = 0; i < 10; ++i)
            one.pairs.push_back({ p, 100 * std::exp(shifts[p]), 100 });
    QCOMPARE(judgeDuel({ one }, 0.02, Rng(1)).verdict, Verdict::Ambiguous);
}

void TestMeasure::duelIsDeterministicAndQuick()
{
    Rng rng(5);
    const auto cases = simulated(0.97, 0.02, 5, 10, rng, 5);
    QElapsedTimer timer;
    timer.start();
    const auto first = judgeDuel(cases, 0.02, Rng(9));
    qInfo("duel of 5 cases with 5 x 10 pairs: %.1f ms", static_cast<double>(timer.nsecsElapsed()) / 1e6);
    QCOMPARE(toLine(toJson(first)), toLine(toJson(judgeDuel(cases, 0.02, Rng(9)))));
}

void TestMeasure::duelIgnoresBrokenPairs()
{
    DuelCase one;
    one.pairs = { { 0, 50, 100 }, { 0, 0, 100 }, { 0, notANumber, 100 }, { 0, 50, 100 }, { 0, 50, inf }, { 0, 50, 100 },
        { 0, -1, -1 } };
    const auto result = judgeDuel({ one }, notANumber, Rng(1));
    QCOMPARE(result.pairs, 3);
    QCOMPARE(result.margin, 0.0);
    QCOMPARE(result.verdict, Verdict::Faster);
}

void TestMeasure::duelJson()
{
    Rng rng(5);
    auto result = judgeDuel(simulated(0.5, 0.01, 3, 2, rng, 2), 0.02, Rng(9));
    result.cases[0].pairs[0].candidateNs = notANumber;
    const auto text = toLine(toJson(result));
    QVERIFY(text.starts_with(R"({"verdict":"FASTER","ratio":{"value":)"));
    const auto json = parseJson(text, "duel");
    QVERIFY(json.ok());
    const auto again = duelFromJson(*json);
    QVERIFY(again.ok());
    QCOMPARE(toLine(toJson(*again)), text);
    QVERIFY(!duelFromJson(*parseJson("[]", "duel")).ok());
    QVERIFY(!duelFromJson(*parseJson(R"({"verdict":"WON"})", "duel")).ok());
    QVERIFY(!duelFromJson(*parseJson(R"({"verdict":"SAME","cases":[{"pairs":7}]})", "duel")).ok());
    QVERIFY(!duelFromJson(*parseJson(R"({"verdict":"SAME","cases":[{"axes":[1]}]})", "duel")).ok());
}

void TestMeasure::evaluationJson()
{
    const auto before = fullEvaluation();
    const auto text = toLine(toJson(before));
    QVERIFY(text.starts_with(R"({"status":"INCORRECT_NUMERICAL","reason":"y[3] is wrong.","certificate":[{"name":)"));
    QVERIFY(
        text.find(
            R"("time_ns":{"median":1000.0,"lo":990.0,"hi":1010.0,"samples":[1000.0],"inner_calls":17,"cache":"cold","relative_error":"Infinity"})")
        != std::string::npos);
    QVERIFY(text.find(R"("role":"held-out")") != std::string::npos);
    const auto after = evaluationFromJson(*parseJson(text, "evaluation"));
    QVERIFY(after.ok());
    QCOMPARE(toLine(toJson(*after)), text);
    const auto& correctness = *after->cases[0].correctness;
    QCOMPARE(correctness.maxAbs, inf);
    QVERIFY(std::isnan(correctness.maxUlp));
    QVERIFY(std::isnan(correctness.first->got));
    QCOMPARE(correctness.worst->expected, -inf);
    QCOMPARE(correctness.worst->got, 0.1 + 0.2);
    QCOMPARE(correctness.ulpHistogram, (std::vector<int64_t>{ 7, 0, 3 }));
    QCOMPARE(correctness.deterministic, std::optional<bool>(false));
    QVERIFY(correctness.bitwise);
    QCOMPARE(after->cases[0].timing->cache, CacheMode::Cold);
    QVERIFY(!after->cases[1].timing && !after->cases[1].correctness);
    QCOMPARE(after->certificate[2].status, RungStatus::NotRun);
    QCOMPARE(after->stages[0].ms, 312.5);
}

void TestMeasure::malformedJson_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("accepted");
    const auto row = [](const char* name, const char* text, bool accepted = false) {
        QTest::newRow(name) << QByteArray(text) << accepted;
    };
    row("minimal", R"({"status":"PASSED"})", true);
    row("unknown member", R"({"status":"PASSED","later":{"x":1}})", true);
    row("odd numbers",
        R"({"status":"PASSED","roofline_fraction":"much","cases":[{"status":"PASSED","role":"tune","floor_ns":[],"correctness":{"elements":1e300,"wrong":"x","ulp_histogram":[1e300,"a"]}}]})",
        true);
    row("array", "[]");
    row("null", "null");
    row("no status", "{}");
    row("status number", R"({"status":3})");
    row("unknown status", R"({"status":"GREAT"})");
    row("cases object", R"({"status":"PASSED","cases":{}})");
    row("case number", R"({"status":"PASSED","cases":[7]})");
    row("case role", R"({"status":"PASSED","cases":[{"status":"PASSED","role":"x"}]})");
    row("case axes", R"({"status":"PASSED","cases":[{"status":"PASSED","role":"tune","axes":{"n":"x"}}]})");
    row("timing", R"({"status":"PASSED","cases":[{"status":"PASSED","role":"tune","time_ns":5}]})");
    row("samples", R"({"status":"PASSED","cases":[{"status":"PASSED","role":"tune","time_ns":{"samples":5}}]})");
    row("cache", R"({"status":"PASSED","cases":[{"status":"PASSED","role":"tune","time_ns":{"cache":"hot"}}]})");
    row("correctness", R"({"status":"PASSED","cases":[{"status":"PASSED","role":"tune","correctness":[]}]})");
    row("histogram",
        R"({"status":"PASSED","cases":[{"status":"PASSED","role":"tune","correctness":{"ulp_histogram":1}}]})");
    row("rung", R"({"status":"PASSED","certificate":[{"status":"maybe"}]})");
    row("stage", R"({"status":"PASSED","stages":["build"]})");
    row("suspicions", R"({"status":"PASSED","suspicions":"none"})");
}

void TestMeasure::malformedJson()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, accepted);
    const auto json = parseJson(text.toStdString(), "evaluation");
    QVERIFY(json.ok());
    const auto evaluation = evaluationFromJson(*json);
    QCOMPARE(evaluation.ok(), accepted);
    if (!accepted)
        QVERIFY(!evaluation.error().text.empty());
}

QTEST_APPLESS_MAIN(TestMeasure)
#include "tst_measure.moc"
