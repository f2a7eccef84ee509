// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/synth/transform/ast.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

// Text edits that keep a source readable. Pure functions and one value; any thread.
namespace rooftree::synth::transform {

// Edits of one text, given in any order; ranges of the original text that do not overlap.
class Edits {
public:
    void replace(Range range, std::string text);
    void insert(std::size_t offset, std::string text) { replace({ offset, offset }, std::move(text)); }
    std::string applied(std::string_view source) const;

private:
    struct Edit {
        Range range;
        std::string text;
    };
    std::vector<Edit> m_edits;
};

std::string_view slice(std::string_view source, Range range);
std::size_t lineStart(std::string_view source, std::size_t offset);
std::size_t lineEnd(std::string_view source, std::size_t offset); // of the '\n', or the end
std::size_t lineNumber(std::string_view source, std::size_t offset); // from 1
std::string_view indentAt(std::string_view source, std::size_t offset); // leading blanks of the line
// The start of the comment lines directly above a line, or of the line itself.
std::size_t aboveComments(std::string_view source, std::size_t line);
bool firstOnLine(std::string_view source, std::size_t offset);

// The text of a statement that began at 'from' indentation, for a place at 'to': the first line without indentation,
// the others moved.
std::string reindented(std::string_view text, std::string_view from, std::string_view to);
inline constexpr const char* indentUnit = "    ";

// The text with comments and string literals blanked out, same length: for searches that must not find them.
std::string blanked(std::string_view source);
// Every identifier of the source, those in comments too.
std::set<std::string> identifiers(std::string_view source);
// The stem, or the stem with the first free number.
std::string freshName(const std::set<std::string>& taken, const std::string& stem);
bool mentions(std::string_view text, std::string_view identifier); // outside comments and strings
// Replaces whole identifiers outside comments, strings and member accesses.
std::string withIdentifier(std::string_view text, std::string_view identifier, std::string_view replacement);

// Puts '#include <header>' behind the last include unless it is there; adds to 'edits'.
void ensureInclude(std::string_view source, const std::string& header, Edits& edits);
// Adds lines ("#define TILE 64 // rooftree: ...") above the function that begins at 'function': behind the last
// define or include when the file has no conditional directives, so that the tunables stay together.
void addDefinitions(std::string_view source, std::size_t function, const std::string& lines, Edits& edits);
// "// rooftree: flags {...}": replaces the line of that keyword or puts it at the top, below the licence head.
void setDirectiveLine(std::string_view source, std::string_view keyword, const std::string& line, Edits& edits);
bool hasDirectiveLine(std::string_view source, std::string_view keyword);

} // namespace rooftree::synth::transform
