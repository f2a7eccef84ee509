// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernel/directives.h"

#include "core/base/text.h"

#include <algorithm>
#include <optional>

namespace rooftree::kernel {

namespace {

constexpr std::string_view marker = "rooftree:";
constexpr std::size_t maxLineBytes = 8192;
constexpr std::size_t maxValues = 1024;
constexpr std::size_t maxDirectives = 1024;

// A part of the line, by its position in the line.
struct Span {
    std::size_t begin = 0;
    std::size_t size = 0;
};

Span trimmedSpan(std::string_view line, std::size_t begin, std::size_t end)
{
    const auto blank = [line](std::size_t i) { return line[i] == ' ' || line[i] == '\t' || line[i] == '\r'; };
    while (begin < end && blank(begin))
        ++begin;
    while (end > begin && blank(end - 1))
        --end;
    return { begin, end - begin };
}

std::size_t identifierEnd(std::string_view text, std::size_t at)
{
    while (at < text.size() && isIdentifierChar(text[at]))
        ++at;
    return at;
}

// Where the comment of a marker begins ("//", "/*" or "#", then blanks only), or nothing: then the marker is ordinary
// text.
std::optional<std::size_t> commentBegin(std::string_view line, std::size_t markerAt)
{
    const auto before = trimmed(line.substr(0, markerAt));
    const auto end = static_cast<std::size_t>(before.data() - line.data()) + before.size();
    if (before.ends_with("//") || before.ends_with("/*"))
        return end - 2;
    if (before.ends_with("#"))
        return end - 1;
    return std::nullopt;
}

// One line with a marker, read into a directive.
class LineReader {
public:
    LineReader(std::string_view line, std::size_t comment, std::size_t afterMarker)
        : m_line(line)
        , m_comment(comment)
        , m_at(afterMarker)
    {
    }

    Directive read()
    {
        skipBlanks();
        const auto end = identifierEnd(m_line, m_at);
        const auto word = m_line.substr(m_at, end - m_at);
        m_at = end;
        if (word == "require")
            readRequire();
        else if (word == "tune")
            readTune();
        else if (word == "flags")
            readOptions(DirectiveKind::Flags);
        else if (word == "compiler")
            readOptions(DirectiveKind::Compiler);
        else
            fail("Unknown word '" + elided(sanitizedUtf8(word), 40)
                + "' after 'rooftree:'. Use tune, require, flags or compiler.");
        return std::move(m_directive);
    }

private:
    void fail(const std::string& problem)
    {
        if (m_directive.problem.empty())
            m_directive.problem = problem;
    }

    void skipBlanks()
    {
        while (m_at < m_line.size() && (m_line[m_at] == ' ' || m_line[m_at] == '\t'))
            ++m_at;
    }

    void readRequire()
    {
        m_directive.kind = DirectiveKind::Require;
        auto text = trimmed(m_line.substr(m_at));
        if (text.ends_with("*/"))
            text = trimmed(text.substr(0, text.size() - 2));
        m_directive.expression = std::string(text);
        if (text.empty())
            fail("The requirement is empty. Write a condition such as TILE <= 64.");
    }

    void readTune()
    {
        m_directive.kind = DirectiveKind::Tune;
        readList();
        readAssignment();
    }

    void readOptions(DirectiveKind kind)
    {
        m_directive.kind = kind;
        m_directive.name = kind == DirectiveKind::Flags ? "flags" : "compiler";
        readList();
        if (!m_directive.values.empty())
            m_directive.current = m_directive.values.front();
    }

    void readList()
    {
        skipBlanks();
        m_directive.listBegin = m_at;
        if (m_at >= m_line.size() || m_line[m_at] != '{')
            return fail("A list of values is missing. Write it in braces, such as {16, 32, 64}.");
        ++m_at;
        while (readValue()) { }
        m_directive.listSize = m_at - m_directive.listBegin;
        if (m_directive.values.empty())
            fail("The list of values is empty. Write at least one value.");
        if (m_directive.values.size() > maxValues)
            fail("The list has more than 1024 values. Shorten it.");
    }

    // One value and what follows it; false at the end of the list.
    bool readValue()
    {
        skipBlanks();
        std::string value;
        const bool quoted = m_at < m_line.size() && m_line[m_at] == '"';
        if (quoted) {
            if (!readQuoted(value))
                return false;
            skipBlanks();
        } else {
            const auto end = std::min(m_line.find_first_of(",}\"", m_at), m_line.size());
            value = std::string(trimmed(m_line.substr(m_at, end - m_at)));
            m_at = end;
        }
        const bool atEnd = m_at < m_line.size() && m_line[m_at] == '}';
        if (!value.empty())
            addValue(value);
        else if (!quoted && !(atEnd && m_directive.values.empty()))
            fail("A value of the list is empty. Remove the spare comma.");
        if (m_at >= m_line.size() || (m_line[m_at] != ',' && !atEnd)) {
            fail("The list of values is not closed. End it with '}' on the same line, with commas between the values.");
            return false;
        }
        ++m_at;
        return !atEnd;
    }

