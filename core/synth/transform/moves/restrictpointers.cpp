// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/moves/moves.h"

#include <algorithm>

namespace rooftree::synth::transform {

namespace {

bool canTake(const Symbol& symbol, const std::string& source)
{
    return symbol.pointer && !symbol.name.empty() && symbol.type.ends_with('*') && symbol.nameOffset < source.size()
        && source.compare(symbol.nameOffset, symbol.name.size(), symbol.name) == 0;
}

std::vector<Site> sites(const Context& context)
{
    std::vector<Site> found;
    const auto& functions = context.analysis.functions;
    for (std::size_t i = 0; i < functions.size(); ++i) {
        const auto pointers =
            std::count_if(functions[i].parameters.begin(), functions[i].parameters.end(), [&](int symbol) {
                return canTake(context.analysis.symbols[static_cast<std::size_t>(symbol)], context.analysis.source);
            });
        const bool has = context.analysis.source.find("__restrict") != std::string::npos;
        if (pointers > 1 && !has)
            found.push_back({ "restrict:" + functions[i].name,
                "promise that the arrays of " + functions[i].name + " do not overlap", 0.8, -1, static_cast<int>(i) });
    }
    return found;
}

std::optional<std::string> apply(const Context& context, const Site& site)
{
    Edits edits;
    for (const int index : context.analysis.functions[static_cast<std::size_t>(site.variant)].parameters) {
        const auto& symbol = context.analysis.symbols[static_cast<std::size_t>(index)];
        if (canTake(symbol, context.analysis.source))
            edits.insert(symbol.nameOffset, "__restrict ");
    }
    return edits.applied(context.analysis.source);
}

} // namespace

const Move restrictPointers{ "restrict", "restrict", "promise the compiler that arrays do not overlap", sites, apply };

} // namespace rooftree::synth::transform
