// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/treebuilder.h"

#include "core/base/text.h"

namespace rooftree::synth::transform {

namespace {

// Deeper nesting is not looked into: the tree is walked recursively.
constexpr int maxDepth = 200;

std::string toString(CXString text)
{
    const char* bytes = clang_getCString(text);
    std::string out = bytes ? bytes : "";
    clang_disposeString(text);
    return out;
}

std::vector<CXCursor> childrenOf(CXCursor cursor)
{
    std::vector<CXCursor> children;
    clang_visitChildren(
        cursor,
        [](CXCursor child, CXCursor, CXClientData data) {
            static_cast<std::vector<CXCursor>*>(data)->push_back(child);
            return CXChildVisit_Continue;
        },
        &children);
    return children;
}

std::string plainType(CXType type)
{
    type = clang_getCanonicalType(type);
    if (type.kind == CXType_LValueReference || type.kind == CXType_RValueReference)
        type = clang_getPointeeType(type);
    auto name = toString(clang_getTypeSpelling(type));
    for (const char* word : { "const ", "volatile " }) {
        if (name.starts_with(word))
            name.erase(0, std::string_view(word).size());
    }
    return name;
}

bool isReference(CXCursorKind kind)
{
    return clang_isReference(kind) != 0;
}

Kind statementKind(CXCursorKind kind, std::size_t children)
{
    switch (kind) {
    case CXCursor_GotoStmt:
    case CXCursor_LabelStmt:
    case CXCursor_IndirectGotoStmt:
    case CXCursor_GCCAsmStmt:
        return Kind::Opaque;
    case CXCursor_ForStmt:
        return children == 4 ? Kind::For : Kind::OtherStatement;
    case CXCursor_CompoundStmt:
        return Kind::Compound;
    case CXCursor_DeclStmt:
        return Kind::Declaration;
    case CXCursor_IfStmt:
        return children == 2 || children == 3 ? Kind::If : Kind::OtherStatement;
    case CXCursor_ReturnStmt:
        return Kind::Return;
    case CXCursor_ContinueStmt:
        return Kind::Continue;
    case CXCursor_BreakStmt:
        return Kind::Break;
    default:
        return Kind::OtherStatement;
    }
}

// Of the expressions that are nothing but their children.
Kind expressionKind(CXCursorKind kind, std::size_t children)
{
    switch (kind) {
    case CXCursor_ArraySubscriptExpr:
        return children == 2 ? Kind::Subscript : Kind::Opaque;
    case CXCursor_ConditionalOperator:
        return children == 3 ? Kind::Conditional : Kind::Opaque;
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
        return children == 1 ? Kind::Cast : Kind::Opaque;
    case CXCursor_ParenExpr:
        return children == 1 ? Kind::Paren : Kind::Opaque;
    default:
        return Kind::Opaque;
    }
}

} // namespace

const Node& bare(const Node& node)
{
    const Node* at = &node;
    while ((at->kind == Kind::Paren || at->kind == Kind::Cast) && at->children.size() == 1)
        at = at->children.front().get();
    return *at;
}

bool Symbol::scalar() const
{
    return !pointer && !array && (floating() || integer() || element == "bool");
}

bool Symbol::integer() const
{
    static const std::set<std::string> names{ "int", "long", "long long", "short", "char", "signed char",
        "unsigned char", "unsigned short", "unsigned int", "unsigned long", "unsigned long long" };
    return !pointer && !array && names.contains(element);
}

void TreeBuilder::build()
{
    m_code = blanked(m_out.source);
    addTopLevel(clang_getTranslationUnitCursor(m_unit), 0);
}

void TreeBuilder::addTopLevel(CXCursor cursor, int depth)
{
    if (depth > 8)
        return;
    for (const auto child : childrenOf(cursor)) {
        if (!locate(child).inMain)
            continue;
        const auto kind = clang_getCursorKind(child);
        if (kind == CXCursor_FunctionDecl && clang_isCursorDefinition(child))
            addFunction(child);
        else if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl)
            addTopLevel(child, depth + 1);
    }
}

