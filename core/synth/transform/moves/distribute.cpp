// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/moves/moves.h"

#include <algorithm>

namespace rooftree::synth::transform {

namespace {

//  for j                                  for j
//      float acc = 0;                         c[j] = 0;
//      for p                        ->    for j
//          acc += a[p] * b[p][j];             for p
//      c[j] = f(acc);                             c[j] += a[p] * b[p][j];
//                                         for j
//                                             c[j] = f(c[j]);
struct Parts {
    const Node* variable = nullptr; // acc
    const Loop* reduction = nullptr; // the loop over p
    const Node* store = nullptr; // the assignment to c[j]
};

const Loop* loopOf(const Analysis& analysis, const Node& node)
{
    const auto found = std::find_if(
        analysis.loops.begin(), analysis.loops.end(), [&](const Loop& loop) { return loop.node == &node; });
    return found == analysis.loops.end() ? nullptr : &*found;
}

std::optional<Parts> partsOf(const Context& context, const Loop& loop)
{
    const auto statements = statementsOf(loop.body());
    if (statements.size() != 3 || statements[0]->kind != Kind::Declaration || statements[0]->children.size() != 1)
        return std::nullopt;
    Parts parts;
    parts.variable = statements[0]->children.front().get();
    parts.reduction = loopOf(context.analysis, *statements[1]);
    parts.store = statements[2];
    const auto& symbol = context.analysis.symbolOf(*parts.variable);
    if (!symbol.floating() || parts.variable->children.size() != 1 || !parts.reduction || !parts.reduction->canonical
        || !parts.reduction->pragmas.empty())
        return std::nullopt;
    const auto& store = *parts.store;
    if (store.kind != Kind::Binary || store.op != "=" || store.child(0).kind != Kind::Subscript
        || store.child(0).type != symbol.element)
        return std::nullopt;
    if (!mentionsSymbol(store.child(1), parts.variable->symbol) || !simplePlace(store.child(0)))
        return std::nullopt;
    const auto target = usesIn(store.child(0)).all.back().symbol;
    const bool readInside = mentionsSymbol(*statements[1], target) || mentionsSymbol(store.child(1), target)
        || mentionsSymbol(*parts.variable, target);
    if (readInside || !reductionOf(context.analysis, parts.reduction->body(), parts.variable->symbol))
        return std::nullopt;
    return parts;
}

std::vector<Site> sites(const Context& context)
{
    std::vector<Site> found;
    for (const auto& loop : context.analysis.loops) {
        if (!loop.canonical || !loop.pragmas.empty() || nestIsPinned(context.analysis, loop)
            || !context.dependence.test(loop).plain() || !partsOf(context, loop))
            continue;
        const auto strides = context.dependence.strides(loop);
        found.push_back({ siteKey("distribute", loop),
            "add up in memory, in a perfect nest of its own, in " + loopTitle(context.analysis, loop),
            strides.unit > 0 ? 1.2 : 0.3, indexOf(context.analysis, loop), 0 });
    }
    return found;
}

std::optional<std::string> apply(const Context& context, const Site& site)
{
    const auto& analysis = context.analysis;
    const auto& loop = analysis.loop(site.loop);
    const auto parts = partsOf(context, loop);
    if (!parts)
        return std::nullopt;
    const auto& name = analysis.symbolOf(*parts->variable).name;
    const auto target = analysis.text(parts->store->child(0));
    const std::string indent(indentAt(analysis.source, loop.node->range.begin));
    const std::string deeper = indent + indentUnit;
    const auto header = headerText(analysis, loop);
    const auto& reduction = *parts->reduction->node;
    std::string out = header + "\n" + deeper + target + " = " + analysis.text(parts->variable->child(0)) + ";\n";
    const auto nest =
        reindented(slice(analysis.source, reduction.range), indentAt(analysis.source, reduction.range.begin), deeper);
    out += indent + header + "\n" + deeper + withIdentifier(nest, name, target);
    const auto value = analysis.text(parts->store->child(1));
    if (value != name)
        out += "\n" + indent + header + "\n" + deeper + target + " = " + withIdentifier(value, name, target) + ";";
    Edits edits;
    const bool alone = loop.node->parent && loop.node->parent->kind != Kind::Compound;
    edits.replace(loop.node->range, alone ? "{\n" + indent + out + "\n" + indent + "}" : out);
    return edits.applied(analysis.source);
}

} // namespace

const Move distributeAccumulator{ "distribute", "distribute",
    "turn an accumulator into the array element, so that the nest becomes perfect", sites, apply };

} // namespace rooftree::synth::transform
