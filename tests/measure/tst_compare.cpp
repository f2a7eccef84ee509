// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/rng.h"
#include "core/measure/compare.h"

#include <QtTest>
#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>
#include <numeric>

using namespace rooftree;
using namespace rooftree::measure;

namespace {

const double notANumber = std::numeric_limits<double>::quiet_NaN();
const double inf = std::numeric_limits<double>::infinity();

template <typename T> struct TypeOf;
template <> struct TypeOf<float> {
    static constexpr auto dtype = spec::DType::Float32;
};
template <> struct TypeOf<double> {
    static constexpr auto dtype = spec::DType::Float64;
};
template <> struct TypeOf<int64_t> {
    static constexpr auto dtype = spec::DType::Int64;
};
template <> struct TypeOf<int32_t> {
    static constexpr auto dtype = spec::DType::Int32;
};
template <> struct TypeOf<uint8_t> {
    static constexpr auto dtype = spec::DType::UInt8;
};

template <typename T> spec::Tensor tensorOf()
{
    spec::Tensor tensor;
    tensor.name = "y";
    tensor.dtype = TypeOf<T>::dtype;
    return tensor;
}

spec::Check tolerance(double rtol, double atol, spec::Scale scale = spec::Scale::Max)
{
    return { spec::CheckMode::Tolerance, rtol, atol, scale };
}

template <typename T>
Correctness compare(const std::vector<T>& got, const std::vector<double>& truth, const spec::Check& check,
    const std::vector<double>& condition = {}, Correctness into = {})
{
    const auto tensor = tensorOf<T>();
    compareOutput({ &tensor, std::as_bytes(std::span(got)), truth, {}, condition }, check, into);
    return into;
}

template <typename T> Correctness compareIntegers(const std::vector<T>& got, const std::vector<int64_t>& truth)
{
    const auto tensor = tensorOf<T>();
    Correctness into;
    compareOutput({ &tensor, std::as_bytes(std::span(got)), {}, truth, {} }, tolerance(1, 1), into);
    return into;
}

std::vector<double> normals(std::size_t n, uint64_t seed = 1)
{
    Rng rng(seed);
    std::vector<double> out(n);
    for (double& x : out)
        x = rng.normal();
    return out;
}

template <typename T> std::vector<T> rounded(const std::vector<double>& truth)
{
    return { truth.begin(), truth.end() };
}

} // namespace

class TestCompare : public QObject {
    Q_OBJECT
private slots:
    void roundedTruthIsBitwise();
    void elementsInEveryPositionAreSeen();
    void nanOutputIsWrong();
    void prefixOnlyIsWrong();
    void permutedIsWrong();
    void sumAloneIsWrong();
    void shortAndLongOutputsAreWrong();
    void nonFinitePositionsMustMatch();
    void overflowOfTheDtypeIsInfinity();
    void signedZeros();
    void toleranceUsesTheTruthAlone();
    void scales();
    void nonFiniteConditionForgivesNothing();
    void ulpsAndHistogram();
    void ulpsAcrossZero();
    void doublesAreMeasuredInDoubles();
    void bitwiseMode();
    void integersAreExact();
    void outputsAddUp();
    void agreesWithElementwiseOracle();
    void fourMillionFloatsAreQuick();
};

void TestCompare::roundedTruthIsBitwise()
{
    const auto truth = normals(5000);
    const auto result = compare(rounded<float>(truth), truth, tolerance(1e-6, 1e-7));
    QCOMPARE(result.elements, 5000);
    QCOMPARE(result.wrong, 0);
    QVERIFY(result.bitwise);
    QCOMPARE(result.maxUlp, 0.0);
    QCOMPARE(result.ulpHistogram, std::vector<int64_t>{ 5000 });
    QVERIFY(!result.first);
    QVERIFY(result.maxRel > 0 && result.maxRel <= 0x1p-24);
}

void TestCompare::elementsInEveryPositionAreSeen()
{
    for (const std::size_t n : { 1u, 2u, 3u, 1023u, 1024u, 1025u, 2047u, 3001u }) {
        const std::vector<double> truth(n, 1.0);
        for (const std::size_t at : { std::size_t{ 0 }, n / 2, n - 1 }) {
            for (const float bad : { 1.001f, std::numeric_limits<float>::quiet_NaN(), -1.0f, 0.0f }) {
                auto got = rounded<float>(truth);
                got[at] = bad;
                const auto result = compare(got, truth, tolerance(1e-5, 1e-6));
                QCOMPARE(result.wrong, 1);
                QCOMPARE(result.first->index, static_cast<int64_t>(at));
                QCOMPARE(result.worst->index, static_cast<int64_t>(at));
                QVERIFY(!result.bitwise);
            }
        }
    }
}

