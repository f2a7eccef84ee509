// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/sourcetext.h"

#include "core/base/text.h"

namespace rooftree::synth::transform {

namespace {

// The offset behind the licence head: the comment lines that the file begins with.
std::size_t behindHead(std::string_view source)
{
    std::size_t at = 0;
    while (at < source.size() && source.substr(at).starts_with("//")
        && source.substr(at, lineEnd(source, at) - at).find("rooftree:") == std::string_view::npos)
        at = std::min(lineEnd(source, at) + 1, source.size());
    return at;
}

std::size_t nextLine(std::string_view source, std::size_t at)
{
    return std::min(lineEnd(source, at) + 1, source.size());
}

bool isDirectiveLine(std::string_view line, std::string_view keyword)
{
    line = trimmed(line);
    if (!line.starts_with("//"))
        return false;
    line = trimmed(line.substr(2));
    if (!line.starts_with("rooftree:"))
        return false;
    line = trimmed(line.substr(9));
    return line.starts_with(keyword) && !isIdentifierChar(line.size() > keyword.size() ? line[keyword.size()] : ' ');
}

} // namespace

void ensureInclude(std::string_view source, const std::string& header, Edits& edits)
{
    const auto wanted = "#include <" + header + ">";
    std::size_t behind = std::string_view::npos;
    for (std::size_t at = 0; at < source.size(); at = nextLine(source, at)) {
        const auto line = trimmed(source.substr(at, lineEnd(source, at) - at));
        if (line == wanted)
            return;
        if (line.starts_with("#include"))
            behind = nextLine(source, at);
    }
    edits.insert(behind == std::string_view::npos ? behindHead(source) : behind, wanted + "\n");
}

void addDefinitions(std::string_view source, std::size_t function, const std::string& lines, Edits& edits)
{
    const auto above = lineStart(source, function);
    std::size_t behind = std::string_view::npos;
    bool afterDefine = false;
    for (std::size_t at = 0; at < above; at = nextLine(source, at)) {
        const auto line = trimmed(source.substr(at, lineEnd(source, at) - at));
        if (line.starts_with("#if") || (line.starts_with("#define") && line.ends_with('\\'))) {
            edits.insert(aboveComments(source, above), lines);
            return;
        }
        if (line.starts_with("#include") || line.starts_with("#define")) {
            behind = nextLine(source, at);
            afterDefine = line.starts_with("#define");
        }
    }
    if (behind == std::string_view::npos)
        edits.insert(aboveComments(source, above), lines + "\n");
    else
        edits.insert(behind, (afterDefine ? "" : "\n") + lines);
}

void setDirectiveLine(std::string_view source, std::string_view keyword, const std::string& line, Edits& edits)
{
    for (std::size_t at = 0; at < source.size(); at = nextLine(source, at)) {
        if (isDirectiveLine(source.substr(at, lineEnd(source, at) - at), keyword)) {
            edits.replace({ at, lineEnd(source, at) }, line);
            return;
        }
    }
    edits.insert(behindHead(source), line + "\n");
}

bool hasDirectiveLine(std::string_view source, std::string_view keyword)
{
    for (const auto line : splitLines(source)) {
        if (isDirectiveLine(line, keyword))
            return true;
    }
    return false;
}

} // namespace rooftree::synth::transform
