// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/moves/moves.h"

namespace rooftree::synth::transform {

namespace {

// Every other loop may carry a sum into the same place: a[i][j] += ... in any order.
bool reorders(const Context& context, const Loop& loop)
{
    return context.dependence.test(loop).ok();
}

std::vector<Site> sites(const Context& context)
{
    std::vector<Site> found;
    for (const auto& outer : context.analysis.loops) {
        if (!outer.canonical || outer.perfect < 0 || nestIsPinned(context.analysis, outer))
            continue;
        const auto& inner = context.analysis.loop(outer.perfect);
        if (!inner.canonical || inner.hasPragma("simd") || inner.hasPragma("GCC") || outer.hasPragma("simd"))
            continue;
        if (mentionsSymbol(*inner.bound, outer.var) || mentionsSymbol(*inner.init, outer.var)
            || isLaneLoop(context.analysis, *inner.node))
            continue;
        if (!reorders(context, outer) || !reorders(context, inner) || outer.hasPragma("parallel"))
            continue;
        // Good when it brings stride one to the inside.
        const auto now = context.dependence.strides(inner);
        const auto then = context.dependence.strides(outer);
        const double weight = then.unit > now.unit && then.other < now.other ? 4 : then.unit > now.unit ? 2 : 0.3;
        found.push_back({ siteKey("interchange", outer),
            "swap the loops over " + context.analysis.varName(outer) + " and " + context.analysis.varName(inner)
                + " (line " + std::to_string(context.analysis.line(outer)) + ")",
            weight, indexOf(context.analysis, outer), 0 });
    }
    return found;
}

std::optional<std::string> apply(const Context& context, const Site& site)
{
    const auto& analysis = context.analysis;
    const auto& outer = analysis.loop(site.loop);
    const auto& inner = analysis.loop(outer.perfect);
    const auto first = headerText(analysis, outer);
    const auto second = headerText(analysis, inner);
    Edits edits;
    edits.replace({ outer.node->range.begin, outer.node->range.begin + first.size() }, second);
    edits.replace({ inner.node->range.begin, inner.node->range.begin + second.size() }, first);
    return edits.applied(analysis.source);
}

} // namespace

const Move interchange{ "interchange", "interchange", "swap two perfectly nested loops", sites, apply };

} // namespace rooftree::synth::transform