void TestCompare::nanOutputIsWrong()
{
    const auto truth = normals(3000);
    const auto result =
        compare(std::vector<float>(3000, std::numeric_limits<float>::quiet_NaN()), truth, tolerance(1, 1));
    QCOMPARE(result.wrong, 3000);
    QCOMPARE(result.maxAbs, inf);
    QCOMPARE(result.maxRel, inf);
    QCOMPARE(result.maxUlp, inf);
    QCOMPARE(result.worst->overTolerance, inf);
    QVERIFY(std::isnan(result.first->got));
    QVERIFY(result.ulpHistogram.empty());
}

void TestCompare::prefixOnlyIsWrong()
{
    const auto truth = normals(4096);
    auto got = rounded<float>(truth);
    std::fill(got.begin() + 100, got.end(), 0.0f);
    const auto result = compare(got, truth, tolerance(1e-5, 1e-6));
    QCOMPARE(result.wrong, 3996);
    QCOMPARE(result.first->index, 100);
}

void TestCompare::permutedIsWrong()
{
    const auto truth = normals(2048);
    auto got = rounded<float>(truth);
    std::reverse(got.begin(), got.end());
    QVERIFY(compare(got, truth, tolerance(1e-5, 1e-6)).wrong > 2000);
}

void TestCompare::sumAloneIsWrong()
{
    const auto truth = normals(2048);
    std::vector<float> got(2048, 0.0f);
    got[0] = static_cast<float>(std::accumulate(truth.begin(), truth.end(), 0.0));
    QVERIFY(compare(got, truth, tolerance(1e-5, 1e-6)).wrong > 2000);
}

void TestCompare::shortAndLongOutputsAreWrong()
{
    const auto truth = normals(100);
    auto got = rounded<float>(truth);
    got.resize(90);
    auto result = compare(got, truth, tolerance(1e-5, 1e-6));
    QCOMPARE(result.wrong, 10);
    QCOMPARE(result.first->index, 90);
    QVERIFY(!result.bitwise);
    got = rounded<float>(truth);
    got.resize(103);
    result = compare(got, truth, tolerance(1e-5, 1e-6));
    QCOMPARE(result.wrong, 3);
    QCOMPARE(result.first->index, 100);
}

void TestCompare::nonFinitePositionsMustMatch()
{
    const std::vector<double> truth{ 1, notANumber, inf, -inf, 2 };
    const auto check = tolerance(1e-5, 1e-6);
    const auto right = compare(rounded<float>(truth), truth, check);
    QCOMPARE(right.wrong, 0);
    QVERIFY(right.bitwise);
    QCOMPARE(right.ulpHistogram, std::vector<int64_t>{ 5 });
    QCOMPARE(right.maxAbs, 0.0);

    const auto f = std::numeric_limits<float>::infinity();
    const auto n = std::numeric_limits<float>::quiet_NaN();
    QCOMPARE(compare(std::vector<float>{ n, 1, -f, f, 2 }, truth, check).wrong, 4);
    QCOMPARE(compare(std::vector<float>{ 1, f, n, n, 2 }, truth, check).wrong, 3);
    QCOMPARE(compare(std::vector<float>{ f, n, 3e38f, -3e38f, n }, truth, check).wrong, 4);
}

void TestCompare::overflowOfTheDtypeIsInfinity()
{
    const std::vector<double> truth{ 1e39, -1e39 };
    const auto f = std::numeric_limits<float>::infinity();
    QCOMPARE(compare(std::vector<float>{ f, -f }, truth, tolerance(1e-5, 0)).wrong, 0);
    QCOMPARE(compare(std::vector<float>{ 3.4e38f, f }, truth, tolerance(1e-5, 0)).wrong, 2);
}

void TestCompare::signedZeros()
{
    const std::vector<double> truth{ 0.0, -0.0 };
    const auto result = compare(std::vector<float>{ -0.0f, 0.0f }, truth, tolerance(0, 0));
    QCOMPARE(result.wrong, 0);
    QCOMPARE(result.maxUlp, 0.0);
    QVERIFY(!result.bitwise);
}

void TestCompare::toleranceUsesTheTruthAlone()
{
    // rtol * |candidate| would accept this: the error is 99.9 % of a huge candidate.
    QCOMPARE(compare(std::vector<double>{ 1000 }, { 1 }, tolerance(0.999, 0)).wrong, 1);
    QCOMPARE(compare(std::vector<double>{ 1.5 }, { 1 }, tolerance(0.5, 0)).wrong, 0); // equality is inside
    QCOMPARE(compare(std::vector<double>{ 1.5000001 }, { 1 }, tolerance(0.5, 0)).wrong, 1);
    QCOMPARE(compare(std::vector<double>{ 1.5 }, { 1 }, tolerance(notANumber, 0)).wrong, 1);
}

