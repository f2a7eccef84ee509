// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/synth/transform/ast.h"
#include "core/synth/transform/sourcetext.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rooftree::synth::transform {

struct Pragma {
    Range line; // with its line end
    std::string text; // "#pragma omp parallel for", trimmed
};

struct Function {
    std::string name;
    Range range;
    std::vector<int> parameters; // symbols
    const Node* body = nullptr;
};

struct Loop {
    const Node* node = nullptr;
    int function = -1;
    int parent = -1; // the loop around it
    std::vector<int> inner; // the loops directly in it
    int depth = 0;
    // for (type var = init; var < bound; var += step): what the moves can work with. Else only pragmas are possible.
    bool canonical = false;
    int var = -1;
    const Node* init = nullptr;
    const Node* bound = nullptr;
    bool inclusive = false; // <=
    std::string step; // "1" for ++
    std::vector<Pragma> pragmas;
    int perfect = -1; // the only thing in the body is this loop
    std::string signature; // "matmul/i/j/p", the same wherever the loop stands in the file
    const Node& body() const { return node->child(3); }
    Range header() const { return { node->range.begin, node->child(3).range.begin }; }
    bool hasPragma(std::string_view word) const;
};

// Everything the moves know of a source. Offsets are those of 'source'. Immutable after analyse(); one thread.
struct Analysis {
    std::string source;
    std::string entry;
    std::vector<Symbol> symbols;
    std::vector<Function> functions;
    std::vector<Loop> loops; // outer before inner
    std::vector<std::unique_ptr<Node>> trees; // the functions' bodies
    std::vector<std::string> errors; // what the compiler says; then there are no functions

    std::string text(const Node& node) const { return std::string(slice(source, node.range)); }
    const Symbol& symbolOf(const Node& node) const { return symbols[static_cast<std::size_t>(node.symbol)]; }
    const Loop& loop(int index) const { return loops[static_cast<std::size_t>(index)]; }
    const std::string& varName(const Loop& loop) const { return symbols[static_cast<std::size_t>(loop.var)].name; }
    std::string varType(const Loop& loop) const;
    std::string upper(const Loop& loop) const; // exclusive bound as text: "n", "(n - 1) + 1"
    int line(const Loop& loop) const { return static_cast<int>(lineNumber(source, loop.node->range.begin)); }
    const Loop* findLoop(const std::string& signature) const;
};

// Fills 'loops' from 'trees'.
void findLoops(Analysis& analysis);

// The statements of a body: those of a block, or the one statement.
std::vector<const Node*> statementsOf(const Node& body);
// One use of a variable.
struct Use {
    int symbol = -1;
    const Node* node = nullptr; // the Name, or the outermost Subscript or dereference on it
    std::vector<const Node*> subscripts; // outermost array first
    bool read = false;
    bool write = false;
    std::string op; // of the assignment: "=", "+=", "++"; "&" when its address is taken
    const Node* assignment = nullptr; // the Binary or Unary node that writes
};

// All uses in a subtree in source order; sizeof and unevaluated things excepted. 'opaque' tells whether something in it
// was not understood.
struct Uses {
    std::vector<Use> all;
    std::vector<const Node*> calls;
    std::vector<const Node*> declared; // Variable nodes
    bool opaque = false;
    bool jumps = false; // return, or other statements that leave loops
};
Uses usesIn(const Node& node);
bool isPureFunction(std::string_view name); // std::exp, max, ...

bool mentionsSymbol(const Node& node, int symbol);
// Continue or break statements that leave the loop whose body this is, not those of inner loops.
bool hasOwnJump(const Node& node, Kind kind);

} // namespace rooftree::synth::transform
