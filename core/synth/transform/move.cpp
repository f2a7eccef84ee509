// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/move.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>

namespace rooftree::synth::transform {

std::string loopTitle(const Analysis& analysis, const Loop& loop)
{
    const auto name = loop.var >= 0 ? "the loop over " + analysis.varName(loop) : std::string("a loop");
    return name + " (line " + std::to_string(analysis.line(loop)) + ")";
}

std::string siteKey(const std::string& move, const Loop& loop, const std::string& variant)
{
    return move + ":" + loop.signature + (variant.empty() ? "" : ":" + variant);
}

bool nestIsPinned(const Analysis& analysis, const Loop& loop)
{
    if (loop.hasPragma("collapse") || loop.hasPragma("omp tile") || loop.hasPragma("omp unroll"))
        return true;
    for (int outer = loop.parent; outer >= 0; outer = analysis.loop(outer).parent) {
        if (analysis.loop(outer).hasPragma("collapse") || analysis.loop(outer).hasPragma("omp tile"))
            return true;
    }
    return false;
}

bool insideParallel(const Analysis& analysis, const Loop& loop)
{
    for (const Loop* at = &loop;; at = &analysis.loop(at->parent)) {
        if (at->hasPragma("parallel") || at->hasPragma("omp for"))
            return true;
        if (at->parent < 0)
            break;
    }
    // A region that is not a loop's own: "#pragma omp parallel" over a block.
    const auto& range = analysis.functions[static_cast<std::size_t>(loop.function)].range;
    const auto before = analysis.source.substr(range.begin, loop.node->lead - range.begin);
    return before.find("#pragma omp parallel\n") != std::string::npos
        || before.find("#pragma omp parallel num") != std::string::npos;
}

bool hasParallelInside(const Analysis& analysis, const Loop& loop)
{
    return std::any_of(loop.inner.begin(), loop.inner.end(), [&](int inner) {
        const auto& child = analysis.loop(inner);
        return child.hasPragma("parallel") || child.hasPragma("omp for") || hasParallelInside(analysis, child);
    });
}

std::string reductionClauses(const Analysis& analysis, const std::vector<Reduction>& reductions)
{
    std::string out;
    for (const char* op : { "+", "*", "max", "min" }) {
        std::string names;
        for (const auto& reduction : reductions) {
            if (reduction.op == op)
                names +=
                    (names.empty() ? "" : ", ") + analysis.symbols[static_cast<std::size_t>(reduction.symbol)].name;
        }
        if (!names.empty())
            out += std::string(" reduction(") + op + ": " + names + ")";
    }
    return out;
}

int indexOf(const Analysis& analysis, const Loop& loop)
{
    return static_cast<int>(&loop - analysis.loops.data());
}

int heightOf(const Analysis& analysis, const Loop& loop)
{
    int height = 0;
    for (const int inner : loop.inner)
        height = std::max(height, heightOf(analysis, analysis.loop(inner)));
    return height + 1;
}

bool containsLoop(const Node& node)
{
    if (node.kind == Kind::For || node.kind == Kind::OtherStatement)
        return true;
    return std::any_of(
        node.children.begin(), node.children.end(), [](const auto& child) { return containsLoop(*child); });
}

bool isRest(const Analysis& analysis, const Loop& loop)
{
    for (const Node* node = loop.node; node->parent; node = node->parent) {
        const auto& parent = *node->parent;
        if (parent.kind == Kind::If && parent.children.size() == 3 && &parent.child(2) == node
            && parent.child(0).kind == Kind::Binary && parent.child(0).op == "<=")
            return true;
    }
    return loop.canonical && analysis.text(*loop.init).ends_with("End");
}

// A constant by name: the factor of a jam. Loops over three taps of a filter are ordinary ones.
static bool isNamedConstant(const Analysis& analysis, const Node& node)
{
    const auto text = analysis.text(node);
    return node.kind == Kind::Literal && !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

bool isLaneLoop(const Analysis& analysis, const Node& node)
{
    if (node.kind != Kind::For)
        return false;
    const auto found = std::find_if(
        analysis.loops.begin(), analysis.loops.end(), [&](const Loop& loop) { return loop.node == &node; });
    if (found == analysis.loops.end() || !found->canonical || !isNamedConstant(analysis, *found->bound))
        return false;
    return std::all_of(found->inner.begin(), found->inner.end(),
        [&](int inner) { return isLaneLoop(analysis, *analysis.loop(inner).node); });
}

std::string upperCase(std::string_view text)
{
    std::string out;
    for (const char c : text)
        out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return out;
}

std::string tunableLine(const std::string& name, int value, const std::vector<int>& values)
{
    std::string list;
    for (const int v : values)
        list += (list.empty() ? "" : ", ") + std::to_string(v);
    return "#define " + name + " " + std::to_string(value) + " // rooftree: tune {" + list + "}\n";
}

void removePragmas(const Loop& loop, const std::function<bool(const std::string&)>& test, Edits& edits)
{
    for (const auto& pragma : loop.pragmas) {
        if (test(pragma.text))
            edits.replace(pragma.line, "");
    }
}

void surround(
    const Analysis& analysis, const Loop& loop, const std::string& before, const std::string& behind, Edits& edits)
{
    const auto& node = *loop.node;
    const bool inBlock = node.parent && node.parent->kind == Kind::Compound;
    const bool own = firstOnLine(analysis.source, node.range.begin);
    const auto indent = std::string(indentAt(analysis.source, node.range.begin));
    std::string above = inBlock ? "" : (own ? indent : "") + "{\n";
    for (const auto line : splitLines(before))
        above += indent + std::string(line) + "\n";
    std::string below;
    for (const auto line : splitLines(behind))
        below += "\n" + indent + std::string(line);
    if (!inBlock)
        below += "\n" + indent + "}";
    if (!own)
        above = (inBlock ? "\n" : "") + above + indent;
    edits.insert(own ? node.lead : node.range.begin, above);
    edits.insert(node.range.end, below);
}

std::string bodyText(const Analysis& analysis, const Loop& loop, const std::string& indent)
{
    const auto& body = loop.body();
    const auto& source = analysis.source;
    if (body.kind == Kind::Compound)
        return " " + reindented(slice(source, body.range), indentAt(source, loop.node->range.begin), indent) + "\n";
    const auto deeper = indent + indentUnit;
    std::string out = "\n";
    for (const auto line : splitLines(slice(source, { body.lead, body.range.begin }))) {
        if (!trimmed(line).empty())
            out += deeper + std::string(trimmed(line)) + "\n";
    }
    return out + deeper + reindented(slice(source, body.range), indentAt(source, body.range.begin), deeper) + "\n";
}

std::string headerText(const Analysis& analysis, const Loop& loop)
{
    const auto begin = loop.node->range.begin;
    const auto close = analysis.source.find(')', loop.node->child(2).range.end);
    return std::string(slice(analysis.source, { begin, close + 1 }));
}

bool simplePlace(const Node& subscript)
{
    const auto uses = usesIn(subscript);
    return !uses.opaque && uses.calls.empty()
        && std::none_of(uses.all.begin(), uses.all.end(), [](const Use& use) { return use.write; });
}

std::string elementType(const Analysis& analysis, const Use& use)
{
    return use.symbol < 0 ? std::string() : analysis.symbols[static_cast<std::size_t>(use.symbol)].element;
}

} // namespace rooftree::synth::transform
