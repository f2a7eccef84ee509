// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/moves/moves.h"

#include <algorithm>

// Work that is the same in every iteration goes before the loop: divisions as reciprocals, loads and calls.
namespace rooftree::synth::transform {

namespace {

void findDivisions(const Context& context, const Loop& loop, const Node& node, std::vector<const Node*>& found)
{
    const bool division = node.kind == Kind::Binary && (node.op == "/" || node.op == "/=")
        && isFloatingType(node.child(1).type) && bare(node.child(1)).kind != Kind::Literal;
    if (division && isFloatingType(node.child(0).type) && context.dependence.invariant(node.child(1), loop))
        found.push_back(&node);
    for (const auto& child : node.children)
        findDivisions(context, loop, *child, found);
}

bool hasWork(const Node& node)
{
    return node.kind == Kind::Call || node.kind == Kind::Subscript || (node.kind == Kind::Binary && node.op == "/")
        || std::any_of(node.children.begin(), node.children.end(), [](const auto& child) { return hasWork(*child); });
}

// The largest invariant floating expressions that load, call or divide.
void findInvariants(const Context& context, const Loop& loop, const Node& node, std::vector<const Node*>& found)
{
    if (isFloatingType(node.type) && node.kind != Kind::Opaque && !isStatement(node.kind) && hasWork(node)
        && context.dependence.invariant(node, loop)) {
        found.push_back(&node);
        return;
    }
    for (const auto& child : node.children)
        findInvariants(context, loop, *child, found);
}

using Finder = void (*)(const Context&, const Loop&, const Node&, std::vector<const Node*>&);

std::vector<const Node*> findIn(const Context& context, const Loop& loop, Finder finder)
{
    std::vector<const Node*> found;
    if (loop.canonical && loop.inner.empty() && !nestIsPinned(context.analysis, loop) && !loop.hasPragma("parallel")
        && !isLaneLoop(context.analysis, *loop.node))
        finder(context, loop, loop.body(), found);
    return found;
}

std::vector<Site> sitesOf(
    const Context& context, Finder finder, const std::string& name, const std::string& what, double weight)
{
    std::vector<Site> sites;
    for (const auto& loop : context.analysis.loops) {
        if (!findIn(context, loop, finder).empty())
            sites.push_back({ siteKey(name, loop), what + loopTitle(context.analysis, loop), weight,
                indexOf(context.analysis, loop), 0 });
    }
    return sites;
}

// One local per different expression.
std::optional<std::string> apply(const Context& context, const Site& site, bool division)
{
    const auto& analysis = context.analysis;
    const auto& loop = analysis.loop(site.loop);
    auto taken = identifiers(analysis.source);
    std::vector<std::pair<std::string, std::string>> named;
    std::string before;
    Edits edits;
    for (const auto* node : findIn(context, loop, division ? findDivisions : findInvariants)) {
        const auto& value = division ? node->child(1) : *node;
        const auto text = analysis.text(value);
        auto known = std::find_if(named.begin(), named.end(), [&](const auto& entry) { return entry.first == text; });
        if (known == named.end()) {
            const auto name = freshName(taken, division ? "reciprocal" : "invariant");
            taken.insert(name);
            named.emplace_back(text, name);
            known = named.end() - 1;
            const bool simple = value.kind == Kind::Name || value.kind == Kind::Call || value.kind == Kind::Paren
                || value.kind == Kind::Subscript;
            before += "const " + value.type + " " + name + " = " + (division ? "1 / " : "")
                + (simple || !division ? text : "(" + text + ")") + ";\n";
        }
        if (division)
            edits.replace({ node->child(0).range.end, value.range.end },
                std::string(node->op == "/" ? " * " : " *= ") + known->second);
        else
            edits.replace(node->range, known->second);
    }
    surround(analysis, loop, before, "", edits);
    return edits.applied(analysis.source);
}

} // namespace

const Move hoistDivision{ "reciprocal", "hoist", "multiply by a reciprocal instead of dividing by the same value",
    [](const Context& context) {
        return sitesOf(context, findDivisions, "reciprocal", "multiply by the reciprocal in ", 1);
    },
    [](const Context& context, const Site& site) { return apply(context, site, true); } };

const Move hoistInvariant{ "hoist", "hoist", "compute what does not change before the loop",
    [](const Context& context) {
        return sitesOf(context, findInvariants, "hoist", "compute what does not change before ", 0.4);
    },
    [](const Context& context, const Site& site) { return apply(context, site, false); } };

} // namespace rooftree::synth::transform
