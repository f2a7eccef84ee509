// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/dependence.h"

#include <algorithm>

namespace rooftree::synth::transform {

std::set<int> DependenceTester::declaredIn(const Uses& uses) const
{
    std::set<int> declared;
    for (const auto* variable : uses.declared)
        declared.insert(variable->symbol);
    return declared;
}

Independence DependenceTester::test(const Loop& loop) const
{
    Independence out;
    const auto uses = usesIn(loop.body());
    if (!loop.canonical)
        out.why = "its header is not of the form for (i = a; i < b; i += c)";
    else if (uses.opaque)
        out.why = "something in it is not understood";
    else if (uses.jumps || hasOwnJump(loop.body(), Kind::Break))
        out.why = "it can end early";
    else if (const auto call = std::find_if(
                 uses.calls.begin(), uses.calls.end(), [](const Node* node) { return !isPureFunction(node->op); });
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

void DependenceTester::testArrays(const Loop& loop, const Uses& uses, Independence& out) const
{
    const auto declared = declaredIn(uses);
    std::vector<std::pair<const Use*, AffineReader::Access>> accesses;
    for (const auto& use : uses.all) {
        if (use.node->kind == Kind::Name)
            continue;
        auto place = m_affine.place(use);
        if (declared.contains(place.array))
            continue; // every iteration has its own
        if (!place.known && use.write) {
            out.why = "it writes through a pointer that is not followed";
            return;
        }
        accesses.emplace_back(&use, std::move(place));
    }
    std::set<int> added;
    for (const auto& [use, write] : accesses) {
        if (!use->write || added.contains(write.array))
            continue;
        for (const auto& [other, place] : accesses) {
            if (place.array != write.array)
                continue;
            const auto reason = conflict(loop, write, place);
            if (reason.empty())
                continue;
            const auto adds = [&, array = write.array](const auto& access) {
                return access.second.array != array || access.first->op == "+=" || access.first->op == "++"
                    || access.first->op == "-=";
            };
            if (!std::all_of(accesses.begin(), accesses.end(), adds)) {
                out.why = reason;
                return;
            }
            added.insert(write.array);
            out.arrayReductions.push_back(write.array);
            break;
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
        const bool apart =
            (difference.isConstant() && difference.constant() % stride != 0) || staysInStrip(loop, difference);
        return apart ? "" : "it reads what another iteration may have written";
    }
    // a[i * n + j] and a[i * n + k] are taken to be in row i both; a[(i - 1) * n + j] is another row.
    for (const auto& [monomial, value] : factor.terms) {
        if (difference.terms.contains(monomial))
            return "it reads what another iteration may have written";
    }
    return {};
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
    if (inside.opaque || std::any_of(inside.calls.begin(), inside.calls.end(), [](const Node* call) {
            return !isPureFunction(call->op);
        }))
        return false;
    const auto uses = usesIn(loop.body());
    if (uses.opaque)
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