void TreeBuilder::addFunction(CXCursor cursor)
{
    const auto where = locate(cursor);
    m_function = static_cast<int>(m_out.functions.size());
    Function function;
    function.name = toString(clang_getCursorSpelling(cursor));
    function.range = where.range;
    for (const auto child : childrenOf(cursor)) {
        if (clang_getCursorKind(child) == CXCursor_ParmDecl) {
            function.parameters.push_back(symbolOf(child));
        } else if (clang_getCursorKind(child) == CXCursor_CompoundStmt && !where.fromMacro) {
            m_out.trees.push_back(make(child, 0));
            function.body = m_out.trees.back().get();
        }
    }
    if (function.body)
        m_out.functions.push_back(std::move(function));
}

TreeBuilder::Location TreeBuilder::locate(CXCursor cursor) const
{
    const auto extent = clang_getCursorExtent(cursor);
    const auto begin = clang_getRangeStart(extent);
    CXFile file = nullptr;
    CXFile endFile = nullptr;
    CXFile spellingFile = nullptr;
    unsigned from = 0;
    unsigned to = 0;
    unsigned spelled = 0;
    unsigned spelledEnd = 0;
    clang_getExpansionLocation(begin, &file, nullptr, nullptr, &from);
    clang_getExpansionLocation(clang_getRangeEnd(extent), &endFile, nullptr, nullptr, &to);
    clang_getSpellingLocation(begin, &spellingFile, nullptr, nullptr, &spelled);
    clang_getSpellingLocation(clang_getRangeEnd(extent), nullptr, nullptr, nullptr, &spelledEnd);
    Location where;
    where.range = { from, to };
    where.inMain = file && clang_File_isEqual(file, m_file) && endFile && clang_File_isEqual(endFile, m_file)
        && to <= m_out.source.size() && from <= to;
    where.fromMacro = spelled != from || spelledEnd != to;
    return where;
}

void TreeBuilder::describeType(CXType type, Symbol& symbol) const
{
    type = clang_getCanonicalType(type);
    symbol.constant = clang_isConstQualifiedType(type) != 0;
    while (true) {
        if (type.kind == CXType_Pointer) {
            symbol.pointer = true;
            type = clang_getCanonicalType(clang_getPointeeType(type));
        } else if (type.kind == CXType_ConstantArray || type.kind == CXType_VariableArray
            || type.kind == CXType_IncompleteArray) {
            symbol.array = true;
            type = clang_getCanonicalType(clang_getArrayElementType(type));
        } else {
            break;
        }
    }
    symbol.element = plainType(type);
}

int TreeBuilder::symbolOf(CXCursor declaration)
{
    declaration = clang_getCanonicalCursor(declaration);
    const auto hash = clang_hashCursor(declaration);
    const auto [begin, end] = m_symbols.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
        if (clang_equalCursors(it->second.first, declaration))
            return it->second.second;
    }
    Symbol symbol;
    symbol.name = toString(clang_getCursorSpelling(declaration));
    const auto type = clang_getCursorType(declaration);
    symbol.type = toString(clang_getTypeSpelling(type));
    symbol.canonical = toString(clang_getTypeSpelling(clang_getCanonicalType(type)));
    describeType(type, symbol);
    symbol.place = clang_getCursorKind(declaration) == CXCursor_ParmDecl ? Place::Parameter
        : clang_getCursorLinkage(declaration) == CXLinkage_NoLinkage     ? Place::Local
                                                                         : Place::Global;
    symbol.function = m_function;
    unsigned offset = 0;
    clang_getExpansionLocation(clang_getCursorLocation(declaration), nullptr, nullptr, nullptr, &offset);
    symbol.nameOffset = offset;
    const int index = static_cast<int>(m_out.symbols.size());
    m_out.symbols.push_back(std::move(symbol));
    m_symbols.emplace(hash, std::pair(declaration, index));
    return index;
}

