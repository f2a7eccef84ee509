// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/effects.h"

#include "core/synth/transform/affine.h"

#include <algorithm>
#include <map>

namespace rooftree::synth::transform {

namespace {

constexpr int maxDepth = 4; // of calls in calls

// Which argument a library function writes through, and which it reads from.
struct Library {
    std::size_t writes;
    std::size_t reads;
};
constexpr std::size_t nothing = 99;
const std::map<std::string, Library, std::less<>>& library()
{
    static const std::map<std::string, Library, std::less<>> list{ { "fill", { 0, nothing } },
        { "fill_n", { 0, nothing } }, { "memset", { 0, nothing } }, { "iota", { 0, nothing } },
        { "resize", { 0, nothing } }, { "assign", { 0, nothing } }, { "memcpy", { 0, 1 } }, { "memmove", { 0, 1 } },
        { "copy", { 2, 0 } }, { "copy_n", { 2, 0 } } };
    return list;
}

CallEffects summary(const Analysis& analysis, const Node& call, int depth);

class FunctionReader {
public:
    FunctionReader(const Analysis& analysis, const Function& function, int depth)
        : m_analysis(analysis)
        , m_function(function)
        , m_depth(depth)
        , m_reader(analysis)
    {
        m_effects.known = true;
        m_effects.writes.assign(function.parameters.size(), false);
        m_effects.reads.assign(function.parameters.size(), true);
    }

    CallEffects read()
    {
        const auto uses = usesIn(*m_function.body);
        m_effects.known = !uses.opaque;
        for (const auto& use : uses.all) {
            if (use.write)
                wrote(use.node->kind == Kind::Name ? use.symbol : m_reader.place(use).array,
                    use.node->kind == Kind::Name);
        }
        for (const auto* call : uses.calls) {
            const auto inner = summary(m_analysis, *call, m_depth + 1);
            m_effects.known = m_effects.known && inner.known;
            for (std::size_t i = 0; i < inner.writes.size() && i < call->children.size(); ++i) {
                if (inner.writes[i])
                    wroteThrough(call->child(i));
            }
        }
        return m_effects;
    }

private:
    void wrote(int symbol, bool name)
    {
        const auto& parameters = m_function.parameters;
        const auto at = std::find(parameters.begin(), parameters.end(), symbol);
        const auto& info = m_analysis.symbols[static_cast<std::size_t>(std::max(symbol, 0))];
        if (symbol < 0 || info.place == Place::Global || (at == parameters.end() && info.place == Place::Parameter)) {
            m_effects.known = false;
            return;
        }
        const bool own = name && info.canonical.find('&') == std::string::npos; // a parameter by value
        if (at != parameters.end() && !own)
            m_effects.writes[static_cast<std::size_t>(at - parameters.begin())] = true;
    }

    void wroteThrough(const Node& argument)
    {
        const auto access = m_reader.pointer(argument);
        if (access.array < 0)
            m_effects.known = false;
        else
            wrote(access.array, false);
    }

    const Analysis& m_analysis;
    const Function& m_function;
    int m_depth;
    AffineReader m_reader;
    CallEffects m_effects;
};

CallEffects summary(const Analysis& analysis, const Node& call, int depth)
{
    CallEffects effects;
    effects.writes.assign(call.children.size(), false);
    effects.reads.assign(call.children.size(), false);
    effects.known = isPureFunction(call.op);
    if (effects.known && !call.children.empty())
        effects.reads[0] = true; // of ranges the beginning counts
    if (effects.known || depth > maxDepth)
        return effects;
    if (const auto entry = library().find(call.op); entry != library().end()) {
        effects.known = entry->second.writes < call.children.size();
        for (std::size_t i = 0; i < call.children.size(); ++i) {
            effects.writes[i] = i == entry->second.writes;
            effects.reads[i] = i == entry->second.reads;
        }
        return effects;
    }
    const auto found = std::find_if(analysis.functions.begin(), analysis.functions.end(),
        [&](const Function& function) { return function.name == call.op; });
    if (found == analysis.functions.end() || found->parameters.size() != call.children.size())
        return effects;
    return FunctionReader(analysis, *found, depth).read();
}

} // namespace

CallEffects effectsOf(const Analysis& analysis, const Node& call)
{
    return summary(analysis, call, 0);
}

bool callsArePure(const Uses& uses)
{
    return std::all_of(uses.calls.begin(), uses.calls.end(), [](const Node* call) { return isPureFunction(call->op); });
}

} // namespace rooftree::synth::transform