void TestCompare::scales()
{
    const std::vector<double> truth{ 1000, 0.001 };
    const std::vector<double> got{ 1000, 0.002 };
    QCOMPARE(compare(got, truth, tolerance(0, 1e-6)).wrong, 0); // 1e-6 * 1000
    QCOMPARE(compare(got, truth, tolerance(0, 1e-7)).wrong, 1);
    QCOMPARE(compare(got, truth, tolerance(0, 1e-6, spec::Scale::One)).wrong, 1);
    QCOMPARE(compare(got, truth, tolerance(0, 2e-3, spec::Scale::One)).wrong, 0);
    QCOMPARE(compare(got, truth, tolerance(0, 1e-3, spec::Scale::Condition), { 1, 2 }).wrong, 0);
    QCOMPARE(compare(got, truth, tolerance(0, 1e-3, spec::Scale::Condition), { 1, 0.5 }).wrong, 1);
    // An infinite truth does not widen the tolerance of the others.
    QCOMPARE(compare(std::vector<double>{ inf, 0.1 }, { inf, 0.001 }, tolerance(0, 1e-6)).wrong, 1);
}

void TestCompare::nonFiniteConditionForgivesNothing()
{
    const auto check = tolerance(0, 1e-6, spec::Scale::Condition);
    QCOMPARE(compare(std::vector<double>{ notANumber, inf, 5 }, { 1, 1, 1 }, check, { inf, inf, notANumber }).wrong, 3);
}

void TestCompare::ulpsAndHistogram()
{
    std::vector<double> truth(3000, 1.0);
    auto got = rounded<float>(truth);
    const auto step = [](int ulps) { return 1.0f + static_cast<float>(ulps) * std::numeric_limits<float>::epsilon(); };
    for (const int ulps : { 1, 2, 3, 4, 5, 8, 9, 100 })
        got[static_cast<std::size_t>(ulps) * 20] = step(ulps);
    const auto result = compare(got, truth, tolerance(1e-4, 0));
    QCOMPARE(result.wrong, 0);
    QCOMPARE(result.maxUlp, 100.0);
    // 0, 1, 2, 3-4, 5-8, 9-16, 17-32, 33-64, 65-128
    QCOMPARE(result.ulpHistogram, (std::vector<int64_t>{ 2992, 1, 1, 2, 2, 1, 0, 0, 1 }));
}

void TestCompare::ulpsAcrossZero()
{
    const float tiny = std::numeric_limits<float>::denorm_min();
    const auto result = compare(std::vector<float>{ -tiny }, { static_cast<double>(tiny) }, tolerance(0, 1));
    QCOMPARE(result.maxUlp, 2.0);
    const float most = std::numeric_limits<float>::max();
    QCOMPARE(compare(std::vector<float>{ -most }, { most }, tolerance(0, 10)).maxUlp, 2.0 * 0x7f7fffff);
}

void TestCompare::doublesAreMeasuredInDoubles()
{
    const auto result =
        compare(std::vector<double>{ 1 + 3 * std::numeric_limits<double>::epsilon() }, { 1.0 }, tolerance(1e-12, 0));
    QCOMPARE(result.maxUlp, 3.0);
    QCOMPARE(result.ulpHistogram, (std::vector<int64_t>{ 0, 0, 0, 1 }));
    const double most = std::numeric_limits<double>::max();
    QCOMPARE(compare(std::vector<double>{ -most }, { most }, tolerance(0, 10)).maxUlp,
        2 * static_cast<double>(0x7fefffffffffffff));
}

void TestCompare::bitwiseMode()
{
    const spec::Check bitwise{ spec::CheckMode::Bitwise, 1, 1, spec::Scale::Max };
    const std::vector<double> truth{ 0.1, notANumber, 0.0, inf };
    QCOMPARE(compare(rounded<float>(truth), truth, bitwise).wrong, 0);
    auto got = rounded<float>(truth);
    got[0] = std::nextafter(got[0], 1.0f);
    got[2] = -0.0f;
    const auto result = compare(got, truth, bitwise);
    QCOMPARE(result.wrong, 2);
    QVERIFY(!result.bitwise);
    QCOMPARE(result.worst->overTolerance, 1.0);
    uint32_t payload = 0xffc12345;
    std::memcpy(&got[1], &payload, sizeof payload);
    QCOMPARE(compare(got, truth, bitwise).wrong, 2);
}