std::unique_ptr<Node> TreeBuilder::make(CXCursor cursor, int depth)
{
    auto kind = clang_getCursorKind(cursor);
    while (kind == CXCursor_UnexposedExpr || kind == CXCursor_UnexposedStmt) { // implicit casts and the like
        const auto children = childrenOf(cursor);
        if (children.size() != 1)
            break;
        cursor = children.front();
        kind = clang_getCursorKind(cursor);
    }
    auto node = std::make_unique<Node>();
    const auto where = locate(cursor);
    node->range = where.range;
    node->lead = where.range.begin;
    if (clang_isExpression(kind))
        node->type = plainType(clang_getCursorType(cursor));
    const bool literal =
        kind == CXCursor_IntegerLiteral || kind == CXCursor_FloatingLiteral || kind == CXCursor_CXXBoolLiteralExpr;
    if (literal)
        node->kind = Kind::Literal;
    else if (where.inMain && !where.fromMacro && depth < maxDepth)
        fill(*node, cursor, kind, depth + 1);
    if (isStatement(node->kind))
        finishStatement(*node);
    return node;
}

void TreeBuilder::add(Node& node, CXCursor child, int depth)
{
    auto made = make(child, depth);
    made->parent = &node;
    node.children.push_back(std::move(made));
}

void TreeBuilder::fill(Node& node, CXCursor cursor, CXCursorKind kind, int depth)
{
    if (clang_isStatement(kind) || kind == CXCursor_DeclStmt)
        fillStatement(node, cursor, kind, depth);
    else
        fillExpression(node, cursor, kind, depth);
}

void TreeBuilder::fillStatement(Node& node, CXCursor cursor, CXCursorKind kind, int depth)
{
    const auto children = childrenOf(cursor);
    node.kind = statementKind(kind, children.size());
    if (node.kind == Kind::Opaque)
        return;
    for (const auto child : children) {
        if (!isReference(clang_getCursorKind(child)))
            add(node, child, depth);
    }
    if (node.kind == Kind::If && (node.child(0).kind == Kind::Declaration || node.children.size() != children.size()))
        node.kind = Kind::OtherStatement;
    if (node.kind == Kind::Declaration) {
        for (const auto& child : node.children) {
            if (child->kind != Kind::Variable)
                node.kind = Kind::OtherStatement;
        }
    }
}

void TreeBuilder::fillExpression(Node& node, CXCursor cursor, CXCursorKind kind, int depth)
{
    std::vector<CXCursor> children;
    for (const auto child : childrenOf(cursor)) {
        if (!isReference(clang_getCursorKind(child)))
            children.push_back(child);
    }
    switch (kind) {
    case CXCursor_VarDecl:
        return fillVariable(node, cursor, children, depth);
    case CXCursor_DeclRefExpr: {
        const auto declaration = clang_getCursorReferenced(cursor);
        const auto declared = clang_getCursorKind(declaration);
        if (declared != CXCursor_VarDecl && declared != CXCursor_ParmDecl)
            return;
        node.kind = Kind::Name;
        node.symbol = symbolOf(declaration);
        return;
    }
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        return fillBinary(node, children, depth);
    case CXCursor_UnaryOperator:
        return fillUnary(node, children, depth);
    case CXCursor_CallExpr:
        return fillCall(node, cursor, depth);
    case CXCursor_InitListExpr: // "= {}" and "= {0}" are common
        node.kind = children.size() <= 1 ? Kind::Literal : Kind::Opaque;
        return;
    default:
        node.kind = expressionKind(kind, children.size());
    }
    for (const auto child : children)
        add(node, child, depth);
}

std::string TreeBuilder::between(std::size_t begin, std::size_t end) const
{
    return std::string(trimmed(slice(m_code, { begin, end })));
}

