// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/moves/moves.h"

#include "core/base/text.h"

#include <algorithm>

// Loops hidden in a helper function become part of the nest around the call.
namespace rooftree::synth::transform {

namespace {

struct CallSite {
    const Node* call = nullptr;
    int caller = -1;
    int callee = -1;
};

bool isStatementOf(const Node& call)
{
    const auto* parent = call.parent;
    return parent
        && (parent->kind == Kind::Compound || (parent->kind == Kind::For && &parent->child(3) == &call)
            || (parent->kind == Kind::If && &parent->child(0) != &call));
}

bool canInline(const Analysis& analysis, const Node& call, const Function& callee)
{
    const auto uses = usesIn(*callee.body);
    if (callee.parameters.size() != call.children.size() || uses.jumps || hasOwnJump(*callee.body, Kind::Break))
        return false;
    return std::none_of(callee.parameters.begin(), callee.parameters.end(), [&](int symbol) {
        const auto& type = analysis.symbols[static_cast<std::size_t>(symbol)].type;
        return type.find('[') != std::string::npos || type.find('(') != std::string::npos;
    });
}

void findCalls(const Analysis& analysis, const Node& node, int caller, std::vector<CallSite>& found)
{
    if (node.kind == Kind::Call && isStatementOf(node)) {
        for (std::size_t i = 0; i < analysis.functions.size(); ++i) {
            const auto& callee = analysis.functions[i];
            if (callee.name == node.op && static_cast<int>(i) != caller && canInline(analysis, node, callee))
                found.push_back({ &node, caller, static_cast<int>(i) });
        }
    }
    for (const auto& child : node.children)
        findCalls(analysis, *child, caller, found);
}

std::vector<CallSite> callsIn(const Analysis& analysis)
{
    std::vector<CallSite> found;
    for (std::size_t i = 0; i < analysis.functions.size(); ++i)
        findCalls(analysis, *analysis.functions[i].body, static_cast<int>(i), found);
    return found;
}

std::vector<Site> sites(const Context& context)
{
    std::vector<Site> list;
    const auto& analysis = context.analysis;
    const auto calls = callsIn(analysis);
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const auto& callee = analysis.functions[static_cast<std::size_t>(calls[i].callee)];
        const auto& caller = analysis.functions[static_cast<std::size_t>(calls[i].caller)];
        list.push_back({ "inline:" + caller.name + "/" + callee.name + "#" + std::to_string(i),
            "put the body of " + callee.name + " where " + caller.name + " calls it (line "
                + std::to_string(lineNumber(analysis.source, calls[i].call->range.begin)) + ")",
            containsLoop(*callee.body) ? 1.5 : 0.2, -1, static_cast<int>(i) });
    }
    return list;
}

// "const float* row": libclang puts the blank before the star.
std::string declared(std::string type, const std::string& name)
{
    for (auto at = type.find(" *"); at != std::string::npos; at = type.find(" *"))
        type.erase(at, 1);
    for (auto at = type.find(" &"); at != std::string::npos; at = type.find(" &"))
        type.erase(at, 1);
    return type + " " + name;
}

// The parameters as locals, and the names that they get when an argument uses theirs.
std::string parameterLines(const Analysis& analysis, const CallSite& site, std::string& body, const std::string& indent)
{
    const auto& callee = analysis.functions[static_cast<std::size_t>(site.callee)];
    const auto written = writtenSymbols(analysis);
    auto taken = identifiers(analysis.source);
    std::string lines;
    for (std::size_t i = 0; i < callee.parameters.size(); ++i) {
        const auto& symbol = analysis.symbols[static_cast<std::size_t>(callee.parameters[i])];
        const auto argument = analysis.text(site.call->child(i));
        const bool reference = symbol.type.find('&') != std::string::npos;
        if (symbol.name.empty() || (argument == symbol.name && (reference || !written.contains(callee.parameters[i]))))
            continue;
        const bool clash = std::any_of(site.call->children.begin(), site.call->children.end(),
            [&](const auto& other) { return mentions(analysis.text(*other), symbol.name); });
        auto name = symbol.name;
        if (clash) {
            name = freshName(taken, name + "In");
            taken.insert(name);
            body = withIdentifier(body, symbol.name, name);
        }
        lines += indent + declared(symbol.type, name) + " = " + argument + ";\n";
    }
    return lines;
}

// What remains of "namespace { helper }".
std::string withoutEmptyNamespace(std::string source)
{
    static constexpr std::string_view head = "namespace {";
    const auto at = source.find(head);
    if (at == std::string::npos)
        return source;
    const auto end = source.find_first_not_of(" \n", at + head.size());
    if (end == std::string::npos || source[end] != '}')
        return source;
    return source.erase(at, std::min(source.find_first_not_of('\n', lineEnd(source, end)), source.size()) - at);
}

std::optional<std::string> apply(const Context& context, const Site& site)
{
    const auto& analysis = context.analysis;
    const auto& source = analysis.source;
    const auto calls = callsIn(analysis);
    const auto& call = calls[static_cast<std::size_t>(site.variant)];
    const auto& callee = analysis.functions[static_cast<std::size_t>(call.callee)];
    const std::string indent(indentAt(source, call.call->range.begin));
    const auto deeper = indent + indentUnit;
    const Range inside{ callee.body->range.begin + 1, callee.body->range.end - 1 };
    const auto text = trimmed(slice(source, inside));
    auto body =
        deeper + reindented(text, std::string(indentAt(source, callee.range.begin)) + indentUnit, deeper) + "\n";
    const auto lines = parameterLines(analysis, call, body, deeper);
    Edits edits;
    edits.replace(call.call->range, "{\n" + lines + body + indent + "}");
    // Nobody needs a helper that is called no more.
    const auto rest = blanked(source);
    int mentioned = 0;
    for (auto at = rest.find(callee.name); at != std::string::npos; at = rest.find(callee.name, at + 1))
        ++mentioned;
    if (mentioned == 2) {
        const auto from = aboveComments(source, lineStart(source, callee.range.begin));
        const auto to = std::min(source.find_first_not_of('\n', callee.range.end), source.size());
        edits.replace({ from, to }, "");
    }
    return withoutEmptyNamespace(edits.applied(source));
}

} // namespace

const Move inlineCall{ "inline", "inline", "put the body of a helper function where it is called", sites, apply };

} // namespace rooftree::synth::transform
