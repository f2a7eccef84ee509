// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/spec/expression.h"

#include <QtTest>

using namespace rooftree::spec;

class TestExpression : public QObject {
    Q_OBJECT

private slots:
    void values_data();
    void values();
    void parseErrors_data();
    void parseErrors();
    void evaluationErrors_data();
    void evaluationErrors();
    void namesAreSortedAndUnique();
    void emptyIsZero();
    void constantsPrintExactly();
    void hostileTexts();
};

void TestExpression::values_data()
{
    QTest::addColumn<double>("expected");
    const auto row = [](const char* text, double value) { QTest::newRow(text) << value; };
    row("1 + 2 * 3", 7);
    row("(1 + 2) * 3", 9);
    row("10 - 4 - 3", 3);
    row("24 / 4 / 2", 3);
    row("7 / 2", 3.5);
    row("7 % 4", 3);
    row("-n + 9", 4);
    row("--n", 5);
    row("-n % 3", -2);
    row("2 * -3", -6);
    row(" n*m ", 35);
    row("\tn", 5);
    row("1e3 + .5", 1000.5);
    row("min(n, m)", 5);
    row("max(n, m, 9, 2)", 9);
    row("ceildiv(m, 2)", 4);
    row("log2(8) + log2(n + 3)", 6);
    row("n < m", 1);
    row("n <= 5", 1);
    row("n > m", 0);
    row("n >= 5", 1);
    row("n == 5", 1);
    row("n != 5", 0);
    row("n < m && m < n", 0);
    row("n < m || m < n", 1);
    row("3 && 2", 1);
    row("0 || 7", 1);
    row("1 || 0 && 0", 1);
    row("1 + (n < m)", 2);
    row("!n", 0);
    row("!(n == m) && !0", 1);
    row("n == 0 || 10 % n == 0", 1);
    row("0 && 1 / 0", 0); // the right side is not looked at
    row("1 || 1 / 0", 1);
    row("minimum + 1", 4); // a name that begins like a function
}

void TestExpression::values()
{
    QFETCH(double, expected);
    const auto expression = Expression::parse(QTest::currentDataTag());
    QVERIFY2(expression, expression.ok() ? "" : expression.error().text.c_str());
    const auto value = expression->evaluate({ { "n", 5 }, { "m", 7 }, { "minimum", 3 } });
    QVERIFY2(value, value.ok() ? "" : value.error().text.c_str());
    QCOMPARE(*value, expected);
}

void TestExpression::parseErrors_data()
{
    QTest::addColumn<QByteArray>("word");
    const auto row = [](const char* text, const char* word) { QTest::newRow(text) << QByteArray(word); };
    row("1 +", "column 4");
    row("* 2", "column 1");
    row("(1", "')'");
    row("1)", "operator or the end");
    row("1 2", "operator or the end");
    row("2x", "column 2");
    row("1..2", "operator or the end");
    row(".", "a number");
    row("1e999", "double");
    row("a b", "column 3");
    row("sqrt(2)", "min, max");
    row("min(1)", "','");
    row("min()", "a number");
    row("ceildiv(1, 2, 3)", "')'");
    row("log2(1, 2)", "')'");
    row("a = b", "column 3");
    row("a & b", "column 3");
    row("a ? b : c", "column 3");
    row("a; b", "column 2");
    row("\"a\"", "column 1");
    row("n\xc3\xa9", "column 2");
}

void TestExpression::parseErrors()
{
    QFETCH(QByteArray, word);
    const auto expression = Expression::parse(QTest::currentDataTag());
    QVERIFY(!expression);
    const auto message = QByteArray::fromStdString(expression.error().text);
    QVERIFY2(message.startsWith("Expected ") && message.contains(word), message.constData());
}

void TestExpression::evaluationErrors_data()
{
    QTest::addColumn<QByteArray>("word");
    const auto row = [](const char* text, const char* word) { QTest::newRow(text) << QByteArray(word); };
    row("1 / 0", "zero");
    row("n % (n - 5)", "zero");
    row("ceildiv(1, 0)", "zero");
    row("unknown + 1", "'unknown'");
    row("log2(0)", "logarithm");
    row("log2(-1)", "logarithm");
    row("1e308 * 10", "overflows");
    row("0 - 1e308 - 1e308", "overflows");
    row("1 / 1e-320", "overflows");
}

void TestExpression::evaluationErrors()
{
    QFETCH(QByteArray, word);
    const auto expression = Expression::parse(QTest::currentDataTag());
    QVERIFY2(expression, expression.ok() ? "" : expression.error().text.c_str());
    const auto value = expression->evaluate({ { "n", 5 } });
    QVERIFY(!value);
    QVERIFY2(QByteArray::fromStdString(value.error().text).contains(word), value.error().text.c_str());
}

void TestExpression::namesAreSortedAndUnique()
{
    const auto expression = Expression::parse("rows * min(cols, a1) + rows / _x");
    QVERIFY(expression);
    QVERIFY((expression->names() == std::vector<std::string>{ "_x", "a1", "cols", "rows" }));
    QVERIFY(Expression(3).names().empty());
}

void TestExpression::emptyIsZero()
{
    QVERIFY(Expression().empty());
    QCOMPARE(*Expression().evaluate({}), 0.0);
    const auto blank = Expression::parse("  ");
    QVERIFY(blank && blank->empty());
}

void TestExpression::constantsPrintExactly()
{
    for (const double number : { 0.0, 1.0, -3.0, 0.1, 1e-300, 1.7976931348623157e308, 4096.0, -2.5e-7 }) {
        const Expression constant(number);
        const auto copy = Expression::parse(constant.text());
        QVERIFY2(copy, constant.text().c_str());
        QCOMPARE(*copy->evaluate({}), number);
        QCOMPARE(*constant.evaluate({}), number);
    }
}

void TestExpression::hostileTexts()
{
    const auto nested = [](int depth) { return std::string(depth, '(') + "1" + std::string(depth, ')'); };
    QVERIFY(Expression::parse(nested(50)));
    QVERIFY(!Expression::parse(nested(64)));
    QVERIFY(!Expression::parse(nested(2000)));
    QVERIFY(!Expression::parse(std::string(4000, '-') + "1"));
    QVERIFY(!Expression::parse(std::string(4000, '!') + "1"));
    QVERIFY(!Expression::parse(std::string(1 << 20, '1')));
    QVERIFY(!Expression::parse(std::string("1\0+ 2", 5)));
    QVERIFY(!Expression::parse("1\n+ 2"));

    std::string longSum = "1";
    while (longSum.size() < 4000)
        longSum += "+1";
    const auto sum = Expression::parse(longSum);
    QVERIFY(sum);
    QCOMPARE(*sum->evaluate({}), 0.5 * static_cast<double>(longSum.size() + 1));
}

QTEST_APPLESS_MAIN(TestExpression)
#include "tst_expression.moc"
