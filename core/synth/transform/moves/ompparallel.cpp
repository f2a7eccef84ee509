// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/moves/moves.h"

#include <algorithm>

namespace rooftree::synth::transform {

namespace {

enum Variant { Static = 0, Dynamic = 1, Collapse = 2 };

const Function& functionOf(const Analysis& analysis, const Loop& loop)
{
    return analysis.functions[static_cast<std::size_t>(loop.function)];
}

// The size of an output as an expression over the function's own parameters: "bins". Inputs, outputs and axes come in
// the operator's order.
std::optional<std::string> sizeOf(const Context& context, const Function& function, int symbol)
{
    const auto& op = context.op;
    const auto tensors = op.inputs.size() + op.outputs.size();
    if (function.name != context.analysis.entry || function.parameters.size() != tensors + op.axes.size())
        return std::nullopt;
    const auto at =
        std::find(function.parameters.begin(), function.parameters.end(), symbol) - function.parameters.begin();
    const auto index = static_cast<std::size_t>(at);
    if (index < op.inputs.size() || index >= tensors)
        return std::nullopt;
    std::string size;
    for (const auto& dimension : op.outputs[index - op.inputs.size()].shape)
        size += (size.empty() ? "" : " * ")
            + (dimension.names().size() == 1 && dimension.text() == dimension.names().front()
                    ? dimension.text()
                    : "(" + dimension.text() + ")");
    for (std::size_t i = 0; i < op.axes.size(); ++i) {
        const auto& name = context.analysis.symbols[static_cast<std::size_t>(function.parameters[tensors + i])].name;
        if (mentions(size, op.axes[i].name)) {
            if (name.empty())
                return std::nullopt;
            size = withIdentifier(size, op.axes[i].name, name);
        }
    }
    return size;
}

// Clauses for everything that iterations share; nothing when there is no way.
std::optional<std::string> clausesFor(const Context& context, const Loop& loop)
{
    const auto verdict = context.dependence.test(loop);
    if (!verdict.ok())
        return std::nullopt;
    auto clauses = reductionClauses(context.analysis, verdict.reductions);
    std::string privates;
    for (const int symbol : verdict.privates)
        privates += (privates.empty() ? "" : ", ") + context.analysis.symbols[static_cast<std::size_t>(symbol)].name;
    if (!privates.empty())
        clauses += " private(" + privates + ")";
    std::string owned;
    for (const int symbol : verdict.firstPrivates)
        owned += (owned.empty() ? "" : ", ") + context.analysis.symbols[static_cast<std::size_t>(symbol)].name;
    if (!owned.empty())
        clauses += " firstprivate(" + owned + ")";
    for (const int symbol : verdict.arrayReductions) {
        const auto size = sizeOf(context, functionOf(context.analysis, loop), symbol);
        if (!size)
            return std::nullopt;
        clauses +=
            " reduction(+: " + context.analysis.symbols[static_cast<std::size_t>(symbol)].name + "[:" + *size + "])";
    }
    return clauses;
}

bool collapsible(const Context& context, const Loop& loop)
{
    if (loop.perfect < 0)
        return false;
    const auto& inner = context.analysis.loop(loop.perfect);
    return inner.canonical && inner.pragmas.empty() && inner.bound->kind != Kind::Literal
        && context.dependence.test(inner).plain() && !mentionsSymbol(*inner.bound, loop.var)
        && !mentionsSymbol(*inner.init, loop.var);
}

// Iterations of different length: bounds that come out of memory or depend on this loop.
bool uneven(const Context& context, const Loop& loop)
{
    return std::any_of(loop.inner.begin(), loop.inner.end(), [&](int index) {
        const auto& inner = context.analysis.loop(index);
        return inner.canonical
            && (!context.dependence.affine().read(*inner.bound).exact
                || context.dependence.affine().read(*inner.bound).mentions(loop.var));
    });
}

std::vector<Site> sites(const Context& context)
{
    std::vector<Site> found;
    const auto& analysis = context.analysis;
    std::vector<bool> covered(analysis.loops.size(), false); // a loop around it can be parallel already
    for (std::size_t i = 0; i < analysis.loops.size(); ++i) {
        const auto& loop = analysis.loops[i];
        if (loop.parent >= 0)
            covered[i] = covered[static_cast<std::size_t>(loop.parent)];
        if (!loop.canonical || insideParallel(analysis, loop) || hasParallelInside(analysis, loop)
            || isLaneLoop(analysis, *loop.node))
            continue;
        if (loop.hasPragma("omp tile") || loop.hasPragma("omp unroll") || !clausesFor(context, loop))
            continue;
        const double base = covered[i] ? 0.1 : loop.parent >= 0 ? 0.7 : heightOf(analysis, loop) == 1 ? 4 : 6;
        covered[i] = true;
        const auto index = static_cast<int>(i);
        const auto title = "parallelise " + loopTitle(analysis, loop);
        found.push_back({ siteKey("omp-parallel", loop), title, base, index, Static });
        if (!loop.pragmas.empty())
            continue;
        if (loop.parent < 0 && collapsible(context, loop))
            found.push_back({ siteKey("omp-parallel", loop, "collapse"), title + ", collapsed with the one inside",
                base * 0.2, index, Collapse });
        if (loop.parent < 0 && heightOf(analysis, loop) > 1)
            found.push_back({ siteKey("omp-parallel", loop, "dynamic"), title + ", scheduled dynamically",
                base * (uneven(context, loop) ? 0.6 : 0.08), index, Dynamic });
    }
    return found;
}

std::optional<std::string> apply(const Context& context, const Site& site)
{
    const auto& loop = context.analysis.loop(site.loop);
    const auto clauses = clausesFor(context, loop);
    if (!clauses)
        return std::nullopt;
    Edits edits;
    std::string pragma = "#pragma omp parallel for";
    if (loop.hasPragma("simd")) // one loop, both ways
        pragma += " simd";
    if (site.variant == Collapse)
        pragma += " collapse(2)";
    pragma += site.variant == Dynamic ? " schedule(dynamic, 16)" : " schedule(static)";
    removePragmas(
        loop,
        [](const std::string& text) {
            return text.find("omp simd") != std::string::npos || text.find("GCC") != std::string::npos;
        },
        edits);
    const auto indent = std::string(indentAt(context.analysis.source, loop.node->range.begin));
    const bool own = firstOnLine(context.analysis.source, loop.node->range.begin);
    edits.insert(loop.node->range.begin, (own ? "" : "\n" + indent) + pragma + *clauses + "\n" + indent);
    return edits.applied(context.analysis.source);
}

} // namespace

const Move ompParallel{ "omp-parallel", "omp-parallel", "share the iterations of a loop among the threads", sites,
    apply };

} // namespace rooftree::synth::transform