void TreeBuilder::fillBinary(Node& node, const std::vector<CXCursor>& children, int depth)
{
    for (const auto child : children)
        add(node, child, depth);
    static const std::set<std::string> known{ "+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&&", "||",
        "&", "|", "^", "<<", ">>", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "," };
    if (node.children.size() != 2)
        return;
    node.op = between(node.child(0).range.end, node.child(1).range.begin);
    if (known.contains(node.op))
        node.kind = Kind::Binary;
}

void TreeBuilder::fillUnary(Node& node, const std::vector<CXCursor>& children, int depth)
{
    for (const auto child : children)
        add(node, child, depth);
    static const std::set<std::string> known{ "-", "+", "!", "~", "*", "&", "++", "--" };
    if (node.children.size() != 1)
        return;
    const auto& operand = node.child(0).range;
    node.op = between(node.range.begin, operand.begin) + between(operand.end, node.range.end);
    if (known.contains(node.op))
        node.kind = Kind::Unary;
}

void TreeBuilder::fillCall(Node& node, CXCursor cursor, int depth)
{
    const auto name = toString(clang_getCursorSpelling(cursor));
    const int count = clang_Cursor_getNumArguments(cursor);
    const auto children = childrenOf(cursor);
    if (!children.empty() && clang_getCursorKind(children.front()) == CXCursor_MemberRefExpr) {
        for (const auto object : childrenOf(children.front())) {
            if (!isReference(clang_getCursorKind(object)))
                add(node, object, depth);
        }
    }
    for (int i = 0; i < count && i < 64; ++i)
        add(node, clang_Cursor_getArgument(cursor, static_cast<unsigned>(i)), depth);
    node.kind = Kind::Call;
    node.op = name;
    const bool indexing = name == "operator[]" && (node.children.size() == 2 || node.children.size() == 3);
    if (indexing) {
        node.children.erase(node.children.begin() + 1, node.children.end() - 1);
        node.kind = Kind::Subscript;
    }
}

void TreeBuilder::fillVariable(Node& node, CXCursor cursor, const std::vector<CXCursor>& children, int depth)
{
    node.kind = Kind::Variable;
    node.symbol = symbolOf(cursor);
    auto& symbol = m_out.symbols[static_cast<std::size_t>(node.symbol)];
    symbol.variable = &node;
    const auto rest = between(symbol.nameOffset + symbol.name.size(), node.range.end);
    const bool initialised = rest.find('=') != std::string::npos || rest.find('{') != std::string::npos
        || rest.find('(') != std::string::npos;
    // Array bounds come before the initialiser: only the last expression is it.
    if (initialised && !children.empty())
        add(node, children.back(), depth);
}

// libclang leaves the ';' out of most statements.
void TreeBuilder::finishStatement(Node& node) const
{
    if (!node.children.empty() && (node.kind == Kind::For || node.kind == Kind::If))
        node.range.end = std::max(node.range.end, node.children.back()->range.end);
    if (node.kind == Kind::For || node.kind == Kind::If) {
        for (auto& child : node.children) {
            const auto next = m_code.find_first_not_of(" \t\r\n", child->range.end);
            const bool body =
                &child == &node.children.back() || (node.kind == Kind::If && &child != &node.children.front());
            if (body && !isStatement(child->kind) && next != std::string::npos && m_code[next] == ';')
                child->range.end = next + 1;
        }
        node.range.end = std::max(node.range.end, node.children.back()->range.end);
        return;
    }
    const auto next = m_code.find_first_not_of(" \t\r\n", node.range.end);
    const bool bare = node.kind == Kind::Return || node.kind == Kind::Continue || node.kind == Kind::Break
        || node.kind == Kind::OtherStatement;
    if (bare && next != std::string::npos && m_code[next] == ';')
        node.range.end = next + 1;
    if (node.kind == Kind::Compound) {
        for (auto& child : node.children) {
            const auto behind = m_code.find_first_not_of(" \t\r\n", child->range.end);
            if (!isStatement(child->kind) && behind != std::string::npos && m_code[behind] == ';')
                child->range.end = behind + 1;
        }
    }
}

} // namespace rooftree::synth::transform
