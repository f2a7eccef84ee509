// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/dependence.h"

#include "core/synth/transform/effects.h"

#include <algorithm>

namespace rooftree::synth::transform {

std::set<int> DependenceTester::declaredIn(const Uses& uses) const
{
    std::set<int> declared;
    for (const auto* variable : uses.declared)
        declared.insert(variable->symbol);
    return declared;
}

const Independence& DependenceTester::test(const Loop& loop) const
{
    const auto [known, isNew] = m_tested.try_emplace(&loop);
    if (isNew)
        known->second = tested(loop);
    return known->second;
}

Independence DependenceTester::tested(const Loop& loop) const
{
    Independence out;
    const auto uses = usesIn(loop.body());
    if (!loop.canonical)
        out.why = "its header is not of the form for (i = a; i < b; i += c)";
    else if (uses.opaque)
        out.why = "something in it is not understood";
    else if (uses.jumps || hasOwnJump(loop.body(), Kind::Break))
        out.why = "it can end early";
    else if (const auto call = std::find_if(uses.calls.begin(), uses.calls.end(),
                 [&](const Node* node) { return !effectsOf(m_analysis, *node).known; });
             call != uses.calls.end())
        out.why = "it calls " + (*call)->op;
    if (out.ok())
        testScalars(loop, uses, out);
    if (out.ok())
        testArrays(loop, uses, out);
    return out;
}

void DependenceTester::testScalars(const Loop& loop, const Uses& uses, Independence& out) const
{
    const auto declared = declaredIn(uses);
    std::set<int> written;
    for (const auto& use : uses.all) {
        if (use.write && use.node->kind == Kind::Name && !declared.contains(use.symbol))
            written.insert(use.symbol);
    }
    for (const int symbol : written) {
        const auto& name = m_analysis.symbols[static_cast<std::size_t>(symbol)].name;
        if (symbol == loop.var) {
            out.why = "it changes its own counter";
            return;
        }
        if (const auto reduction = reductionOf(m_analysis, loop.body(), symbol)) {
            out.reductions.push_back(*reduction);
            continue;
        }
        // The first thing that a body does with a private is to set it, unconditionally.
        const auto first =
            std::find_if(uses.all.begin(), uses.all.end(), [&](const Use& use) { return use.symbol == symbol; });
        const bool setFirst = first != uses.all.end() && first->op == "=" && first->assignment
            && (first->assignment->parent == &loop.body() || first->assignment == &loop.body());
        if (!setFirst) {
            out.why = name + " carries a value from one iteration to the next";
            return;
        }
        out.privates.push_back(symbol);
    }
}

std::optional<std::vector<DependenceTester::Touch>> DependenceTester::touches(const Uses& uses) const
{
    int extent = -2; // what a call does from its pointer on: a distance that nothing else has
    std::vector<Touch> out;
    for (const auto& use : uses.all) {
        if (use.node->kind == Kind::Name)
            continue;
        auto access = m_affine.place(use);
        if (!access.known && use.write)
            return std::nullopt;
        out.push_back({ std::move(access), use.write, use.op == "+=" || use.op == "++" || use.op == "-=" });
    }
    for (const auto* call : uses.calls) {
        const auto effects = effectsOf(m_analysis, *call);
        for (std::size_t i = 0; i < call->children.size() && i < effects.writes.size(); ++i) {
            const bool reads = effects.reads[i] && bare(call->child(i)).type.ends_with('*');
            if (!effects.writes[i] && !reads)
                continue;
            auto access = m_affine.pointer(call->child(i));
            if (!access.known && effects.writes[i])
                return std::nullopt;
            if (!access.known)
                continue;
            access.subscripts.front().terms[{ extent-- }] = 1;
            out.push_back({ std::move(access), effects.writes[i], false });
        }
    }
    return out;
}

std::set<int> DependenceTester::writtenArrays(const Uses& uses) const
{
    std::set<int> arrays;
    for (const auto& touch : touches(uses).value_or(std::vector<Touch>{})) {
        if (touch.write)
            arrays.insert(touch.access.array);
    }
    return arrays;
}

// A container or array of this function: every thread can have one.
bool DependenceTester::ownable(int symbol) const
{
    const auto& info = m_analysis.symbols[static_cast<std::size_t>(symbol)];
    return info.place == Place::Local && !info.pointer && !info.constant
        && info.canonical.find('&') == std::string::npos;
}

void DependenceTester::testArrays(const Loop& loop, const Uses& uses, Independence& out) const
{
    auto all = touches(uses);
    if (!all) {
        out.why = "it writes through a pointer that is not followed";
        return;
    }
    const auto declared = declaredIn(uses); // what is declared inside belongs to the iteration
    std::erase_if(*all, [&](const Touch& touch) { return declared.contains(touch.access.array); });
    std::set<int> settled;
    for (const auto& write : *all) {
        const int array = write.access.array;
        if (!write.write || settled.contains(array))
            continue;
        const auto others = [&](const Touch& touch) { return touch.access.array == array; };
        std::string reason;
        for (const auto& other : *all) {
            if (reason.empty() && others(other))
                reason = conflict(loop, write.access, other.access);
        }
        if (reason.empty())
            continue;
        settled.insert(array);
        if (std::all_of(all->begin(), all->end(), [&](const Touch& touch) { return !others(touch) || touch.adds; })) {
            out.arrayReductions.push_back(array);
        } else if (ownable(array)) {
            out.firstPrivates.push_back(array);
        } else {
            out.why = reason;
            return;
        }
    }
}

std::string DependenceTester::conflict(
    const Loop& loop, const AffineReader::Access& write, const AffineReader::Access& other) const
{
    std::string reason;
    for (std::size_t i = 0; i < write.subscripts.size() && i < other.subscripts.size(); ++i) {
        reason = conflictIn(loop, write.subscripts[i], other.subscripts[i]);
        if (reason.empty())
            return {}; // one dimension that keeps the iterations apart is enough
    }
    return reason.empty() ? "it writes one place in every iteration" : reason;
}

std::string DependenceTester::conflictIn(const Loop& loop, const Polynomial& write, const Polynomial& other) const
{
    const auto factor = write.coefficient(loop.var);
    if (write.hidden.contains(loop.var))
        return "it writes at places that it computes";
    if (factor.terms.empty())
        return "it writes one place in every iteration";
    if (other.hidden.contains(loop.var))
        return "it reads what another iteration may have written";
    const auto difference = write - other;
    if (difference.terms.empty())
        return {};
    const auto otherFactor = other.coefficient(loop.var);
    if (!(factor - otherFactor).terms.empty())
        return "it reads what another iteration may have written";
    if (factor.isConstant()) {
        // a[i] and a[i - 1], or a[i] and a[k]; a[4 * i] and a[4 * i + 1] are apart.
        const auto stride = std::max<int64_t>(1, std::abs(factor.constant()));
        const bool apart = (difference.isConstant() && difference.constant() % stride != 0)
            || staysInStrip(loop, difference) || liesBehind(loop, difference);
        return apart ? "" : "it reads what another iteration may have written";
    }
    return sameInAnother(factor, difference) ? "it reads what another iteration may have written" : "";
}

// a[i * n + j] and a[i * n + k] are taken to be in row i both; a[(i - 1) * n + j] is another row: the difference has a
// whole number of the factors in it.
bool DependenceTester::sameInAnother(const Polynomial& factor, const Polynomial& difference)
{
    std::optional<int64_t> times;
    for (const auto& [monomial, value] : factor.terms) {
        const auto found = difference.terms.find(monomial);
        const int64_t here = found == difference.terms.end() ? 0 : found->second;
        if (here % value != 0 || (times && *times != here / value))
            return false;
        times = here / value;
    }
    return times && *times != 0;
}

// out[i] and out[half + i] with i < half.
bool DependenceTester::liesBehind(const Loop& loop, const Polynomial& difference) const
{
    const auto bound = m_affine.read(*loop.bound);
    return bound.exact && !bound.isConstant()
        && ((difference - bound).terms.empty() || (difference + bound).terms.empty());
}

// Strips begin STEP apart, and what loops inside add to that stays within one.
bool DependenceTester::staysInStrip(const Loop& loop, const Polynomial& difference) const
{
    if (loop.step == "1" || !difference.exact)
        return false;
    return std::all_of(difference.terms.begin(), difference.terms.end(), [&](const auto& term) {
        return term.first.size() == 1
            && std::any_of(m_analysis.loops.begin(), m_analysis.loops.end(), [&](const Loop& inner) {
                   return inner.var == term.first.front() && loop.body().range.contains(inner.node->range);
               });
    });
}

DependenceTester::Strides DependenceTester::strides(const Loop& loop) const
{
    Strides out;
    if (!loop.canonical)
        return out;
    for (const auto& use : usesIn(loop.body()).all) {
        if (use.node->kind != Kind::Subscript)
            continue;
        const auto place = m_affine.place(use);
        if (!place.known || place.subscripts.empty())
            continue;
        const auto& last = place.subscripts.back();
        const auto factor = last.coefficient(loop.var);
        const bool unit = factor.isConstant() && factor.constant() == 1 && !last.hidden.contains(loop.var);
        const bool zero = !std::any_of(
            place.subscripts.begin(), place.subscripts.end(), [&](const auto& p) { return p.mentions(loop.var); });
        ++(unit ? out.unit : zero ? out.zero : out.other);
        out.storesUnit = out.storesUnit || (use.write && unit);
        out.storesOther = out.storesOther || (use.write && !unit);
    }
    return out;
}

bool DependenceTester::invariant(const Node& expression, const Loop& loop) const
{
    const auto inside = usesIn(expression);
    const auto uses = usesIn(loop.body());
    if (inside.opaque || uses.opaque || !callsArePure(inside) || !callsArePure(uses))
        return false;
    auto changing = declaredIn(uses);
    changing.insert(loop.var);
    for (const auto& use : uses.all) {
        if (use.write)
            changing.insert(use.node->kind == Kind::Name ? use.symbol : m_affine.place(use).array);
    }
    return std::all_of(inside.all.begin(), inside.all.end(), [&](const Use& use) {
        const int array = use.node->kind == Kind::Name ? use.symbol : m_affine.place(use).array;
        return !use.write && !changing.contains(use.symbol) && !changing.contains(array);
    });
}

} // namespace rooftree::synth::transform
