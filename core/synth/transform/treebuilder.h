// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/synth/transform/analysis.h"

#include <clang-c/Index.h>

#include <unordered_map>

namespace rooftree::synth::transform {

// Turns libclang's cursors of one translation unit into our tree. Lives for one parse.
class TreeBuilder {
public:
    TreeBuilder(CXTranslationUnit unit, CXFile mainFile, Analysis& out)
        : m_unit(unit)
        , m_file(mainFile)
        , m_out(out)
    {
    }
    void build(); // fills symbols, functions and trees

private:
    struct Location {
        Range range;
        bool inMain = false;
        bool fromMacro = false;
    };
    void addTopLevel(CXCursor cursor, int depth);
    void addFunction(CXCursor cursor);
    Location locate(CXCursor cursor) const;
    int symbolOf(CXCursor declaration);
    void describeType(CXType type, Symbol& symbol) const;

    std::unique_ptr<Node> make(CXCursor cursor, int depth);
    void fill(Node& node, CXCursor cursor, CXCursorKind kind, int depth);
    void fillStatement(Node& node, CXCursor cursor, CXCursorKind kind, int depth);
    void fillExpression(Node& node, CXCursor cursor, CXCursorKind kind, int depth);
    void fillBinary(Node& node, const std::vector<CXCursor>& children, int depth);
    void fillUnary(Node& node, const std::vector<CXCursor>& children, int depth);
    void fillCall(Node& node, CXCursor cursor, int depth);
    void fillVariable(Node& node, CXCursor cursor, const std::vector<CXCursor>& children, int depth);
    void add(Node& node, CXCursor child, int depth);
    void finishStatement(Node& node) const;
    std::string between(std::size_t begin, std::size_t end) const;

    CXTranslationUnit m_unit;
    CXFile m_file;
    Analysis& m_out;
    std::string m_code; // the source with comments and strings blanked
    int m_function = -1;
    std::unordered_multimap<unsigned, std::pair<CXCursor, int>> m_symbols;
};

} // namespace rooftree::synth::transform
