// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/analysis.h"

#include "core/base/text.h"

#include <algorithm>
#include <functional>
#include <map>

namespace rooftree::synth::transform {

bool Loop::hasPragma(std::string_view word) const
{
    return std::any_of(pragmas.begin(), pragmas.end(),
        [&](const Pragma& pragma) { return pragma.text.find(word) != std::string::npos; });
}

std::string Analysis::varType(const Loop& loop) const
{
    const auto& symbol = symbols[static_cast<std::size_t>(loop.var)];
    return symbol.type == "auto" ? symbol.canonical : symbol.type;
}

std::string Analysis::upper(const Loop& loop) const
{
    const auto bound = text(*loop.bound);
    const bool simple = loop.bound->kind == Kind::Name || loop.bound->kind == Kind::Literal
        || loop.bound->kind == Kind::Paren || loop.bound->kind == Kind::Subscript;
    if (loop.inclusive)
        return (simple ? bound : "(" + bound + ")") + " + 1";
    return bound;
}

const Loop* Analysis::findLoop(const std::string& signature) const
{
    const auto found =
        std::find_if(loops.begin(), loops.end(), [&](const Loop& loop) { return loop.signature == signature; });
    return found == loops.end() ? nullptr : &*found;
}

std::vector<const Node*> statementsOf(const Node& body)
{
    if (body.kind != Kind::Compound)
        return { &body };
    std::vector<const Node*> statements;
    for (const auto& child : body.children)
        statements.push_back(child.get());
    return statements;
}

bool mentionsSymbol(const Node& node, int symbol)
{
    if (node.kind == Kind::Name && node.symbol == symbol)
        return true;
    return std::any_of(
        node.children.begin(), node.children.end(), [&](const auto& child) { return mentionsSymbol(*child, symbol); });
}

bool hasOwnJump(const Node& node, Kind kind)
{
    if (node.kind == kind)
        return true;
    if (node.kind == Kind::For || node.kind == Kind::OtherStatement)
        return false;
    return std::any_of(
        node.children.begin(), node.children.end(), [&](const auto& child) { return hasOwnJump(*child, kind); });
}

namespace {

// Pragma and comment lines directly above a statement belong to it.
std::size_t leadOf(std::string_view source, const Node& node, std::size_t floor)
{
    if (!firstOnLine(source, node.range.begin))
        return node.range.begin;
    auto lead = lineStart(source, node.range.begin);
    while (lead > floor) {
        const auto above = lineStart(source, lead - 1);
        const auto line = trimmed(slice(source, { above, lead }));
        if (above < floor || !(line.starts_with("#pragma") || line.starts_with("//")))
            break;
        lead = above;
    }
    return lead;
}

void setLeads(std::string_view source, Node& node)
{
    std::size_t floor = node.range.begin;
    for (auto& child : node.children) {
        const bool statement = node.kind == Kind::Compound || (node.kind == Kind::For && child == node.children.back())
            || (node.kind == Kind::If && child != node.children.front());
        child->lead = statement && child->kind != Kind::Compound ? leadOf(source, *child, floor) : child->range.begin;
        floor = child->range.end;
        setLeads(source, *child);
    }
}

std::vector<Pragma> pragmasOf(std::string_view source, const Node& node)
{
    std::vector<Pragma> pragmas;
    for (auto at = node.lead; at < node.range.begin;) {
        const auto end = std::min(lineEnd(source, at) + 1, source.size());
        const auto line = trimmed(slice(source, { at, end }));
        if (line.starts_with("#pragma"))
            pragmas.push_back({ { at, end }, std::string(line) });
        at = end;
    }
    return pragmas;
}

// for (T i = lo; i < hi; i += s)
void recognise(const Analysis& analysis, Loop& loop)
{
    const auto& init = loop.node->child(0);
    const auto& condition = loop.node->child(1);
    const auto& increment = loop.node->child(2);
    if (init.kind != Kind::Declaration || init.children.size() != 1 || init.child(0).children.size() != 1)
        return;
    loop.var = init.child(0).symbol;
    loop.init = &init.child(0).child(0);
    if (!analysis.symbols[static_cast<std::size_t>(loop.var)].integer())
        return;
    const auto isVar = [&](const Node& node) { return bare(node).kind == Kind::Name && bare(node).symbol == loop.var; };
    if (condition.kind != Kind::Binary || !isVar(condition.child(0))
        || (condition.op != "<" && condition.op != "<=" && condition.op != "!="))
        return;
    loop.bound = &condition.child(1);
    loop.inclusive = condition.op == "<=";
    if (increment.kind == Kind::Unary && increment.op == "++" && isVar(increment.child(0)))
        loop.step = "1";
    else if (increment.kind == Kind::Binary && increment.op == "+=" && isVar(increment.child(0)))
        loop.step = analysis.text(increment.child(1));
    else
        return;
    loop.canonical = !mentionsSymbol(*loop.bound, loop.var);
}

class LoopFinder {
public:
    explicit LoopFinder(Analysis& analysis)
        : m_analysis(analysis)
    {
    }
    void find(const Node& node, int function, int parent, int depth)
    {
        int current = parent;
        if (node.kind == Kind::For)
            current = add(node, function, parent, depth);
        for (const auto& child : node.children)
            find(*child, function, current, current == parent ? depth : depth + 1);
    }
    void nameLoops()
    {
        std::map<std::string, int> count;
        for (auto& loop : m_analysis.loops) {
            const auto& outer = loop.parent >= 0 ? m_analysis.loop(loop.parent).signature
                                                 : m_analysis.functions[static_cast<std::size_t>(loop.function)].name;
            loop.signature = outer + "/" + (loop.var >= 0 ? m_analysis.varName(loop) : "loop");
            if (const int number = ++count[loop.signature]; number > 1)
                loop.signature += "#" + std::to_string(number);
        }
    }

private:
    int add(const Node& node, int function, int parent, int depth)
    {
        Loop loop;
        loop.node = &node;
        loop.function = function;
        loop.parent = parent;
        loop.depth = depth;
        loop.pragmas = pragmasOf(m_analysis.source, node);
        recognise(m_analysis, loop);
        const int index = static_cast<int>(m_analysis.loops.size());
        m_analysis.loops.push_back(std::move(loop));
        if (parent >= 0) {
            auto& outer = m_analysis.loops[static_cast<std::size_t>(parent)];
            outer.inner.push_back(index);
            const auto body = statementsOf(outer.body());
            if (body.size() == 1 && body.front() == &node)
                outer.perfect = index;
        }
        return index;
    }
    Analysis& m_analysis;
};

} // namespace

void findLoops(Analysis& analysis)
{
    LoopFinder finder(analysis);
    for (std::size_t i = 0; i < analysis.functions.size(); ++i) {
        for (auto& tree : analysis.trees) {
            if (tree.get() == analysis.functions[i].body) {
                setLeads(analysis.source, *tree);
                finder.find(*tree, static_cast<int>(i), -1, 0);
            }
        }
    }
    finder.nameLoops();
}

} // namespace rooftree::synth::transform
