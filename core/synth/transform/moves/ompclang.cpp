// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/kernel/tunables.h"
#include "core/synth/transform/moves/moves.h"

// OpenMP 5.1's loop transformations, which clang++ knows and g++ 12 does not.
namespace rooftree::synth::transform {

namespace {

constexpr const char* version = "-fopenmp-version=51";

bool isFree(const Context& context, const Loop& loop)
{
    return context.clang && loop.canonical && !nestIsPinned(context.analysis, loop) && !loop.hasPragma("simd")
        && !loop.hasPragma("GCC") && !isLaneLoop(context.analysis, *loop.node);
}

std::vector<Site> tileSites(const Context& context)
{
    std::vector<Site> found;
    for (const auto& loop : context.analysis.loops) {
        if (!isFree(context, loop) || loop.perfect < 0)
            continue;
        const auto& inner = context.analysis.loop(loop.perfect);
        if (!isFree(context, inner) || !inner.pragmas.empty() || mentionsSymbol(*inner.bound, loop.var)
            || mentionsSymbol(*inner.init, loop.var))
            continue;
        if (!context.dependence.test(loop).plain())
            continue;
        found.push_back({ siteKey("omp-tile", loop),
            "tile " + loopTitle(context.analysis, loop) + " and the one inside (OpenMP 5.1)", 0.4,
            indexOf(context.analysis, loop), 0 });
    }
    return found;
}

std::vector<Site> unrollSites(const Context& context)
{
    std::vector<Site> found;
    for (const auto& loop : context.analysis.loops) {
        if (!isFree(context, loop) || !loop.inner.empty() || !loop.pragmas.empty())
            continue;
        found.push_back({ siteKey("omp-unroll", loop), "unroll " + loopTitle(context.analysis, loop) + " (OpenMP 5.1)",
            0.25, indexOf(context.analysis, loop), 0 });
    }
    return found;
}

std::optional<std::string> withDirective(const Context& context, const Site& site, const std::string& pragma)
{
    const auto& source = context.analysis.source;
    const auto& loop = context.analysis.loop(site.loop);
    Edits edits;
    const auto indent = std::string(indentAt(source, loop.node->range.begin));
    const bool own = firstOnLine(source, loop.node->range.begin);
    edits.insert(loop.node->range.begin, (own ? "" : "\n" + indent) + pragma + "\n" + indent);
    // clang++ 14 reads OpenMP 5.0 unless told otherwise.
    kernel::Candidate candidate;
    candidate.files = { { "kernel.cpp", source } };
    auto flags = join(kernel::buildOptions(candidate).flags, " ");
    if (flags.find(version) == std::string::npos)
        flags += std::string(" ") + version;
    setDirectiveLine(source, "flags", "// rooftree: flags {\"" + flags + "\"}", edits);
    setDirectiveLine(source, "compiler", "// rooftree: compiler {\"clang++\"}", edits);
    return edits.applied(source);
}

} // namespace

const Move ompTile{ "omp-tile", "omp-tile", "tile a nest with a directive of OpenMP 5.1", tileSites,
    [](const Context& context, const Site& site) {
        return withDirective(context, site, "#pragma omp tile sizes(32, 64)");
    } };

const Move ompUnroll{ "omp-unroll", "omp-unroll", "unroll a loop with a directive of OpenMP 5.1", unrollSites,
    [](const Context& context, const Site& site) {
        return withDirective(context, site, "#pragma omp unroll partial(4)");
    } };

} // namespace rooftree::synth::transform
