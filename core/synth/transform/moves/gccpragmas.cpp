// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/moves/moves.h"

// Hints to the compiler about one loop. They cannot stand together with OpenMP's directives.
namespace rooftree::synth::transform {

namespace {

constexpr int unrollFactors[] = { 4, 8 };

bool isFree(const Context& context, const Loop& loop)
{
    return loop.inner.empty() && loop.pragmas.empty() && !nestIsPinned(context.analysis, loop)
        && !isLaneLoop(context.analysis, *loop.node);
}

std::vector<Site> unrollSites(const Context& context)
{
    std::vector<Site> found;
    for (const auto& loop : context.analysis.loops) {
        if (!isFree(context, loop))
            continue;
        for (const int factor : unrollFactors)
            found.push_back({ siteKey("gcc-unroll", loop, std::to_string(factor)),
                "unroll " + loopTitle(context.analysis, loop) + " by " + std::to_string(factor),
                context.bound == "compute" ? 0.4 : 0.2, indexOf(context.analysis, loop), factor });
    }
    return found;
}

std::vector<Site> ivdepSites(const Context& context)
{
    std::vector<Site> found;
    for (const auto& loop : context.analysis.loops) {
        if (isFree(context, loop) && loop.canonical && context.dependence.test(loop).plain())
            found.push_back({ siteKey("gcc-ivdep", loop),
                "promise that iterations of " + loopTitle(context.analysis, loop) + " do not overlap", 0.2,
                indexOf(context.analysis, loop), 0 });
    }
    return found;
}

std::optional<std::string> withPragma(const Context& context, const Site& site, const std::string& pragma)
{
    const auto& source = context.analysis.source;
    const auto begin = context.analysis.loop(site.loop).node->range.begin;
    const auto indent = std::string(indentAt(source, begin));
    Edits edits;
    edits.insert(begin, (firstOnLine(source, begin) ? "" : "\n" + indent) + pragma + "\n" + indent);
    return edits.applied(source);
}

} // namespace

const Move gccUnroll{ "gcc-unroll", "unroll", "let the compiler unroll a loop", unrollSites,
    [](const Context& context, const Site& site) {
        return withPragma(context, site, "#pragma GCC unroll " + std::to_string(site.variant));
    } };

const Move gccIvdep{ "gcc-ivdep", "ivdep", "promise the compiler that a loop's accesses do not overlap", ivdepSites,
    [](const Context& context, const Site& site) { return withPragma(context, site, "#pragma GCC ivdep"); } };

} // namespace rooftree::synth::transform
