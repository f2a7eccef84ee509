// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/worker/tst_admission.h"
#include "tests/worker/fixture.h"

#include <QTest>

namespace rooftree::worker::test {

namespace {

AdmissionReport admit(const spec::Operator& op)
{
    JobContext context(nullptr, {});
    auto outcome = evaluator().admit(op, context);
    if (!outcome)
        qFatal("%s %s", outcome.error().text.c_str(), outcome.error().detail.c_str());
    return *outcome;
}

const Control& control(const AdmissionReport& report, const std::string& name)
{
    for (const auto& control : report.controls) {
        if (control.name == name)
            return control;
    }
    qFatal("no control %s", name.c_str());
    return report.controls.front();
}

} // namespace

void TestAdmission::soundOperatorIsAdmitted()
{
    for (const auto& op : { affine(), rowSum("rtol = 1e-5\natol = 1e-6\nscale = \"condition\"") }) {
        const auto report = admit(op);
        QVERIFY2(report.admitted, report.reason.c_str());
        QCOMPARE(report.controls.size(), std::size_t{ 8 });
        for (const auto& each : report.controls) {
            QVERIFY2(each.ok() && each.applicable && !each.note.empty(), each.name.c_str());
            QCOMPARE(each.passed, each.mustPass);
        }
    }
}

void TestAdmission::looseToleranceIsRefused_data()
{
    QTest::addColumn<QByteArray>("check");
    QTest::addColumn<QByteArray>("accepted");
    QTest::newRow("everything goes") << QByteArray("rtol = 10.0\natol = 1000.0\nscale = \"one\"")
                                     << QByteArray("zeros");
    QTest::newRow("half precision goes") << QByteArray("rtol = 2e-2\natol = 1e-2\nscale = \"condition\"")
                                         << QByteArray("lower-precision");
}

void TestAdmission::looseToleranceIsRefused()
{
    QFETCH(QByteArray, check);
    QFETCH(QByteArray, accepted);
    const auto report = admit(rowSum(check.toStdString()));
    QVERIFY(!report.admitted);
    QVERIFY2(control(report, accepted.toStdString()).passed, report.reason.c_str());
    QVERIFY(report.reason.find("tolerance accepts") != std::string::npos);
}

void TestAdmission::unreachableToleranceIsRefused()
{
    const auto report = admit(rowSum("rtol = 1e-12\natol = 1e-12"));
    QVERIFY(!report.admitted);
    QVERIFY(!control(report, "naive").passed);
}

void TestAdmission::constantInputsAreRefused()
{
    const auto report = admit(rowSum("rtol = 1e-5\natol = 1e-6", "kind = \"constant\", value = 1.0"));
    QVERIFY(!report.admitted);
    QVERIFY(control(report, "replay").passed); // other seeds give the same inputs
}

void TestAdmission::brokenReferenceIsRefused_data()
{
    QTest::addColumn<QByteArray>("reference");
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("does not compile") << QByteArray("nonsense") << QByteArray("error");
    QTest::newRow("crashes") << QByteArray(
        "extern \"C\" void affine(const real* x, real* y, int64_t n) { __builtin_trap(); }")
                             << QByteArray("SIGILL");
    QTest::newRow("writes beside its output") << QByteArray(
        "extern \"C\" void affine(const real* x, real* y, int64_t n) { for (int64_t i = 0; i <= n; ++i) y[i] = 0; }")
                                              << QByteArray("outside");
    QTest::newRow("has another name") << QByteArray("extern \"C\" void other(const real* x, real* y, int64_t n) { }")
                                      << QByteArray("entry");
}

void TestAdmission::brokenReferenceIsRefused()
{
    QFETCH(QByteArray, reference);
    QFETCH(QByteArray, text);
    spec::Operator op = affine();
    op.referenceSource = reference.toStdString();
    op.hash = QTest::currentDataTag();
    JobContext context(nullptr, {});
    const auto status = evaluator().prepare(op, context);
    QVERIFY(!status.ok());
    QCOMPARE(status.error().code, ErrorCode::Failed);
    QVERIFY2(status.error().text.find(text.toStdString()) != std::string::npos, status.error().text.c_str());
    QVERIFY(evaluator().prepare(affine(), context).ok());
}

void TestAdmission::integerOperatorHasNoPrecisionToLower()
{
    const auto op = operatorFrom(R"(
name = "twice"
family = "elementwise"
description = "y = 2 x"
axes = { n = "var" }
[[inputs]]
name = "x"
shape = ["n"]
dtype = "int32"
fill = { kind = "integers", lo = -100, hi = 100 }
[[outputs]]
name = "y"
shape = ["n"]
dtype = "int32"
[reference]
language = "cpp"
file = "reference.cpp"
[cost]
flops = "n"
bytes = "8 * n"
[check]
mode = "bitwise"
[[cases]]
axes = { n = 100 }
)",
        "extern \"C\" void twice(const int32_t* x, int32_t* y, int64_t n) { for (int64_t i = 0; i < n; ++i) y[i] = 2 * "
        "x[i]; }\n");
    QVERIFY2(op.ok(), op.ok() ? "" : op.error().text.c_str());
    const auto report = admit(*op);
    QVERIFY2(report.admitted, report.reason.c_str());
    QVERIFY(!control(report, "lower-precision").applicable);
    QVERIFY(!control(report, "lower-precision").note.empty());
}

} // namespace rooftree::worker::test