void TestCompare::integersAreExact()
{
    std::vector<int64_t> truth(2000);
    std::iota(truth.begin(), truth.end(), -1000);
    std::vector<int32_t> got(truth.begin(), truth.end());
    auto result = compareIntegers(got, truth);
    QCOMPARE(result.wrong, 0);
    QVERIFY(result.bitwise);
    QVERIFY(result.ulpHistogram.empty());
    got[1500] += 1;
    got[1999] -= 7;
    result = compareIntegers(got, truth);
    QCOMPARE(result.wrong, 2);
    QCOMPARE(result.first->index, 1500);
    QCOMPARE(result.worst->index, 1999);
    QCOMPARE(result.maxAbs, 7.0);
    QVERIFY(!result.bitwise);
    // 256 does not wrap to 0, and doubles do not merge neighbours.
    QCOMPARE(compareIntegers(std::vector<uint8_t>{ 0, 255 }, { 256, 255 }).wrong, 1);
    const int64_t large = int64_t{ 1 } << 60;
    QCOMPARE(compareIntegers(std::vector<int64_t>{ large + 1 }, { large }).wrong, 1);
    QCOMPARE(compareIntegers(std::vector<int64_t>{ large }, {}).wrong, 1);
}

void TestCompare::outputsAddUp()
{
    auto result = compare(std::vector<float>{ 1, 3 }, { 1, 2 }, tolerance(0.1, 0));
    QCOMPARE(result.worst->overTolerance, 5.0);
    result = compare(std::vector<float>{ 1.0f, 4.5f }, { 1, 4 }, tolerance(0.1, 0), {}, result);
    QCOMPARE(result.elements, 4);
    QCOMPARE(result.wrong, 2);
    QCOMPARE(result.first->got, 3.0);
    QCOMPARE(result.worst->got, 3.0); // 0.5 over 0.4 is less than 1 over 0.2
    QCOMPARE(result.maxAbs, 1.0);
    QVERIFY(!result.bitwise);
    result = compare(std::vector<float>{ 9 }, { 9 }, tolerance(0.1, 0), {}, result);
    QVERIFY(!result.bitwise);
}

void TestCompare::agreesWithElementwiseOracle()
{
    Rng rng(7);
    for (int round = 0; round < 20; ++round) {
        const std::size_t n = 1 + rng.below(5000);
        auto truth = normals(n, rng.next());
        std::vector<float> got(n);
        const double noise = std::pow(10.0, -8 + static_cast<double>(rng.below(4)));
        for (std::size_t i = 0; i < n; ++i) {
            if (rng.below(1000) == 0)
                truth[i] = rng.below(2) ? notANumber : 0;
            got[i] = static_cast<float>(truth[i] * (1 + noise * rng.normal()));
        }
        int64_t wrong = 0;
        double largest = 0;
        double maxAbs = 0;
        for (const double r : truth)
            largest = std::isfinite(r) ? std::max(largest, std::abs(r)) : largest;
        for (std::size_t i = 0; i < n; ++i) {
            const double error = std::abs(static_cast<double>(got[i]) - truth[i]);
            const bool same = static_cast<float>(truth[i]) == got[i] || (std::isnan(truth[i]) && std::isnan(got[i]));
            wrong += same || error <= 1e-6 * largest + 1e-6 * std::abs(truth[i]) ? 0 : 1;
            maxAbs = std::isnan(error) ? maxAbs : std::max(maxAbs, error);
        }
        const auto result = compare(got, truth, tolerance(1e-6, 1e-6));
        QCOMPARE(result.wrong, wrong);
        QCOMPARE(result.maxAbs, maxAbs);
        const auto& histogram = result.ulpHistogram;
        QCOMPARE(std::accumulate(histogram.begin(), histogram.end(), int64_t{ 0 }), static_cast<int64_t>(n));
    }
}

void TestCompare::fourMillionFloatsAreQuick()
{
    const auto truth = normals(4 << 20);
    auto got = rounded<float>(truth);
    for (std::size_t i = 0; i < got.size(); i += 3)
        got[i] = std::nextafter(got[i], 10.0f);
    // The processor's time, which other programs do not change much.
    const auto cpuMs = [] {
        timespec now{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
    };
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 5; ++i) {
        const double start = cpuMs();
        QCOMPARE(compare(got, truth, tolerance(1e-5, 1e-6)).wrong, 0);
        best = std::min(best, cpuMs() - start);
    }
    qInfo("4 Mi floats: %.1f ms", best);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    QVERIFY(best < 100); // 10 to 15 on a quiet machine of 2023
#endif
}

QTEST_APPLESS_MAIN(TestCompare)
#include "tst_compare.moc"
