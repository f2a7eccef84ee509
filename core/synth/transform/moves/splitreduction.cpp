// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/moves/moves.h"

#include "core/base/text.h"

#include <algorithm>

namespace rooftree::synth::transform {

namespace {

//  for c                                  float sumLanes[LANES];
//      sum += f(x[c]);            ->      for l: sumLanes[l] = 0;
//                                         for (c0 = 0; c0 < end; c0 += LANES)
//                                             for l: sumLanes[l] += f(x[c0 + l]);
//                                         for l: sum += sumLanes[l];
//                                         for (c = end; c < n; ++c): sum += f(x[c]);
std::vector<Site> sites(const Context& context)
{
    std::vector<Site> found;
    for (const auto& loop : context.analysis.loops) {
        if (!loop.canonical || !loop.inner.empty() || loop.step != "1" || loop.bound->kind == Kind::Literal
            || loop.hasPragma("omp") || nestIsPinned(context.analysis, loop))
            continue;
        const auto verdict = context.dependence.test(loop);
        if (!verdict.ok() || verdict.reductions.empty() || !verdict.privates.empty() || !verdict.firstPrivates.empty()
            || !verdict.arrayReductions.empty())
            continue;
        if (!std::all_of(verdict.reductions.begin(), verdict.reductions.end(),
                [](const Reduction& r) { return isFloatingType(r.type); }))
            continue;
        const auto strides = context.dependence.strides(loop);
        found.push_back(
            { siteKey("split-reduction", loop), "add up in several lanes in " + loopTitle(context.analysis, loop),
                strides.other > 0 ? 0.5 : 2, indexOf(context.analysis, loop), 0 });
    }
    return found;
}

struct Names {
    std::string lanes; // the macro
    std::string lane; // l
    std::string strip; // c0
    std::string end; // cEnd
};

std::string combined(const std::string& op, const std::string& a, const std::string& b)
{
    if (op == "max")
        return a + " = " + a + " > " + b + " ? " + a + " : " + b + ";";
    if (op == "min")
        return a + " = " + a + " < " + b + " ? " + a + " : " + b + ";";
    return a + " " + op + "= " + b + ";";
}

std::string laneLoop(const Names& names, const std::string& type, const std::string& indent)
{
    return indent + "for (" + type + " " + names.lane + " = 0; " + names.lane + " < " + names.lanes + "; ++"
        + names.lane + ")";
}

// Before the loop: an array of lanes for each reduction, with its neutral element.
std::string preparation(const Analysis& analysis, const Loop& loop, const std::vector<Reduction>& reductions,
    const Names& names, const std::string& indent)
{
    std::string out;
    std::string body;
    for (const auto& reduction : reductions) {
        const auto& name = analysis.symbols[static_cast<std::size_t>(reduction.symbol)].name;
        out += indent + reduction.type + " " + name + "Lanes[" + names.lanes + "];\n";
        body += indent + indentUnit + name + "Lanes[" + names.lane + "] = "
            + (reduction.op == "+"        ? "0"
                    : reduction.op == "*" ? "1"
                                          : name)
            + ";\n";
    }
    return out + laneLoop(names, analysis.varType(loop), indent) + " {\n" + body + indent + "}\n";
}

std::string mainLoop(const Analysis& analysis, const Loop& loop, const std::vector<Reduction>& reductions,
    const Names& names, const std::string& indent)
{
    const auto type = analysis.varType(loop);
    const auto& var = analysis.varName(loop);
    const auto lower = analysis.text(*loop.init);
    const auto upper = analysis.upper(loop);
    const bool zero = lower == "0";
    std::string out = indent + "const " + type + " " + names.end + " = " + upper + " - (" + upper
        + (zero ? "" : " - (" + lower + ")") + ") % " + names.lanes + ";\n";
    out += indent + "for (" + type + " " + names.strip + " = " + lower + "; " + names.strip + " < " + names.end + "; "
        + names.strip + " += " + names.lanes + ") {\n";
    const auto deeper = indent + indentUnit;
    out += deeper + "#pragma omp simd\n" + laneLoop(names, type, deeper) + " {\n";
    out += deeper + indentUnit + "const " + type + " " + var + " = " + names.strip + " + " + names.lane + ";\n";
    std::string body;
    for (const auto* statement : statementsOf(loop.body()))
        body += deeper + indentUnit
            + reindented(slice(analysis.source, statement->range), indentAt(analysis.source, statement->range.begin),
                deeper + indentUnit)
            + "\n";
    for (const auto& reduction : reductions) {
        const auto& name = analysis.symbols[static_cast<std::size_t>(reduction.symbol)].name;
        body = withIdentifier(body, name, name + "Lanes[" + names.lane + "]");
    }
    return out + body + deeper + "}\n" + indent + "}\n";
}

std::string completion(const Analysis& analysis, const Loop& loop, const std::vector<Reduction>& reductions,
    const Names& names, const std::string& indent)
{
    const auto type = analysis.varType(loop);
    const auto& var = analysis.varName(loop);
    std::string out = laneLoop(names, type, indent) + " {\n";
    for (const auto& reduction : reductions) {
        const auto& name = analysis.symbols[static_cast<std::size_t>(reduction.symbol)].name;
        out += indent + indentUnit + combined(reduction.op, name, name + "Lanes[" + names.lane + "]") + "\n";
    }
    out += indent + "}\n" + indent + "for (" + type + " " + var + " = " + names.end + "; " + var + " < "
        + analysis.upper(loop) + "; ++" + var + ")";
    return out + bodyText(analysis, loop, indent);
}

std::optional<std::string> apply(const Context& context, const Site& site)
{
    const auto& analysis = context.analysis;
    const auto& loop = analysis.loop(site.loop);
    const auto reductions = context.dependence.test(loop).reductions;
    const auto taken = identifiers(analysis.source);
    const auto& var = analysis.varName(loop);
    for (const auto& reduction : reductions) {
        if (taken.contains(analysis.symbols[static_cast<std::size_t>(reduction.symbol)].name + "Lanes"))
            return std::nullopt; // split already, in a scope around this one perhaps
    }
    const Names names{ freshName(taken, "LANES_" + upperCase(var)), freshName(taken, "lane"),
        freshName(taken, var + "0"), freshName(taken, var + "End") };
    const std::string outer(indentAt(analysis.source, loop.node->range.begin));
    const auto indent = outer + indentUnit;
    Edits edits;
    edits.replace(loop.node->range,
        "{\n" + preparation(analysis, loop, reductions, names, indent)
            + mainLoop(analysis, loop, reductions, names, indent)
            + completion(analysis, loop, reductions, names, indent) + outer + "}");
    removePragmas(
        loop, [](const std::string&) { return true; }, edits);
    const auto& function = analysis.functions[static_cast<std::size_t>(loop.function)];
    addDefinitions(analysis.source, function.range.begin, tunableLine(names.lanes, 32, { 8, 16, 32, 64 }), edits);
    return edits.applied(analysis.source);
}

} // namespace

const Move splitReduction{ "split-reduction", "split-reduction", "add up in several lanes side by side", sites, apply };

} // namespace rooftree::synth::transform
