// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/moves/moves.h"

#include <algorithm>

namespace rooftree::synth::transform {

namespace {

std::vector<Site> sites(const Context& context)
{
    std::vector<Site> found;
    for (const auto& loop : context.analysis.loops) {
        if (!loop.canonical || !loop.inner.empty() || loop.hasPragma("omp") || isLaneLoop(context.analysis, *loop.node))
            continue;
        const auto verdict = context.dependence.test(loop);
        if (!verdict.ok() || !verdict.arrayReductions.empty() || !verdict.privates.empty()
            || !verdict.firstPrivates.empty())
            continue;
        // Compilers vectorise the others themselves, but may not reorder a floating sum.
        const bool reduces = std::any_of(verdict.reductions.begin(), verdict.reductions.end(),
            [](const Reduction& r) { return isFloatingType(r.type); });
        const auto strides = context.dependence.strides(loop);
        const double weight = (reduces ? 2.5 : 0.6) * (strides.other > strides.unit ? 0.4 : 1);
        found.push_back({ siteKey("omp-simd", loop), "vectorise " + loopTitle(context.analysis, loop), weight,
            indexOf(context.analysis, loop), 0 });
    }
    // All of them at once: the innermost loops of a row operator want the same.
    const auto useful = std::count_if(found.begin(), found.end(),
        [&](const Site& site) { return !isRest(context.analysis, context.analysis.loop(site.loop)); });
    if (found.size() > 1)
        found.push_back({ "omp-simd:all", "vectorise all innermost loops", useful > 1 ? 4 : 0.1, -1, 0 });
    return found;
}

void addPragma(const Context& context, const Loop& loop, Edits& edits)
{
    const auto& source = context.analysis.source;
    const auto clauses = reductionClauses(context.analysis, context.dependence.test(loop).reductions);
    const auto indent = std::string(indentAt(source, loop.node->range.begin));
    removePragmas(
        loop, [](const std::string& text) { return text.find("GCC") != std::string::npos; }, edits);
    const bool own = firstOnLine(source, loop.node->range.begin);
    edits.insert(loop.node->range.begin, (own ? "" : "\n" + indent) + "#pragma omp simd" + clauses + "\n" + indent);
}

std::optional<std::string> apply(const Context& context, const Site& site)
{
    Edits edits;
    if (site.loop >= 0) {
        addPragma(context, context.analysis.loop(site.loop), edits);
    } else {
        for (const auto& each : sites(context)) {
            if (each.loop >= 0)
                addPragma(context, context.analysis.loop(each.loop), edits);
        }
    }
    return edits.applied(context.analysis.source);
}

} // namespace

const Move ompSimd{ "omp-simd", "omp-simd", "vectorise a loop, sums and extremes included", sites, apply };

} // namespace rooftree::synth::transform
