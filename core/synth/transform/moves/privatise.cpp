// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/effects.h"
#include "core/synth/transform/moves/moves.h"

#include <algorithm>
#include <map>

namespace rooftree::synth::transform {

namespace {

// An array element that a loop adds to in every iteration.
struct Element {
    const Use* first = nullptr;
    std::vector<const Node*> all; // every mention in the loop
};

// The elements that could live in a local while the loop runs: the only places of their arrays that it touches.
std::map<int, Element> elementsOf(const Context& context, const Loop& loop, const Uses& uses)
{
    std::map<int, Element> elements;
    std::set<int> bad;
    const auto& reader = context.dependence.affine();
    for (const auto& use : uses.all) {
        if (use.node->kind != Kind::Subscript)
            continue;
        const auto place = reader.place(use);
        auto& element = elements[place.array];
        element.all.push_back(use.node);
        const bool still = place.known && !place.subscripts.empty()
            && std::none_of(use.subscripts.begin(), use.subscripts.end(), [&](const Node* subscript) {
                   return !context.dependence.invariant(*subscript, loop) || !simplePlace(*subscript);
               });
        if (!still || (use.op != "+=" && !(use.op.empty() && use.read)))
            bad.insert(place.array);
        if (!element.first)
            element.first = &use;
        else if (context.analysis.text(*element.first->node) != context.analysis.text(*use.node))
            bad.insert(place.array);
    }
    std::erase_if(elements, [&](const auto& entry) {
        const bool written = std::any_of(uses.all.begin(), uses.all.end(),
            [&](const Use& use) { return use.write && use.node == entry.second.all.front(); });
        return bad.contains(entry.first) || !written
            || !isFloatingType(elementType(context.analysis, *entry.second.first));
    });
    return elements;
}

std::vector<Site> sites(const Context& context)
{
    std::vector<Site> found;
    for (const auto& loop : context.analysis.loops) {
        if (!loop.canonical || loop.hasPragma("omp") || nestIsPinned(context.analysis, loop)
            || isLaneLoop(context.analysis, *loop.node))
            continue;
        const auto uses = usesIn(loop.body());
        if (uses.opaque || uses.jumps || !callsArePure(uses) || elementsOf(context, loop, uses).empty())
            continue;
        found.push_back(
            { siteKey("privatise", loop), "keep what " + loopTitle(context.analysis, loop) + " adds up in a local", 1.5,
                indexOf(context.analysis, loop), 0 });
    }
    return found;
}

std::optional<std::string> apply(const Context& context, const Site& site)
{
    const auto& analysis = context.analysis;
    const auto& loop = analysis.loop(site.loop);
    const auto uses = usesIn(loop.body());
    auto taken = identifiers(analysis.source);
    std::string before;
    std::string behind;
    Edits edits;
    for (const auto& [array, element] : elementsOf(context, loop, uses)) {
        const auto place = analysis.text(*element.first->node);
        const auto name = freshName(taken, analysis.symbolOf(*element.first->node->children.front()).name + "Acc");
        taken.insert(name);
        before += elementType(analysis, *element.first) + " " + name + " = " + place + ";\n";
        behind += place + " = " + name + ";\n";
        for (const auto* node : element.all)
            edits.replace(node->range, name);
    }
    surround(analysis, loop, before, behind, edits);
    return edits.applied(analysis.source);
}

} // namespace

const Move privatise{ "privatise", "privatise", "keep an array element that a loop adds to in a local", sites, apply };

} // namespace rooftree::synth::transform
