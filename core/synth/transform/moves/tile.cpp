// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/moves/moves.h"

#include <algorithm>
#include <set>

namespace rooftree::synth::transform {

namespace {

// The loops of a perfect nest that can be cut into tiles, outermost first; no more than three.
std::vector<const Loop*> nestAt(const Context& context, const Loop& outer)
{
    std::vector<const Loop*> nest;
    for (const Loop* at = &outer; nest.size() < 3;) {
        const bool dependsOnOuter = std::any_of(nest.begin(), nest.end(), [&](const Loop* loop) {
            return mentionsSymbol(*at->bound, loop->var) || mentionsSymbol(*at->init, loop->var);
        });
        if (dependsOnOuter || at->step != "1" || at->bound->kind == Kind::Literal || !context.dependence.test(*at).ok())
            break;
        nest.push_back(at);
        if (at->perfect < 0 || !context.analysis.loop(at->perfect).canonical)
            break;
        at = &context.analysis.loop(at->perfect);
    }
    return nest;
}

bool startsAtStrip(const Analysis& analysis, const Loop& loop)
{
    const Node& init = bare(*loop.init);
    return init.kind == Kind::Name && std::any_of(analysis.loops.begin(), analysis.loops.end(), [&](const Loop& other) {
        return other.var == init.symbol;
    });
}

std::vector<Site> sites(const Context& context)
{
    std::vector<Site> found;
    for (const auto& loop : context.analysis.loops) {
        if (!loop.canonical || nestIsPinned(context.analysis, loop) || startsAtStrip(context.analysis, loop))
            continue;
        const auto nest = nestAt(context, loop);
        for (std::size_t count = 2; count <= nest.size(); ++count) {
            const double weight = (context.bound == "memory" ? 1.6 : 0.8) * (nest.size() == count ? 1 : 0.5);
            found.push_back({ siteKey("tile", loop, std::to_string(count)),
                "tile " + std::to_string(count) + " loops from " + loopTitle(context.analysis, loop), weight,
                indexOf(context.analysis, loop), static_cast<int>(count) });
        }
    }
    return found;
}

// The loops over tiles, outermost first, and the loops inside a tile.
struct Nest {
    std::string strips;
    std::string points;
    std::string definitions;
};

void addLoop(const Analysis& analysis, const Loop& loop, const std::string& indent, const std::string& deeper,
    std::set<std::string>& taken, Nest& nest)
{
    const auto& var = analysis.varName(loop);
    const auto type = analysis.varType(loop);
    const auto strip = freshName(taken, var + "0");
    const auto size = freshName(taken, "TILE_" + upperCase(var));
    taken.insert({ strip, size });
    const auto upper = analysis.upper(loop);
    const bool first = nest.strips.empty();
    nest.definitions += tunableLine(size, 64, { 16, 32, 64, 128, 256 });
    nest.strips += (first ? "" : indent) + "for (" + type + " " + strip + " = " + analysis.text(*loop.init) + "; "
        + strip + " < " + upper + "; " + strip + " += " + size + ")\n";
    for (const auto& pragma : loop.pragmas) {
        if (!first) // the outermost ones stay above the nest
            nest.points += deeper + pragma.text + "\n";
    }
    nest.points += deeper + "for (" + type + " " + var + " = " + strip + "; " + var + " < std::min<" + type + ">("
        + strip + " + " + size + ", " + upper + "); ++" + var + ")";
}

std::optional<std::string> apply(const Context& context, const Site& site)
{
    const auto& analysis = context.analysis;
    const auto& outer = analysis.loop(site.loop);
    auto loops = nestAt(context, outer);
    loops.resize(std::min(loops.size(), static_cast<std::size_t>(site.variant)));
    auto taken = identifiers(analysis.source);
    std::string indent(indentAt(analysis.source, outer.node->range.begin));
    std::string deeper = indent;
    for (std::size_t i = 0; i < loops.size(); ++i)
        deeper += indentUnit;
    Nest nest;
    for (const auto* loop : loops) {
        addLoop(analysis, *loop, indent, deeper, taken, nest);
        nest.points += loop == loops.back() ? bodyText(analysis, *loop, deeper) : "\n";
        indent += indentUnit;
        deeper += indentUnit;
    }
    nest.points.pop_back();
    Edits edits;
    edits.replace(outer.node->range, nest.strips + nest.points);
    const auto aboutOneLoop = [](const std::string& text) {
        return text.find("simd") != std::string::npos || text.find("GCC") != std::string::npos;
    };
    removePragmas(outer, aboutOneLoop, edits);
    ensureInclude(analysis.source, "algorithm", edits);
    const auto& function = analysis.functions[static_cast<std::size_t>(outer.function)];
    addDefinitions(analysis.source, function.range.begin, nest.definitions, edits);
    return edits.applied(analysis.source);
}

} // namespace

const Move tile{ "tile", "tile", "cut a nest of loops into tiles that fit a cache", sites, apply };

} // namespace rooftree::synth::transform
