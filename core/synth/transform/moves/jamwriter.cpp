// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/moves/jamwriter.h"

#include "core/base/text.h"

#include <algorithm>

namespace rooftree::synth::transform {

namespace {

bool isVectorPragma(std::string_view line)
{
    return line.find("simd") != std::string_view::npos || line.find("ivdep") != std::string_view::npos;
}

std::string withoutConst(const std::string& type)
{
    return type.starts_with("const ") ? type.substr(6) : type;
}

} // namespace

// The text of a range with the element of the lane for every local that became an array.
std::string JamWriter::withLanes(Range range) const
{
    std::string text(slice(m_analysis.source, range));
    for (const int index : m_expanded) {
        if (!usedIn(index, range))
            continue;
        const auto& name = m_analysis.symbols[static_cast<std::size_t>(index)].name;
        std::string kept;
        for (const auto line : splitLines(text)) { // a clause cannot name an element
            if (!(trimmed(line).starts_with("#pragma") && mentions(line, name)))
                kept += (kept.empty() ? "" : "\n") + std::string(line);
        }
        text = withIdentifier(kept, name, name + "[" + m_lane + "]");
    }
    return text;
}

std::string JamWriter::leadText(const Node& node, const std::string& indent, bool keepsVector) const
{
    std::string out;
    for (const auto line : splitLines(slice(m_analysis.source, { node.lead, node.range.begin }))) {
        const auto text = trimmed(line);
        const bool names = std::any_of(m_expanded.begin(), m_expanded.end(),
            [&](int index) { return mentions(text, m_analysis.symbols[static_cast<std::size_t>(index)].name); });
        if (text.empty() || (text.starts_with("#pragma") && (names || (!keepsVector && isVectorPragma(text)))))
            continue;
        out += indent + std::string(text) + "\n";
    }
    return out;
}

std::string JamWriter::statementText(const Node& node, const std::string& indent) const
{
    if (node.kind == transform::Kind::Declaration)
        return declarationText(node, indent);
    if (node.kind == transform::Kind::Compound) {
        std::string out;
        for (const auto& child : node.children)
            out += statementText(*child, indent);
        return out;
    }
    const auto from = indentAt(m_analysis.source, node.range.begin);
    const auto body = withLanes(node.range);
    return leadText(node, indent, true) + indent + reindented(body, from, indent) + "\n";
}

std::string JamWriter::declarationText(const Node& node, const std::string& indent) const
{
    const auto expanded = [&](int symbol) {
        return std::find(m_expanded.begin(), m_expanded.end(), symbol) != m_expanded.end();
    };
    if (std::none_of(node.children.begin(), node.children.end(),
            [&](const auto& variable) { return expanded(variable->symbol); }))
        return indent + reindented(withLanes(node.range), indentAt(m_analysis.source, node.range.begin), indent) + "\n";
    std::string out;
    for (const auto& variable : node.children) {
        const auto& symbol = m_analysis.symbolOf(*variable);
        const bool array = symbol.array;
        const auto value =
            variable->children.empty() || array ? std::string() : " = " + withLanes(variable->child(0).range);
        if (!expanded(variable->symbol))
            out += indent + symbol.type + " " + symbol.name + value + ";\n";
        else if (!value.empty())
            out += indent + symbol.name + "[" + m_lane + "]" + value + ";\n";
    }
    return out;
}

void JamWriter::writeExpandedDeclarations(const Item& item, const std::string& indent, std::string& out) const
{
    for (const auto* node : item.nodes) {
        if (node->kind != transform::Kind::Declaration)
            continue;
        for (const auto& variable : node->children) {
            if (std::find(m_expanded.begin(), m_expanded.end(), variable->symbol) == m_expanded.end())
                continue;
            const auto& symbol = m_analysis.symbolOf(*variable);
            if (symbol.array) {
                auto text = m_analysis.text(*node);
                text.insert(symbol.nameOffset + symbol.name.size() - node->range.begin, "[" + m_factor + "]");
                out += indent + text + "\n";
            } else {
                const auto type = symbol.type.find("auto") != std::string::npos ? symbol.canonical : symbol.type;
                out += indent + withoutConst(type) + " " + symbol.name + "[" + m_factor + "];\n";
            }
        }
    }
}

// The counter itself and the locals that are computed anew, as far as the text needs them.
std::string JamWriter::repeated(const std::string& body, const std::string& indent) const
{
    std::string needed;
    for (auto it = m_replicated.rbegin(); it != m_replicated.rend(); ++it) {
        const bool used = std::any_of((*it)->children.begin(), (*it)->children.end(), [&](const auto& variable) {
            const auto& name = m_analysis.symbolOf(*variable).name;
            return mentions(body, name) || mentions(needed, name);
        });
        if (used)
            needed = indent
                + reindented(
                    slice(m_analysis.source, (*it)->range), indentAt(m_analysis.source, (*it)->range.begin), indent)
                + "\n" + needed;
    }
    const auto& var = m_analysis.varName(m_loop);
    if (mentions(body, var) || mentions(needed, var))
        needed = indent + "const " + withoutConst(m_analysis.varType(m_loop)) + " " + var + " = " + m_strip + " + "
            + m_lane + ";\n" + needed;
    return needed;
}

std::string JamWriter::runPragma(const Item& item) const
{
    const bool loops = std::any_of(item.nodes.begin(), item.nodes.end(),
        [&](const Node* node) { return containsLoop(*node) && !isLaneLoop(m_analysis, *node); });
    if (loops)
        return {};
    return m_kind == Kind::Lanes ? "#pragma omp simd" : "#pragma GCC unroll 16";
}

void JamWriter::writeRun(const Item& item, const std::string& indent, std::string& out) const
{
    const auto deeper = indent + indentUnit;
    std::string body;
    for (const auto* node : item.nodes)
        body += statementText(*node, deeper);
    writeExpandedDeclarations(item, indent, out);
    if (trimmed(body).empty())
        return;
    if (const auto pragma = runPragma(item); !pragma.empty())
        out += indent + pragma + "\n";
    const auto type = withoutConst(m_analysis.varType(m_loop));
    const auto before = repeated(body, deeper);
    const bool braces = !before.empty() || item.nodes.size() > 1 || trimmed(body).find('\n') != std::string_view::npos;
    out += indent + "for (" + type + " " + m_lane + " = 0; " + m_lane + " < " + m_factor + "; ++" + m_lane + ")"
        + (braces ? " {\n" : "\n");
    out += before + body;
    if (braces)
        out += indent + "}\n";
}

void JamWriter::writeFor(const Item& item, const std::string& indent, std::string& out) const
{
    const auto& node = *item.nodes.front();
    out += leadText(node, indent, false);
    const auto header = trimmed(slice(m_analysis.source, { node.range.begin, node.child(3).lead }));
    out += indent + std::string(header) + " {\n";
    write(item.then, indent + indentUnit, out);
    out += indent + "}\n";
}

void JamWriter::writeIf(const Item& item, const std::string& indent, std::string& out) const
{
    const auto& node = *item.nodes.front();
    out += leadText(node, indent, true) + indent + "if (" + m_analysis.text(node.child(0)) + ") {\n";
    write(item.then, indent + indentUnit, out);
    if (!item.otherwise.empty()) {
        out += indent + "} else {\n";
        write(item.otherwise, indent + indentUnit, out);
    }
    out += indent + "}\n";
}

void JamWriter::write(const std::vector<Item>& items, const std::string& indent, std::string& out) const
{
    for (const auto& item : items) {
        switch (item.form) {
        case Item::Form::Run:
            writeRun(item, indent, out);
            break;
        case Item::Form::For:
            writeFor(item, indent, out);
            break;
        case Item::Form::If:
            writeIf(item, indent, out);
            break;
        case Item::Form::Verbatim:
            out += statementText(*item.nodes.front(), indent);
            break;
        }
    }
}

std::string JamWriter::strip(const std::string& indent) const
{
    const auto type = withoutConst(m_analysis.varType(m_loop));
    const auto& var = m_analysis.varName(m_loop);
    auto upper = m_analysis.upper(m_loop);
    if (m_loop.bound->kind == transform::Kind::Conditional)
        upper = "(" + upper + ")";
    const auto inner = indent + indentUnit;
    std::string out = "for (" + type + " " + m_strip + " = " + m_analysis.text(*m_loop.init) + "; " + m_strip + " < "
        + upper + "; " + m_strip + " += " + m_factor + ") {\n";
    out += inner + "if (" + m_strip + " + " + m_factor + " <= " + upper + ") {\n";
    write(m_items, inner + indentUnit, out);
    out += inner + "} else {\n";
    out += inner + indentUnit + "for (" + type + " " + var + " = " + m_strip + "; " + var + " < " + upper + "; ++" + var
        + ")";
    const auto& body = m_loop.body();
    const auto from = body.kind == transform::Kind::Compound ? indentAt(m_analysis.source, m_loop.node->range.begin)
                                                             : indentAt(m_analysis.source, body.range.begin);
    const auto to = body.kind == transform::Kind::Compound ? inner + indentUnit : inner + indentUnit + indentUnit;
    if (body.kind == transform::Kind::Compound)
        out += " " + reindented(slice(m_analysis.source, body.range), from, to) + "\n";
    else
        out += "\n" + leadText(body, to, true) + to + reindented(slice(m_analysis.source, body.range), from, to) + "\n";
    return out + inner + "}\n" + indent + "}";
}

std::string JamWriter::apply()
{
    Edits edits;
    const auto& source = m_analysis.source;
    edits.replace(m_loop.node->range, strip(std::string(indentAt(source, m_loop.node->range.begin))));
    for (const auto& pragma : m_loop.pragmas) {
        auto text = pragma.text;
        if (text.find("parallel for simd") != std::string::npos)
            text.erase(text.find(" simd"), 5);
        else if (isVectorPragma(text) || text.find("unroll") != std::string::npos)
            text.clear();
        const auto indent = std::string(indentAt(source, pragma.line.begin));
        edits.replace(pragma.line, text.empty() ? "" : indent + text + "\n");
    }
    const bool lanes = m_kind == Kind::Lanes;
    const auto& function = m_analysis.functions[static_cast<std::size_t>(m_loop.function)];
    addDefinitions(source, function.range.begin,
        lanes ? tunableLine(m_factor, 32, { 8, 16, 32, 64 }) : tunableLine(m_factor, 8, { 2, 4, 6, 8, 12 }), edits);
    return edits.applied(source);
}

} // namespace rooftree::synth::transform
