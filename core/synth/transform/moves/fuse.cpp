// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/effects.h"
#include "core/synth/transform/moves/moves.h"

#include "core/base/text.h"

#include <algorithm>

// Two loops into one, and one into two.
namespace rooftree::synth::transform {

namespace {

// Scalars: what one part sets, the other must not use. Arrays: only the same element in the same iteration.
bool partsAgree(
    const Context& context, const Loop& loop, const Uses& first, const Uses& second, int firstVar, int secondVar)
{
    const auto& reader = context.dependence.affine();
    if (!callsArePure(first) || !callsArePure(second))
        return false;
    for (const auto& a : first.all) {
        for (const auto& b : second.all) {
            if (!a.write && !b.write)
                continue;
            const bool scalars = a.node->kind == Kind::Name || b.node->kind == Kind::Name;
            if (scalars && a.symbol == b.symbol && a.node->kind == b.node->kind)
                return false;
            if (scalars)
                continue;
            const auto left = reader.place(a);
            const auto right = reader.place(b);
            if (!left.known || !right.known)
                return false;
            if (left.array != right.array)
                continue;
            Polynomial toFirst;
            toFirst.terms[{ firstVar }] = 1;
            for (std::size_t i = 0; i < left.subscripts.size() && i < right.subscripts.size(); ++i) {
                const auto factor = right.subscripts[i].coefficient(secondVar);
                Polynomial var;
                var.terms[{ secondVar }] = 1;
                const auto renamed = right.subscripts[i] - factor * var + factor * toFirst;
                if (!left.subscripts[i].mentions(loop.var) || !(left.subscripts[i] - renamed).isZero())
                    return false;
            }
        }
    }
    return true;
}

const Loop* nextLoop(const Analysis& analysis, const Loop& loop)
{
    const auto* parent = loop.node->parent;
    if (!parent || parent->kind != Kind::Compound)
        return nullptr;
    for (std::size_t i = 0; i + 1 < parent->children.size(); ++i) {
        if (parent->children[i].get() != loop.node)
            continue;
        const auto* next = parent->children[i + 1].get();
        const auto found = std::find_if(
            analysis.loops.begin(), analysis.loops.end(), [&](const Loop& other) { return other.node == next; });
        return found == analysis.loops.end() ? nullptr : &*found;
    }
    return nullptr;
}

bool fusible(const Context& context, const Loop& first, const Loop& second)
{
    const auto& analysis = context.analysis;
    if (!first.canonical || !second.canonical || headerText(analysis, first) != headerText(analysis, second)
        || nestIsPinned(analysis, first))
        return false;
    const bool samePragmas = second.pragmas.empty()
        || (first.pragmas.size() == second.pragmas.size()
            && std::equal(first.pragmas.begin(), first.pragmas.end(), second.pragmas.begin(),
                [](const Pragma& a, const Pragma& b) { return a.text == b.text; }));
    const auto one = usesIn(first.body());
    const auto two = usesIn(second.body());
    if (!samePragmas || one.opaque || two.opaque || one.jumps || two.jumps || hasOwnJump(first.body(), Kind::Continue)
        || hasOwnJump(first.body(), Kind::Break))
        return false;
    return !isLaneLoop(analysis, *first.node) && partsAgree(context, first, one, two, first.var, second.var);
}

std::vector<Site> fuseSites(const Context& context)
{
    std::vector<Site> sites;
    for (const auto& loop : context.analysis.loops) {
        const auto* next = nextLoop(context.analysis, loop);
        if (next && fusible(context, loop, *next))
            sites.push_back({ siteKey("fuse", loop), "fuse " + loopTitle(context.analysis, loop) + " with the next one",
                context.bound == "memory" ? 1.5 : 0.8, indexOf(context.analysis, loop), 0 });
    }
    return sites;
}

std::string blockContent(const Analysis& analysis, const Loop& loop, const std::string& indent)
{
    std::string out;
    for (const auto* statement : statementsOf(loop.body())) {
        for (const auto line : splitLines(slice(analysis.source, { statement->lead, statement->range.begin }))) {
            if (!trimmed(line).empty())
                out += indent + std::string(trimmed(line)) + "\n";
        }
        out += indent
            + reindented(
                slice(analysis.source, statement->range), indentAt(analysis.source, statement->range.begin), indent)
            + "\n";
    }
    return out;
}

std::optional<std::string> applyFuse(const Context& context, const Site& site)
{
    const auto& analysis = context.analysis;
    const auto& first = analysis.loop(site.loop);
    const auto& second = *nextLoop(analysis, first);
    const std::string indent(indentAt(analysis.source, first.node->range.begin));
    const auto deeper = indent + indentUnit;
    std::set<std::string> names;
    bool clash = false;
    for (const auto* variable : usesIn(first.body()).declared)
        names.insert(analysis.symbolOf(*variable).name);
    for (const auto* variable : usesIn(second.body()).declared)
        clash = clash || names.contains(analysis.symbolOf(*variable).name);
    std::string body = blockContent(analysis, first, deeper);
    body += clash ? deeper + "{\n" + blockContent(analysis, second, deeper + indentUnit) + deeper + "}\n"
                  : blockContent(analysis, second, deeper);
    Edits edits;
    edits.replace({ first.node->range.begin, second.node->range.end },
        headerText(analysis, first) + " {\n" + body + indent + "}");
    return edits.applied(analysis.source);
}

bool splittable(const Context& context, const Loop& loop, std::size_t at)
{
    const auto statements = statementsOf(loop.body());
    Uses parts[2];
    for (std::size_t i = 0; i < statements.size(); ++i) {
        auto uses = usesIn(*statements[i]);
        auto& part = parts[i < at ? 0 : 1];
        part.all.insert(part.all.end(), uses.all.begin(), uses.all.end());
        part.calls.insert(part.calls.end(), uses.calls.begin(), uses.calls.end());
        part.declared.insert(part.declared.end(), uses.declared.begin(), uses.declared.end());
        part.opaque = part.opaque || uses.opaque || uses.jumps;
    }
    if (parts[0].opaque || parts[1].opaque)
        return false;
    for (const auto* variable : parts[0].declared) {
        if (std::any_of(parts[1].all.begin(), parts[1].all.end(),
                [&](const Use& use) { return use.symbol == variable->symbol; }))
            return false;
    }
    return partsAgree(context, loop, parts[0], parts[1], loop.var, loop.var);
}

std::vector<Site> fissionSites(const Context& context)
{
    std::vector<Site> sites;
    for (const auto& loop : context.analysis.loops) {
        const auto statements = statementsOf(loop.body());
        if (!loop.canonical || !loop.pragmas.empty() || nestIsPinned(context.analysis, loop)
            || hasOwnJump(loop.body(), Kind::Continue) || hasOwnJump(loop.body(), Kind::Break)
            || isLaneLoop(context.analysis, *loop.node))
            continue;
        for (std::size_t at = 1; at < statements.size() && at < 8; ++at) {
            if (splittable(context, loop, at))
                sites.push_back({ siteKey("fission", loop, std::to_string(at)),
                    "split " + loopTitle(context.analysis, loop) + " behind its statement " + std::to_string(at), 0.7,
                    indexOf(context.analysis, loop), static_cast<int>(at) });
        }
    }
    return sites;
}

std::optional<std::string> applyFission(const Context& context, const Site& site)
{
    const auto& analysis = context.analysis;
    const auto& loop = analysis.loop(site.loop);
    const auto& second = *statementsOf(loop.body())[static_cast<std::size_t>(site.variant)];
    const std::string indent(indentAt(analysis.source, loop.node->range.begin));
    Edits edits;
    const bool own = firstOnLine(analysis.source, second.range.begin);
    const auto at = own ? std::min(second.lead, lineStart(analysis.source, second.range.begin)) : second.range.begin;
    edits.insert(at, indent + "}\n" + indent + headerText(analysis, loop) + " {\n");
    if (loop.node->parent && loop.node->parent->kind != Kind::Compound)
        surround(analysis, loop, "", "", edits);
    return edits.applied(analysis.source);
}

} // namespace

const Move fuse{ "fuse", "fuse", "make one loop of two", fuseSites, applyFuse };
const Move fission{ "fission", "fission", "make two loops of one", fissionSites, applyFission };

} // namespace rooftree::synth::transform
