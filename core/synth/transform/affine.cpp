// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/affine.h"

#include <algorithm>
#include <charconv>

namespace rooftree::synth::transform {

namespace {

constexpr int maxDepth = 40;
constexpr int maxSteps = 5000;
constexpr std::size_t maxTerms = 64;

void addTerm(Polynomial& polynomial, const std::vector<int>& monomial, int64_t coefficient)
{
    auto& value = polynomial.terms[monomial];
    if (__builtin_add_overflow(value, coefficient, &value))
        polynomial.exact = false;
    if (value == 0)
        polynomial.terms.erase(monomial);
}

Polynomial symbolTerm(int symbol)
{
    Polynomial out;
    out.terms[{ symbol }] = 1;
    return out;
}

} // namespace

bool Polynomial::mentions(int symbol) const
{
    return hidden.contains(symbol) || std::any_of(terms.begin(), terms.end(), [&](const auto& term) {
        return std::find(term.first.begin(), term.first.end(), symbol) != term.first.end();
    });
}

Polynomial Polynomial::coefficient(int symbol) const
{
    Polynomial out;
    out.exact = !hidden.contains(symbol);
    for (const auto& [monomial, value] : terms) {
        const auto times = std::count(monomial.begin(), monomial.end(), symbol);
        if (times == 0)
            continue;
        auto rest = monomial;
        rest.erase(std::find(rest.begin(), rest.end(), symbol));
        out.exact = out.exact && times == 1;
        addTerm(out, rest, value);
    }
    return out;
}

int64_t Polynomial::constant() const
{
    const auto found = terms.find({});
    return found == terms.end() ? 0 : found->second;
}

Polynomial operator+(const Polynomial& a, const Polynomial& b)
{
    Polynomial out = a;
    out.exact = a.exact && b.exact;
    out.hidden.insert(b.hidden.begin(), b.hidden.end());
    for (const auto& [monomial, value] : b.terms)
        addTerm(out, monomial, value);
    return out;
}

Polynomial operator*(const Polynomial& a, const Polynomial& b)
{
    Polynomial out;
    out.exact = a.exact && b.exact;
    out.hidden = a.hidden;
    out.hidden.insert(b.hidden.begin(), b.hidden.end());
    for (const auto& [left, x] : a.terms) {
        for (const auto& [right, y] : b.terms) {
            auto monomial = left;
            monomial.insert(monomial.end(), right.begin(), right.end());
            std::sort(monomial.begin(), monomial.end());
            int64_t product = 0;
            if (__builtin_mul_overflow(x, y, &product) || out.terms.size() > maxTerms || monomial.size() > 8) {
                out.exact = false;
                out.hidden.insert(monomial.begin(), monomial.end());
                continue;
            }
            addTerm(out, monomial, product);
        }
    }
    return out;
}

Polynomial operator-(const Polynomial& a, const Polynomial& b)
{
    Polynomial minus;
    minus.terms[{}] = -1;
    return a + b * minus;
}

std::set<int> writtenSymbols(const Analysis& analysis)
{
    std::set<int> written;
    for (const auto& tree : analysis.trees) {
        for (const auto& use : usesIn(*tree).all) {
            if (use.write && use.node->kind == Kind::Name)
                written.insert(use.symbol);
        }
    }
    return written;
}

AffineReader::AffineReader(const Analysis& analysis)
    : m_analysis(analysis)
    , m_written(writtenSymbols(analysis))
{
    for (const auto& loop : analysis.loops) {
        m_counters.insert(loop.var);
        if (loop.canonical && bare(*loop.init).kind != Kind::Literal)
            m_starts[loop.var] = loop.init;
    }
}

Polynomial AffineReader::read(const Node& whole, int depth) const
{
    const Node& node = bare(whole);
    Polynomial out;
    if (depth > maxDepth || ++m_steps > maxSteps)
        return hidden(node, depth);
    if (node.kind == Kind::Literal) {
        const auto text = m_analysis.text(node);
        int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc()
            && (end == text.data() + text.size() || std::string_view("uUlL").find(*end) != std::string_view::npos)) {
            addTerm(out, {}, value);
            return out;
        }
        out.exact = false; // a macro, or not an integer
        return out;
    }
    if (node.kind == Kind::Name) {
        const auto& symbol = m_analysis.symbolOf(node);
        const bool changeless = symbol.place == Place::Local && symbol.integer() && !m_written.contains(node.symbol);
        if (changeless && symbol.variable && !symbol.variable->children.empty())
            return readConstant(node, depth);
        const auto start = m_starts.find(node.symbol);
        if (start != m_starts.end())
            return read(*start->second, depth + 1) + symbolTerm(node.symbol);
        return symbolTerm(node.symbol);
    }
    if (node.kind == Kind::Unary && node.op == "-")
        return Polynomial() - read(node.child(0), depth + 1);
    if (node.kind == Kind::Binary && (node.op == "+" || node.op == "-" || node.op == "*")) {
        const auto left = read(node.child(0), depth + 1);
        const auto right = read(node.child(1), depth + 1);
        return node.op == "+" ? left + right : node.op == "-" ? left - right : left * right;
    }
    return hidden(node, depth);
}