    bool readQuoted(std::string& value)
    {
        for (++m_at; m_at < m_line.size() && m_line[m_at] != '"'; ++m_at) {
            if (m_line[m_at] == '\\' && m_at + 1 < m_line.size())
                ++m_at;
            value += m_line[m_at];
        }
        if (m_at >= m_line.size()) {
            fail("A quoted value is not closed. Add the second quote.");
            return false;
        }
        ++m_at;
        return true;
    }

    void addValue(const std::string& value)
    {
        auto& values = m_directive.values;
        if (values.size() <= maxValues && std::find(values.begin(), values.end(), value) == values.end())
            values.push_back(value);
    }

    // What stands before the comment: "#define NAME VALUE" or "... NAME = VALUE;".
    void readAssignment()
    {
        const auto code = m_line.substr(0, m_comment);
        auto span = trimmedSpan(code, 0, code.size());
        if (code.substr(span.begin).starts_with("#"))
            readDefine(code, span);
        else
            readVariable(code);
        const auto written = code.substr(m_directive.valueBegin, m_directive.valueSize);
        m_directive.quoted = written.size() >= 2 && written.front() == '"' && written.back() == '"';
        m_directive.current = std::string(m_directive.quoted ? written.substr(1, written.size() - 2) : written);
        if (m_directive.name.empty() || m_directive.current.empty())
            fail("A tune comment belongs behind a value. Write it at the end of '#define NAME VALUE' or 'NAME = "
                 "VALUE;'.");
    }

    void readDefine(std::string_view code, Span span)
    {
        auto word = trimmedSpan(code, span.begin + 1, code.size());
        if (!code.substr(word.begin).starts_with("define"))
            return;
        const auto name = trimmedSpan(code, word.begin + 6, code.size());
        const auto end = identifierEnd(code, name.begin);
        if (name.begin == word.begin + 6 || end == name.begin)
            return;
        if (end < code.size() && code[end] == '(')
            return fail("A macro with parameters cannot be tuned. Tune a plain '#define NAME VALUE'.");
        m_directive.name = std::string(code.substr(name.begin, end - name.begin));
        setValue(trimmedSpan(code, end, code.size()));
    }

    void readVariable(std::string_view code)
    {
        const auto equals = code.rfind('=');
        if (equals == std::string_view::npos || equals == 0
            || std::string_view("=<>!+-*/%&|^").find(code[equals - 1]) != std::string_view::npos)
            return;
        const auto left = trimmedSpan(code, 0, equals);
        auto begin = left.begin + left.size;
        while (begin > left.begin && isIdentifierChar(code[begin - 1]))
            --begin;
        auto name = code.substr(begin, left.begin + left.size - begin);
        if (name.empty() || (name[0] >= '0' && name[0] <= '9'))
            return;
        m_directive.name = std::string(name);
        auto end = code.size();
        const auto semicolon = code.find(';', equals);
        if (semicolon != std::string_view::npos)
            end = semicolon;
        setValue(trimmedSpan(code, equals + 1, end));
    }

    void setValue(Span span)
    {
        m_directive.valueBegin = span.begin;
        m_directive.valueSize = span.size;
    }

    std::string_view m_line;
    std::size_t m_comment;
    std::size_t m_at;
    Directive m_directive;
};

Directive readLine(std::string_view line, std::size_t markerAt, std::size_t comment)
{
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    if (line.size() <= maxLineBytes)
        return LineReader(line, comment, markerAt + marker.size()).read();
    Directive directive;
    directive.problem = "A line with a 'rooftree:' comment is longer than 8192 bytes. Shorten it.";
    return directive;
}

} // namespace

std::vector<Directive> scanDirectives(std::string_view text)
{
    std::vector<Directive> directives;
    std::size_t line = 0;
    std::size_t counted = 0; // line ends are counted up to here
    std::size_t at = text.find(marker);
    while (at != std::string_view::npos && directives.size() < maxDirectives) {
        const auto previous = text.rfind('\n', at);
        const auto begin = previous == std::string_view::npos ? 0 : previous + 1;
        const auto end = std::min(text.find('\n', at), text.size());
        const auto whole = text.substr(begin, end - begin);
        // Only the first marker of an overlong line is looked at, so that no line is scanned again and again.
        std::size_t next = whole.size() > maxLineBytes ? end : at + marker.size();
        if (const auto comment = commentBegin(whole, at - begin)) {
            line += static_cast<std::size_t>(std::count(text.data() + counted, text.data() + begin, '\n'));
            counted = begin;
            directives.push_back(readLine(whole, at - begin, *comment));
            directives.back().line = line;
            directives.back().valueBegin += begin;
            directives.back().listBegin += begin;
            next = end;
        }
        at = text.find(marker, next);
    }
    return directives;
}

std::string quotedList(const std::vector<std::string>& values)
{
    std::string list = "{";
    for (const auto& value : values) {
        list += list.size() > 1 ? ", \"" : "\"";
        for (const char c : value) {
            if (c == '"' || c == '\\')
                list += '\\';
            list += c;
        }
        list += '"';
    }
    return list + "}";
}

} // namespace rooftree::kernel
