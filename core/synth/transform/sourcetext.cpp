// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/sourcetext.h"

#include "core/base/text.h"

#include <algorithm>

namespace rooftree::synth::transform {

void Edits::replace(Range range, std::string text)
{
    m_edits.push_back({ range, std::move(text) });
}

std::string Edits::applied(std::string_view source) const
{
    auto edits = m_edits;
    std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
        return a.range.begin != b.range.begin ? a.range.begin < b.range.begin : a.range.end < b.range.end;
    });
    std::string out;
    std::size_t at = 0;
    for (const auto& edit : edits) {
        if (edit.range.begin < at || edit.range.end > source.size())
            continue;
        out += source.substr(at, edit.range.begin - at);
        out += edit.text;
        at = edit.range.end;
    }
    return out += source.substr(at);
}

std::string_view slice(std::string_view source, Range range)
{
    if (range.begin > source.size() || range.end < range.begin)
        return {};
    return source.substr(range.begin, range.end - range.begin);
}

std::size_t lineStart(std::string_view source, std::size_t offset)
{
    const auto before = offset == 0 ? std::string_view::npos : source.rfind('\n', offset - 1);
    return before == std::string_view::npos ? 0 : before + 1;
}

std::size_t lineEnd(std::string_view source, std::size_t offset)
{
    return std::min(source.find('\n', offset), source.size());
}

std::size_t lineNumber(std::string_view source, std::size_t offset)
{
    const auto head = source.substr(0, std::min(offset, source.size()));
    return static_cast<std::size_t>(std::count(head.begin(), head.end(), '\n')) + 1;
}

std::size_t aboveComments(std::string_view source, std::size_t line)
{
    while (line > 0) {
        const auto previous = lineStart(source, line - 1);
        if (!trimmed(source.substr(previous, line - previous)).starts_with("//"))
            break;
        line = previous;
    }
    return line;
}

std::string_view indentAt(std::string_view source, std::size_t offset)
{
    const auto line = source.substr(lineStart(source, offset));
    return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

bool firstOnLine(std::string_view source, std::size_t offset)
{
    return trimmed(slice(source, { lineStart(source, offset), offset })).empty();
}

std::string reindented(std::string_view text, std::string_view from, std::string_view to)
{
    std::string out;
    bool first = true;
    for (const auto line : splitLines(text)) {
        if (!first) {
            out += '\n';
            if (!line.empty())
                out += to;
        }
        out += !first && line.starts_with(from) ? line.substr(from.size()) : line;
        first = false;
    }
    return out;
}

namespace {

// Walks over a source and tells which characters are code.
class CodeScanner {
public:
    explicit CodeScanner(std::string_view text)
        : m_text(text)
    {
    }
    // The end of the comment or literal that begins here; 'at' itself when it is code.
    std::size_t skipFrom(std::size_t at) const
    {
        const auto rest = m_text.substr(at);
        if (rest.starts_with("//"))
            return std::min(m_text.find('\n', at), m_text.size());
        if (rest.starts_with("/*")) {
            const auto end = m_text.find("*/", at + 2);
            return end == std::string_view::npos ? m_text.size() : end + 2;
        }
        if (rest[0] == '"' || (rest[0] == '\'' && !(at > 0 && isIdentifierChar(m_text[at - 1]))))
            return literalEnd(at);
        return at;
    }

private:
    std::size_t literalEnd(std::size_t at) const
    {
        const char quote = m_text[at];
        for (std::size_t i = at + 1; i < m_text.size() && m_text[i] != '\n'; ++i) {
            if (m_text[i] == '\\')
                ++i;
            else if (m_text[i] == quote)
                return i + 1;
        }
        return std::min(m_text.find('\n', at), m_text.size());
    }
    std::string_view m_text;
};

std::size_t identifierEnd(std::string_view text, std::size_t at)
{
    while (at < text.size() && isIdentifierChar(text[at]))
        ++at;
    return at;
}

bool isMemberAccess(std::string_view text, std::size_t at)
{
    const auto before = trimmed(text.substr(0, at));
    return before.ends_with('.') || before.ends_with("->") || before.ends_with("::");
}

} // namespace

std::string blanked(std::string_view source)
{
    const CodeScanner scanner(source);
    std::string out(source);
    for (std::size_t at = 0; at < source.size();) {
        const auto end = scanner.skipFrom(at);
        for (std::size_t i = at; i < end; ++i) {
            if (out[i] != '\n')
                out[i] = ' ';
        }
        at = std::max(end, at + 1);
    }
    return out;
}

std::set<std::string> identifiers(std::string_view source)
{
    std::set<std::string> names;
    for (std::size_t at = 0; at < source.size();) {
        const auto end = identifierEnd(source, at);
        if (end > at)
            names.emplace(source.substr(at, end - at));
        at = std::max(end, at + 1);
    }
    return names;
}

std::string freshName(const std::set<std::string>& taken, const std::string& stem)
{
    if (!taken.contains(stem))
        return stem;
    for (int number = 2;; ++number) {
        auto name = stem + std::to_string(number);
        if (!taken.contains(name))
            return name;
    }
}

bool mentions(std::string_view text, std::string_view identifier)
{
    return withIdentifier(text, identifier, std::string(identifier) + "$") != text;
}

std::string withIdentifier(std::string_view text, std::string_view identifier, std::string_view replacement)
{
    const CodeScanner scanner(text);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        if (const auto end = scanner.skipFrom(at); end > at) {
            out += text.substr(at, end - at);
            at = end;
            continue;
        }
        const auto end = identifierEnd(text, at);
        if (end == at) {
            out += text[at++];
            continue;
        }
        const auto word = text.substr(at, end - at);
        out += word == identifier && !isMemberAccess(text, at) ? replacement : word;
        at = end;
    }
    return out;
}

} // namespace rooftree::synth::transform
