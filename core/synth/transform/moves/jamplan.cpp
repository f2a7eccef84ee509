// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/moves/jamwriter.h"

#include "core/synth/transform/effects.h"

#include <algorithm>

namespace rooftree::synth::transform {

JamWriter::JamWriter(const Context& context, const Loop& loop, Kind kind)
    : m_context(context)
    , m_analysis(context.analysis)
    , m_loop(loop)
    , m_kind(kind)
{
    const auto taken = identifiers(m_analysis.source);
    const auto& var = m_analysis.varName(loop);
    m_strip = freshName(taken, var + "0");
    m_lane = freshName(taken, var.size() == 1 ? var + var : var + (kind == Kind::Lanes ? "Lane" : "Row"));
    m_factor = freshName(taken, (kind == Kind::Lanes ? "LANES_" : "ROWS_") + upperCase(var));
}

bool JamWriter::possible()
{
    if (nestIsPinned(m_analysis, m_loop) || hasParallelInside(m_analysis, m_loop) || m_loop.step != "1")
        return false;
    if (!m_context.dependence.test(m_loop).plain())
        return false;
    findDependent();
    m_items = plan(statementsOf(m_loop.body()));
    findExpanded(m_items);
    return !m_bad && jumpsAreContained(m_items, false) && expandable() && !shadowed();
}

void JamWriter::findDependent()
{
    m_uses = usesIn(m_loop.body());
    const auto& uses = m_uses;
    m_writtenArrays = m_context.dependence.writtenArrays(uses);
    for (const auto& use : uses.all) {
        if (use.write && use.node->kind == transform::Kind::Name)
            m_dependent.insert(use.symbol); // written more than once: taken to differ
    }
    // Counters of inner loops are written by their header, which counts as uniform when its expressions are.
    for (const auto& loop : m_analysis.loops) {
        if (loop.canonical && m_loop.body().range.contains(loop.node->range))
            m_dependent.erase(loop.var);
    }
    m_dependent.insert(m_loop.var);
    for (bool grown = true; grown;) {
        grown = false;
        for (const auto* variable : uses.declared) {
            const bool known = m_dependent.contains(variable->symbol);
            const auto& symbol = m_analysis.symbolOf(*variable);
            const bool differs = variable->children.empty() || symbol.array || depends(variable->child(0))
                || !(symbol.scalar() || symbol.pointer);
            if (!known && differs)
                grown = m_dependent.insert(variable->symbol).second;
        }
        for (const auto& loop : m_analysis.loops) {
            if (loop.canonical && m_loop.body().range.contains(loop.node->range) && depends(*loop.bound))
                grown = m_dependent.insert(loop.var).second || grown;
        }
    }
}

bool JamWriter::depends(const Node& expression) const
{
    const auto uses = usesIn(expression);
    if (uses.opaque || !callsArePure(uses))
        return true;
    return std::any_of(uses.all.begin(), uses.all.end(), [&](const Use& use) {
        const int array = use.node->kind == transform::Kind::Name ? -1 : m_context.dependence.affine().place(use).array;
        return m_dependent.contains(use.symbol) || m_writtenArrays.contains(array);
    });
}

bool JamWriter::changeless(const Node& declaration) const
{
    return std::all_of(declaration.children.begin(), declaration.children.end(), [&](const auto& variable) {
        const auto& symbol = m_analysis.symbolOf(*variable);
        return variable->children.size() == 1 && (symbol.scalar() || symbol.pointer) && !symbol.array
            && !m_context.dependence.affine().changes(variable->symbol);
    });
}

bool JamWriter::uniform(const Node& declaration) const
{
    return changeless(declaration)
        && std::all_of(declaration.children.begin(), declaration.children.end(),
            [&](const auto& variable) { return !m_dependent.contains(variable->symbol); });
}

bool JamWriter::replicable(const Node& declaration) const
{
    if (!changeless(declaration))
        return false;
    return std::all_of(declaration.children.begin(), declaration.children.end(), [&](const auto& variable) {
        const auto uses = usesIn(variable->child(0));
        if (uses.opaque || !uses.calls.empty())
            return false;
        return std::all_of(uses.all.begin(), uses.all.end(), [&](const Use& use) {
            const bool again = use.symbol == m_loop.var || !m_dependent.contains(use.symbol)
                || std::any_of(m_replicated.begin(), m_replicated.end(), [&](const Node* node) {
                       return std::any_of(node->children.begin(), node->children.end(),
                           [&](const auto& child) { return child->symbol == use.symbol; });
                   });
            const bool loads = use.node->kind != transform::Kind::Name;
            return again && !(loads && m_writtenArrays.contains(m_context.dependence.affine().place(use).array));
        });
    });
}

bool JamWriter::keepsFor(const Node& node) const
{
    const auto found = std::find_if(
        m_analysis.loops.begin(), m_analysis.loops.end(), [&](const Loop& loop) { return loop.node == &node; });
    if (found == m_analysis.loops.end() || !found->canonical || hasOwnJump(found->body(), transform::Kind::Break))
        return false;
    const bool same = !depends(*found->init) && !depends(*found->bound) && !depends(node.child(2));
    return same && !isLaneLoop(m_analysis, node);
}

std::vector<JamWriter::Item> JamWriter::plan(const std::vector<const Node*>& statements)
{
    std::vector<Item> items;
    bool open = false; // the last item is a run that takes more statements
    for (const auto* node : statements)
        planOne(*node, items, open);
    return items;
}

void JamWriter::planOne(const Node& node, std::vector<Item>& items, bool& open)
{
    using Form = Item::Form;
    if (node.kind == transform::Kind::Declaration && uniform(node)) {
        const auto at = open ? items.end() - 1 : items.end();
        items.insert(at, Item{ Form::Verbatim, { &node }, {}, {} });
        return;
    }
    if (node.kind == transform::Kind::Declaration && replicable(node)) {
        m_replicated.push_back(&node);
        return;
    }
    if (node.kind == transform::Kind::For && keepsFor(node)) {
        ++m_keptLoops;
        items.push_back({ Form::For, { &node }, plan(statementsOf(node.child(3))), {} });
        open = false;
        return;
    }
    if (node.kind == transform::Kind::If && !depends(node.child(0))) {
        const bool jump = hasOwnJump(node, transform::Kind::Continue);
        if (jump || containsLoop(node)) {
            Item item{ jump ? Form::Verbatim : Form::If, { &node }, {}, {} };
            m_bad = m_bad || (jump && statementsOf(node.child(1)).size() != 1);
            if (!jump)
                item.then = plan(statementsOf(node.child(1)));
            if (!jump && node.children.size() == 3) // the rest of another strip: not worth its own lanes
                item.otherwise = containsLoop(node.child(2))
                    ? std::vector<Item>{ { Form::Run, { &node.child(2) }, {}, {} } }
                    : plan(statementsOf(node.child(2)));
            items.push_back(std::move(item));
            open = false;
            return;
        }
    }
    if (!open)
        items.push_back({});
    items.back().nodes.push_back(&node);
    open = true;
}

// A continue in a lane loop skips the rest of that lane: right only when there is nothing but this run behind it.
bool JamWriter::jumpsAreContained(const std::vector<Item>& items, bool insideKeptLoop) const
{
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto& item = items[i];
        const bool last = i + 1 == items.size();
        if (item.form == Item::Form::Verbatim && !insideKeptLoop && item.nodes.front()->kind == transform::Kind::If)
            return false; // it would leave the strip instead of the iteration
        if (item.form == Item::Form::Run) {
            const bool jumps = std::any_of(item.nodes.begin(), item.nodes.end(),
                [](const Node* node) { return hasOwnJump(*node, transform::Kind::Continue); });
            if (jumps && !last)
                return false;
        }
        if (item.form == Item::Form::For && !jumpsAreContained(item.then, true))
            return false;
        if (item.form == Item::Form::If
            && (hasOwnJump(*item.nodes.front(), transform::Kind::Continue) || !jumpsAreContained(item.then, false)))
            return false;
    }
    return true;
}

