// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/moves/moves.h"

#include <algorithm>
#include <set>

// The flags and compiler lines, which the tuner then varies.
namespace rooftree::synth::transform {

namespace {

constexpr const char* flagValues[] = { "-O3 -march=native", "-O3 -march=native -ffast-math",
    "-O3 -march=native -funroll-loops", "-O3 -march=native -mprefer-vector-width=512",
    "-O3 -march=native -ffast-math -mprefer-vector-width=512", "-O3 -march=native -ffast-math -fno-finite-math-only" };

// Compilers have vectors of exponentials and the like only when errors and rounding may differ.
bool callsMathematics(const Analysis& analysis)
{
    static const std::set<std::string> names{ "exp", "expf", "exp2", "log", "logf", "log2", "tanh", "tanhf", "erf",
        "erff", "sin", "cos", "pow", "powf" };
    return std::any_of(analysis.functions.begin(), analysis.functions.end(), [&](const Function& function) {
        const auto uses = usesIn(*function.body);
        return std::any_of(
            uses.calls.begin(), uses.calls.end(), [&](const Node* call) { return names.contains(call->op); });
    });
}

std::vector<Site> flagSites(const Context& context)
{
    if (hasDirectiveLine(context.analysis.source, "flags"))
        return {};
    return { { "flags:fast-math", "compile with -ffast-math", callsMathematics(context.analysis) ? 5.0 : 1.5, -1, 1 },
        { "flags:wide", "compile for vectors of 512 bits", 0.5, -1, 3 } };
}

std::optional<std::string> applyFlags(const Context& context, const Site& site)
{
    std::string list = std::string("\"") + flagValues[site.variant] + "\"";
    for (int i = 0; i < static_cast<int>(std::size(flagValues)); ++i) {
        if (i != site.variant)
            list += std::string(", \"") + flagValues[i] + "\"";
    }
    Edits edits;
    setDirectiveLine(context.analysis.source, "flags", "// rooftree: flags {" + list + "}", edits);
    return edits.applied(context.analysis.source);
}

std::vector<Site> compilerSites(const Context& context)
{
    if (!context.clang || hasDirectiveLine(context.analysis.source, "compiler"))
        return {};
    return { { "compiler", "compile with clang++", 0.6, -1, 0 } };
}

std::optional<std::string> applyCompiler(const Context& context, const Site&)
{
    Edits edits;
    setDirectiveLine(context.analysis.source, "compiler", "// rooftree: compiler {\"clang++\", \"g++\"}", edits);
    return edits.applied(context.analysis.source);
}

} // namespace

const Move flags{ "flags", "flags", "let the tuner choose among compiler flags", flagSites, applyFlags };
const Move compiler{ "compiler", "compiler", "let the tuner choose the compiler", compilerSites, applyCompiler };

} // namespace rooftree::synth::transform
