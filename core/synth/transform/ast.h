// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// A small syntax tree with source ranges: what the moves need of a C++ source, and no more. Values of one analysis; one
// thread.
namespace rooftree::synth::transform {

struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool contains(const Range& other) const { return begin <= other.begin && other.end <= end; }
    bool contains(std::size_t offset) const { return begin <= offset && offset < end; }
};

enum class Kind {
    // Statements. Their ranges include the final ';'.
    For, // children: init, condition, increment, body; only when all four are there
    Compound,
    Declaration, // children: Variable
    If, // children: condition, then[, else]
    Return,
    Continue,
    Break,
    OtherStatement, // while, do, range-for, switch, ...: children in source order
    // Expressions
    Variable, // symbol; children: initialiser, if any
    Literal,
    Name, // symbol
    Binary, // op: also the assignments "=", "+=", ...
    Unary, // op: "-", "!", "*", "&", "++", "--"
    Subscript, // children: base, index
    Call, // op: the function's name; children: arguments (the object first for member functions)
    Conditional,
    Cast, // children: the operand
    Paren,
    Opaque, // not understood, or inside a macro's expansion
};

struct Node {
    Kind kind = Kind::Opaque;
    Range range;
    std::size_t lead = 0; // statements: where the #pragma and comment lines directly above begin, else range.begin
    std::string op;
    std::string type; // expressions: canonical, without const and reference
    int symbol = -1; // Variable, Name: index into Analysis::symbols
    Node* parent = nullptr;
    std::vector<std::unique_ptr<Node>> children;

    const Node& child(std::size_t i) const { return *children[i]; }
};

inline bool isStatement(Kind kind)
{
    return kind <= Kind::OtherStatement;
}
inline bool isFloatingType(std::string_view type)
{
    return type == "float" || type == "double";
}

// Parentheses and casts taken off.
const Node& bare(const Node& node);

enum class Place { Parameter, Local, Global };

struct Symbol {
    std::string name;
    std::string type; // as written: "const int64_t"
    std::string canonical; // "const long"
    std::string element; // of pointers and arrays: what they end in, without const: "float"
    bool pointer = false;
    bool array = false;
    bool constant = false;
    Place place = Place::Global;
    const Node* variable = nullptr; // its Variable node; nothing for parameters
    std::size_t nameOffset = 0; // of the declarator's name
    int function = -1;

    bool scalar() const;
    bool integer() const;
    bool floating() const { return !pointer && !array && isFloatingType(element); }
};

} // namespace rooftree::synth::transform