// What a changeless local stands for: its initialiser, or itself when that is no polynomial but no loop changes it
// either: "const int64_t half = (n + 1) / 2".
Polynomial AffineReader::readConstant(const Node& name, int depth) const
{
    auto value = read(m_analysis.symbolOf(name).variable->child(0), depth + 1);
    const bool moves =
        std::any_of(m_counters.begin(), m_counters.end(), [&](int counter) { return value.mentions(counter); });
    return value.exact || moves ? value : symbolTerm(name.symbol);
}

Polynomial AffineReader::hidden(const Node& node, int depth) const
{
    Polynomial out;
    out.exact = false;
    if (depth > 2 * maxDepth || ++m_steps > 2 * maxSteps)
        return out;
    if (node.kind == Kind::Name) {
        const auto& symbol = m_analysis.symbolOf(node);
        out.hidden.insert(node.symbol);
        if (symbol.place == Place::Local && symbol.variable && !symbol.variable->children.empty()
            && !m_written.contains(node.symbol)) {
            const auto inner = hidden(symbol.variable->child(0), depth + 1);
            out.hidden.insert(inner.hidden.begin(), inner.hidden.end());
        }
    }
    for (const auto& child : node.children) {
        const auto inner = hidden(*child, depth + 1);
        out.hidden.insert(inner.hidden.begin(), inner.hidden.end());
    }
    return out;
}

bool AffineReader::resolve(const Node& whole, int& array, Polynomial& offset, int depth) const
{
    const Node& node = bare(whole);
    if (depth > maxDepth)
        return false;
    if (node.kind == Kind::Name) {
        const auto& symbol = m_analysis.symbolOf(node);
        if (symbol.pointer && !symbol.array && symbol.place == Place::Local && symbol.variable
            && !symbol.variable->children.empty()) {
            if (m_written.contains(node.symbol))
                return false;
            return resolve(symbol.variable->child(0), array, offset, depth + 1);
        }
        array = node.symbol;
        return true;
    }
    if (node.kind == Kind::Binary && (node.op == "+" || node.op == "-") && bare(node.child(0)).type.ends_with('*')) {
        const auto distance = read(node.child(1), depth + 1);
        offset = node.op == "+" ? offset + distance : offset - distance;
        return resolve(node.child(0), array, offset, depth + 1);
    }
    if (node.kind == Kind::Unary && node.op == "&" && bare(node.child(0)).kind == Kind::Subscript) {
        const auto& element = bare(node.child(0));
        offset = offset + read(element.child(1), depth + 1);
        return resolve(element.child(0), array, offset, depth + 1);
    }
    return false;
}

AffineReader::Access AffineReader::place(const Use& use) const
{
    m_steps = 0;
    Access out;
    out.array = use.symbol;
    if (use.symbol < 0 || use.node->kind != Kind::Subscript)
        return out;
    for (const auto* subscript : use.subscripts)
        out.subscripts.push_back(read(*subscript, 0));
    const auto& symbol = m_analysis.symbols[static_cast<std::size_t>(use.symbol)];
    out.known = true;
    if (symbol.pointer && !symbol.array && use.subscripts.size() == 1) {
        const Node* base = use.node;
        while (base->kind == Kind::Subscript)
            base = &bare(base->child(0));
        out.known = resolve(*base, out.array, out.subscripts.front(), 0);
    }
    return out;
}

AffineReader::Access AffineReader::pointer(const Node& argument) const
{
    m_steps = 0;
    Access out;
    Polynomial offset;
    const Node* node = &bare(argument);
    if (node->kind == Kind::Call && node->children.size() == 1
        && (node->op == "data" || node->op == "begin" || node->op == "end"))
        node = &bare(node->child(0));
    out.known = resolve(*node, out.array, offset, 0);
    out.subscripts = { offset };
    return out;
}

} // namespace rooftree::synth::transform