void JamWriter::findExpanded(const std::vector<Item>& items)
{
    const auto& uses = m_uses;
    for (const auto& item : items) {
        findExpanded(item.then);
        findExpanded(item.otherwise);
        if (item.form != Item::Form::Run)
            continue;
        const Range run{ item.nodes.front()->range.begin, item.nodes.back()->range.end };
        for (const auto* node : item.nodes) {
            if (node->kind != transform::Kind::Declaration)
                continue;
            for (const auto& variable : node->children) {
                const bool outside = std::any_of(uses.all.begin(), uses.all.end(),
                    [&](const Use& use) { return use.symbol == variable->symbol && !run.contains(use.node->range); });
                if (outside)
                    m_expanded.push_back(variable->symbol);
            }
        }
    }
}

bool JamWriter::expandable() const
{
    return std::all_of(m_expanded.begin(), m_expanded.end(), [&](int index) {
        const auto& symbol = m_analysis.symbols[static_cast<std::size_t>(index)];
        if (symbol.scalar())
            return true;
        const bool plainArray = symbol.array && !symbol.pointer && m_kind == Kind::Rows
            && (isFloatingType(symbol.element) || symbol.element == "int" || symbol.element == "long");
        const auto& variable = *symbol.variable;
        const bool emptyInit = variable.children.empty() || m_analysis.text(variable.child(0)) == "{}";
        return plainArray && emptyInit && variable.parent && variable.parent->children.size() == 1;
    });
}

bool JamWriter::usedIn(int symbol, Range range) const
{
    return std::any_of(m_uses.all.begin(), m_uses.all.end(),
        [&](const Use& use) { return use.symbol == symbol && range.contains(use.node->range); });
}

// A name that means two things in the reach of one replacement.
bool JamWriter::shadowed() const
{
    const auto& var = m_analysis.varName(m_loop);
    return std::any_of(m_uses.declared.begin(), m_uses.declared.end(), [&](const Node* variable) {
        const auto& name = m_analysis.symbolOf(*variable).name;
        if (name == var)
            return true;
        return std::any_of(m_expanded.begin(), m_expanded.end(), [&](int index) {
            if (index == variable->symbol || m_analysis.symbols[static_cast<std::size_t>(index)].name != name)
                return false;
            const Node* statement =
                variable->parent; // the outermost statement that has this one and not the expanded one
            const auto& own = *m_analysis.symbols[static_cast<std::size_t>(index)].variable;
            while (statement && statement->parent && !statement->parent->range.contains(own.range))
                statement = statement->parent;
            return statement && usedIn(index, statement->range);
        });
    });
}

} // namespace rooftree::synth::transform
