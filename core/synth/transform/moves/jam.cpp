// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/moves/jamwriter.h"
#include "core/synth/transform/moves/moves.h"

// The three moves that unroll and jam: vector lanes, rows around them, and both at once.
namespace rooftree::synth::transform {

namespace {

// Strips that a jam made are not jammed again, nor are the remainder loops that begin at one.
bool isStripOrRest(const Analysis& analysis, const Loop& loop)
{
    if (loop.step != "1" || loop.bound->kind == Kind::Literal)
        return true;
    const Node& init = bare(*loop.init);
    if (init.kind != Kind::Name)
        return false;
    for (int outer = loop.parent; outer >= 0; outer = analysis.loop(outer).parent) {
        if (analysis.loop(outer).var == init.symbol)
            return true;
    }
    return false;
}

std::vector<Site> jamSites(const Context& context, JamWriter::Kind kind)
{
    std::vector<Site> sites;
    const bool lanes = kind == JamWriter::Kind::Lanes;
    for (const auto& loop : context.analysis.loops) {
        if (!loop.canonical || isStripOrRest(context.analysis, loop))
            continue;
        JamWriter writer(context, loop, kind);
        if (!writer.possible() || writer.keptLoops() == 0)
            continue;
        const auto strides = context.dependence.strides(loop);
        const bool contiguous = strides.unit > 0 && !strides.storesOther;
        const double weight = lanes ? (contiguous && strides.other == 0 ? 5
                                      : contiguous                      ? 2
                                                                        : 0.2)
                                    : (strides.zero > 0 ? 3 : 0.7);
        const auto title = loopTitle(context.analysis, loop);
        sites.push_back({ siteKey(lanes ? "jam-lanes" : "jam-rows", loop),
            (lanes ? "vectorise across " : "unroll and jam ") + title, weight, indexOf(context.analysis, loop), 0 });
    }
    return sites;
}

std::optional<std::string> applyJam(const Context& context, const Site& site, JamWriter::Kind kind)
{
    JamWriter writer(context, context.analysis.loop(site.loop), kind);
    return writer.possible() ? std::optional(writer.apply()) : std::nullopt;
}

std::vector<Site> blockSites(const Context& context)
{
    std::vector<Site> sites;
    for (const auto& lanes : jamSites(context, JamWriter::Kind::Lanes)) {
        if (lanes.weight < 2)
            continue;
        const auto& inner = context.analysis.loop(lanes.loop);
        for (int outer = inner.parent; outer >= 0; outer = context.analysis.loop(outer).parent) {
            const auto& rows = context.analysis.loop(outer);
            if (isStripOrRest(context.analysis, rows) || !JamWriter(context, rows, JamWriter::Kind::Rows).possible())
                continue;
            // Lanes use a value of the row again and again, rows a vector of the lane.
            const auto strides = context.dependence.strides(rows);
            const double weight = strides.zero > 0 ? lanes.weight * 2.4 : lanes.weight * 0.3;
            const auto& name = context.analysis.varName(rows);
            sites.push_back({ siteKey("register-block", inner, name),
                "block registers over " + name + " and " + context.analysis.varName(inner) + " (line "
                    + std::to_string(context.analysis.line(inner)) + ")",
                weight, lanes.loop, outer });
        }
    }
    return sites;
}

std::optional<std::string> applyBlock(const Context& context, const Site& site)
{
    const auto rowsSignature = context.analysis.loop(site.variant).signature;
    const auto vectorised = applyJam(context, site, JamWriter::Kind::Lanes);
    const auto analysis = vectorised ? context.analyse(*vectorised) : nullptr;
    const Loop* rows = analysis ? analysis->findLoop(rowsSignature) : nullptr;
    if (!rows)
        return std::nullopt;
    const DependenceTester dependence(*analysis);
    const Context next{ *analysis, dependence, context.op, context.bound, context.threads, context.clang,
        context.analyse };
    JamWriter writer(next, *rows, JamWriter::Kind::Rows);
    return writer.possible() ? std::optional(writer.apply()) : std::nullopt;
}

} // namespace

const Move jamLanes{ "jam-lanes", "jam-lanes", "vectorise across an outer loop, with accumulators side by side",
    [](const Context& context) { return jamSites(context, JamWriter::Kind::Lanes); },
    [](const Context& context, const Site& site) { return applyJam(context, site, JamWriter::Kind::Lanes); } };

const Move jamRows{ "jam-rows", "unroll-jam", "unroll an outer loop and jam its copies into the inner ones",
    [](const Context& context) { return jamSites(context, JamWriter::Kind::Rows); },
    [](const Context& context, const Site& site) { return applyJam(context, site, JamWriter::Kind::Rows); } };

const Move registerBlock{ "register-block", "register-block",
    "keep a block of results in registers: lanes and rows at once", blockSites, applyBlock };

} // namespace rooftree::synth::transform
