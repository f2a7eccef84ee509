// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/spec/expression.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

namespace rooftree::spec {

enum class Op {
    Number,
    Name,
    Negate,
    Not,
    Truth,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Min,
    Max,
    CeilDiv,
    Log2,
    AndJump, // top is 0: leave 0 and jump; else drop it
    OrJump, // top is not 0: leave 1 and jump; else drop it
};

struct Expression::Step {
    Op op = Op::Number;
    double number = 0;
    std::string name; // Op::Name
    std::size_t target = 0; // of the jumps
};

namespace {

constexpr int maxDepth = 64;
constexpr std::size_t maxLength = 4096;

struct BinaryOperator {
    std::string_view text;
    Op op;
};
// Longer spellings first, so that "<=" is not read as "<".
constexpr std::array comparisons{ BinaryOperator{ "<=", Op::LessEqual }, BinaryOperator{ ">=", Op::GreaterEqual },
    BinaryOperator{ "==", Op::Equal }, BinaryOperator{ "!=", Op::NotEqual }, BinaryOperator{ "<", Op::Less },
    BinaryOperator{ ">", Op::Greater } };
constexpr std::array sums{ BinaryOperator{ "+", Op::Add }, BinaryOperator{ "-", Op::Subtract } };
constexpr std::array products{ BinaryOperator{ "*", Op::Multiply }, BinaryOperator{ "/", Op::Divide },
    BinaryOperator{ "%", Op::Modulo } };

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

std::string numberText(double number)
{
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
    return { buffer.data(), end };
}

// Recursive descent over the text, into reverse Polish steps. The first failure is kept in m_error and stops
// everything.
template <typename Step> class Parser {
public:
    explicit Parser(std::string_view text)
        : m_text(text)
    {
    }

    Result<std::vector<Step>> run()
    {
        if (m_text.size() > maxLength)
            return Error{ ErrorCode::Parse, "The expression is longer than 4096 characters; shorten it." };
        if (either() && !atEnd())
            fail("an operator or the end");
        if (!m_error.text.empty())
            return m_error;
        return std::move(m_steps);
    }

private:
    bool either()
    {
        if (!both())
            return false;
        while (accept("||")) {
            if (!shortCircuit(Op::OrJump, &Parser::both))
                return false;
        }
        return true;
    }

    bool both()
    {
        if (!comparison())
            return false;
        while (accept("&&")) {
            if (!shortCircuit(Op::AndJump, &Parser::comparison))
                return false;
        }
        return true;
    }

    bool shortCircuit(Op jump, bool (Parser::*right)())
    {
        const auto at = m_steps.size();
        m_steps.push_back({ jump });
        if (!(this->*right)())
            return false;
        m_steps.push_back({ Op::Truth });
        m_steps[at].target = m_steps.size();
        return true;
    }

    bool comparison() { return chain(comparisons, &Parser::sum); }
    bool sum() { return chain(sums, &Parser::product); }
    bool product() { return chain(products, &Parser::unary); }

    template <std::size_t N> bool chain(const std::array<BinaryOperator, N>& operators, bool (Parser::*operand)())
    {
        if (!(this->*operand)())
            return false;
        while (true) {
            const auto found = std::find_if(
                operators.begin(), operators.end(), [this](const BinaryOperator& o) { return accept(o.text); });
            if (found == operators.end())
                return true;
            if (!(this->*operand)())
                return false;
            m_steps.push_back({ found->op });
        }
    }

    bool unary()
    {
        if (++m_depth > maxDepth)
            return fail("less nesting (at most 64 levels)");
        bool ok = false;
        if (accept("-")) {
            ok = unary();
            m_steps.push_back({ Op::Negate });
        } else if (peek() == '!' && !lookingAt("!=")) {
            ++m_at;
            ok = unary();
            m_steps.push_back({ Op::Not });
        } else {
            ok = primary();
        }
        --m_depth;
        return ok;
    }

    bool primary()
    {
        if (accept("("))
            return either() && expect(")");
        const char c = peek();
        if (isDigit(c) || c == '.')
            return number();
        if (isIdentifierChar(c))
            return nameOrCall();
        return fail("a number, a name or '('");
    }

    bool number()
    {
        double value = 0;
        const auto rest = m_text.substr(m_at);
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        if (error == std::errc::result_out_of_range)
            return fail("a number that a double can hold");
        if (error != std::errc())
            return fail("a number");
        m_at += static_cast<std::size_t>(end - rest.data());
        if (m_at < m_text.size() && isIdentifierChar(m_text[m_at]))
            return fail("an operator after the number");
        m_steps.push_back({ Op::Number, value });
        return true;
    }

    bool nameOrCall()
    {
        const auto begin = m_at;
        while (m_at < m_text.size() && isIdentifierChar(m_text[m_at]))
            ++m_at;
        const std::string name(m_text.substr(begin, m_at - begin));
        if (!accept("(")) {
            m_steps.push_back({ Op::Name, 0, name });
            return true;
        }
        if (name == "min")
            return foldedCall(Op::Min);
        if (name == "max")
            return foldedCall(Op::Max);
        if (name == "ceildiv")
            return pairCall(Op::CeilDiv);
        if (name == "log2") {
            const bool ok = either() && expect(")");
            m_steps.push_back({ Op::Log2 });
            return ok;
        }
        m_at = begin;
        return fail("one of the functions min, max, ceildiv, log2");
    }

    bool foldedCall(Op op)
    {
        if (!either() || !expect(","))
            return false;
        do {
            if (!either())
                return false;
            m_steps.push_back({ op });
        } while (accept(","));
        return expect(")");
    }

    bool pairCall(Op op)
    {
        const bool ok = either() && expect(",") && either() && expect(")");
        m_steps.push_back({ op });
        return ok;
    }

    char peek()
    {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t'))
            ++m_at;
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }
    bool atEnd() { return peek() == '\0' && m_at == m_text.size(); }
    bool lookingAt(std::string_view token)
    {
        peek();
        return m_text.substr(m_at).starts_with(token);
    }
    bool accept(std::string_view token)
    {
        if (!lookingAt(token))
            return false;
        m_at += token.size();
        return true;
    }
    bool expect(std::string_view token) { return accept(token) || fail("'" + std::string(token) + "'"); }

    bool fail(const std::string& expected)
    {
        if (m_error.text.empty()) {
            m_error = { ErrorCode::Parse,
                "Expected " + expected + " at column " + std::to_string(m_at + 1) + " of \""
                    + elided(sanitizedUtf8(m_text), 80) + "\"." };
        }
        return false;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_depth = 0;
    std::vector<Step> m_steps;
    Error m_error;
};

// Two operands to one; an error text where the mathematics has no answer.
const char* combine(Op op, double a, double b, double& result)
{
    switch (op) {
    case Op::Add:
        result = a + b;
        break;
    case Op::Subtract:
        result = a - b;
        break;
    case Op::Multiply:
        result = a * b;
        break;
    case Op::Less:
        result = a < b;
        break;
    case Op::LessEqual:
        result = a <= b;
        break;
    case Op::Greater:
        result = a > b;
        break;
    case Op::GreaterEqual:
        result = a >= b;
        break;
    case Op::Equal:
        result = a == b;
        break;
    case Op::NotEqual:
        result = a != b;
        break;
    case Op::Min:
        result = std::min(a, b);
        break;
    case Op::Max:
        result = std::max(a, b);
        break;
    default:
        if (b == 0)
            return "divides by zero";
        result = op == Op::Divide ? a / b : op == Op::Modulo ? std::fmod(a, b) : std::ceil(a / b);
    }
    return std::isfinite(result) ? nullptr : "overflows";
}

const char* transform(Op op, double& top)
{
    switch (op) {
    case Op::Negate:
        top = -top;
        return nullptr;
    case Op::Not:
        top = top == 0;
        return nullptr;
    case Op::Truth:
        top = top != 0;
        return nullptr;
    default:
        if (top <= 0)
            return "takes the logarithm of a number that is not positive";
        top = std::log2(top);
        return nullptr;
    }
}

} // namespace

Expression::Expression(double constant)
    : m_text(numberText(constant))
    , m_program(std::make_shared<const std::vector<Step>>(std::vector<Step>{ { Op::Number, constant } }))
{
}

Result<Expression> Expression::parse(std::string_view text)
{
    Expression expression;
    if (trimmed(text).empty())
        return expression;
    auto steps = Parser<Step>(text).run();
    if (!steps)
        return steps.error();
    expression.m_text = std::string(trimmed(text));
    expression.m_program = std::make_shared<const std::vector<Step>>(std::move(steps).value());
    return expression;
}

std::vector<std::string> Expression::names() const
{
    std::set<std::string> names;
    if (m_program) {
        for (const auto& step : *m_program) {
            if (step.op == Op::Name)
                names.insert(step.name);
        }
    }
    return { names.begin(), names.end() };
}

Result<double> Expression::evaluate(const std::map<std::string, int64_t>& variables) const
{
    if (!m_program)
        return 0.0;
    std::vector<double> stack;
    const auto failure = [this](const std::string& what) {
        return Error{ ErrorCode::Parse, "The expression \"" + m_text + "\" " + what + "." };
    };
    for (std::size_t i = 0; i < m_program->size(); ++i) {
        const auto& step = (*m_program)[i];
        if (step.op == Op::Number) {
            stack.push_back(step.number);
        } else if (step.op == Op::Name) {
            const auto found = variables.find(step.name);
            if (found == variables.end())
                return failure("uses '" + step.name + "', which is not known here");
            stack.push_back(static_cast<double>(found->second));
        } else if (step.op == Op::AndJump || step.op == Op::OrJump) {
            const bool truth = stack.back() != 0;
            if (truth == (step.op == Op::OrJump)) {
                stack.back() = truth;
                i = step.target - 1;
            } else {
                stack.pop_back();
            }
        } else if (step.op == Op::Negate || step.op == Op::Not || step.op == Op::Truth || step.op == Op::Log2) {
            if (const auto* problem = transform(step.op, stack.back()))
                return failure(problem);
        } else {
            const double b = stack.back();
            stack.pop_back();
            if (const auto* problem = combine(step.op, stack.back(), b, stack.back()))
                return failure(problem);
        }
    }
    return stack.back();
}

} // namespace rooftree::spec
