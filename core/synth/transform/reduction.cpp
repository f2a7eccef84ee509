// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/dependence.h"

namespace rooftree::synth::transform {

namespace {

bool isSymbol(const Node& node, int symbol)
{
    return bare(node).kind == Kind::Name && bare(node).symbol == symbol;
}

int countMentions(const Node& node, int symbol)
{
    int count = node.kind == Kind::Name && node.symbol == symbol ? 1 : 0;
    for (const auto& child : node.children)
        count += countMentions(*child, symbol);
    return count;
}

std::string extremeOf(std::string_view function)
{
    if (function == "max" || function == "fmax" || function == "fmaxf")
        return "max";
    if (function == "min" || function == "fmin" || function == "fminf")
        return "min";
    return {};
}

bool bigger(std::string_view op)
{
    return op == ">" || op == ">=";
}
bool smaller(std::string_view op)
{
    return op == "<" || op == "<=";
}

// "e > s": max when s takes e. The side on which s stands decides.
std::string extremeByComparison(const Node& comparison, int symbol)
{
    const Node& node = bare(comparison);
    if (node.kind != Kind::Binary || (!bigger(node.op) && !smaller(node.op)))
        return {};
    if (isSymbol(node.child(1), symbol) && countMentions(node, symbol) == 1)
        return bigger(node.op) ? "max" : "min";
    if (isSymbol(node.child(0), symbol) && countMentions(node, symbol) == 1)
        return smaller(node.op) ? "max" : "min";
    return {};
}

// s = s + e, s = max(s, e), s = e > s ? e : s
std::string opOfPlainAssignment(const Node& assignment, int symbol)
{
    const Node& value = bare(assignment.child(1));
    if (value.kind == Kind::Binary && (value.op == "+" || value.op == "*" || value.op == "-")
        && countMentions(value, symbol) == 1) {
        if (isSymbol(value.child(0), symbol))
            return value.op == "-" ? "+" : value.op;
        if (isSymbol(value.child(1), symbol) && value.op != "-")
            return value.op;
    }
    if (value.kind == Kind::Call && value.children.size() == 2 && countMentions(value, symbol) == 1
        && (isSymbol(value.child(0), symbol) || isSymbol(value.child(1), symbol)))
        return extremeOf(value.op);
    if (value.kind == Kind::Conditional && countMentions(value, symbol) == 2) {
        const auto op = extremeByComparison(value.child(0), symbol);
        if (isSymbol(value.child(2), symbol))
            return op;
        if (isSymbol(value.child(1), symbol))
            return op == "max" ? "min" : op == "min" ? "max" : "";
    }
    return {};
}

class ReductionReader {
public:
    ReductionReader(int symbol)
        : m_symbol(symbol)
    {
    }
    // False: it is used in a way that is no reduction.
    bool visit(const Node& node)
    {
        if (countMentions(node, m_symbol) == 0)
            return true;
        if (node.kind == Kind::If && node.children.size() == 2) {
            const auto statements = statementsOf(node.child(1));
            const auto op = extremeByComparison(node.child(0), m_symbol);
            if (!op.empty() && statements.size() == 1 && statements[0]->kind == Kind::Binary && statements[0]->op == "="
                && isSymbol(statements[0]->child(0), m_symbol) && countMentions(statements[0]->child(1), m_symbol) == 0)
                return accept(op);
        }
        if (node.kind == Kind::Binary && isSymbol(node.child(0), m_symbol)) {
            if (node.op == "=")
                return accept(opOfPlainAssignment(node, m_symbol));
            if (countMentions(node.child(1), m_symbol) == 0)
                return accept(node.op == "+=" || node.op == "-=" ? "+" : node.op == "*=" ? "*" : "");
        }
        if (node.kind == Kind::Unary && (node.op == "++" || node.op == "--") && isSymbol(node.child(0), m_symbol))
            return accept("+");
        if (node.kind == Kind::Name && node.symbol == m_symbol)
            return false;
        for (const auto& child : node.children) {
            if (!visit(*child))
                return false;
        }
        return true;
    }
    const std::string& op() const { return m_op; }

private:
    bool accept(const std::string& op)
    {
        if (op.empty() || (!m_op.empty() && m_op != op))
            return false;
        m_op = op;
        return true;
    }
    int m_symbol;
    std::string m_op;
};

} // namespace

std::optional<Reduction> reductionOf(const Analysis& analysis, const Node& body, int symbol)
{
    const auto& info = analysis.symbols[static_cast<std::size_t>(symbol)];
    if (!info.scalar())
        return std::nullopt;
    ReductionReader reader(symbol);
    if (!reader.visit(body) || reader.op().empty())
        return std::nullopt;
    return Reduction{ symbol, reader.op(), info.element };
}

} // namespace rooftree::synth::transform
