// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/analysis.h"

#include <algorithm>

namespace rooftree::synth::transform {

bool isPureFunction(std::string_view name)
{
    static const std::set<std::string, std::less<>> names{ "abs", "fabs", "fabsf", "exp", "expf", "exp2", "exp2f",
        "expm1", "expm1f", "log", "logf", "log2", "log2f", "log1p", "log1pf", "sqrt", "sqrtf", "cbrt", "cbrtf", "pow",
        "powf", "sin", "sinf", "cos", "cosf", "tan", "tanf", "tanh", "tanhf", "sinh", "cosh", "asin", "acos", "atan",
        "atan2", "erf", "erff", "erfc", "erfcf", "floor", "floorf", "ceil", "ceilf", "round", "roundf", "trunc",
        "truncf", "rint", "nearbyint", "fmod", "fmodf", "fma", "fmaf", "fmax", "fmaxf", "fmin", "fminf", "max", "min",
        "clamp", "isnan", "isinf", "isfinite", "copysign", "hypot", "infinity", "lowest", "epsilon", "size", "data",
        "begin", "end", "operator*", "operator+", "operator-", "operator==", "operator!=", "operator<", "max_element",
        "min_element", "accumulate", "inner_product" };
    return names.contains(name);
}

namespace {

bool isAssignment(const Node& node)
{
    return node.kind == Kind::Binary && node.op.ends_with('=') && node.op != "==" && node.op != "!=" && node.op != "<="
        && node.op != ">=";
}

class UseCollector {
public:
    explicit UseCollector(Uses& out)
        : m_out(out)
    {
    }

    void visit(const Node& node)
    {
        switch (node.kind) {
        case Kind::Opaque:
            m_out.opaque = true;
            break;
        case Kind::Return:
            m_out.jumps = true;
            break;
        case Kind::Variable:
            m_out.declared.push_back(&node);
            break;
        case Kind::Call:
            m_out.calls.push_back(&node);
            break;
        case Kind::Name:
        case Kind::Subscript:
            return access(node, true, false, {}, nullptr);
        case Kind::Binary:
            if (isAssignment(node))
                return assignment(node);
            break;
        case Kind::Unary:
            return unary(node);
        default:
            break;
        }
        for (const auto& child : node.children)
            visit(*child);
    }

private:
    void assignment(const Node& node)
    {
        visit(node.child(1));
        access(bare(node.child(0)), node.op != "=", true, node.op, &node);
    }

    void unary(const Node& node)
    {
        if (node.op == "++" || node.op == "--")
            access(bare(node.child(0)), true, true, node.op, &node);
        else if (node.op == "*" && bare(node.child(0)).kind == Kind::Call) // *std::max_element(...)
            visit(node.child(0));
        else if (node.op == "*")
            access(node, true, false, {}, nullptr);
        else if (node.op == "&")
            access(bare(node.child(0)), true, bare(node.child(0)).kind == Kind::Name, "&", nullptr);
        else
            visit(node.child(0));
    }

    void access(const Node& node, bool read, bool write, const std::string& op, const Node* assigned)
    {
        Use use;
        use.node = &node;
        use.read = read;
        use.write = write;
        use.op = op;
        use.assignment = assigned;
        const Node* base = &node;
        while (base->kind == Kind::Subscript) {
            use.subscripts.insert(use.subscripts.begin(), &base->child(1));
            base = &bare(base->child(0));
        }
        for (const auto* subscript : use.subscripts)
            visit(*subscript);
        if (base->kind == Kind::Name) {
            use.symbol = base->symbol;
            m_out.all.push_back(std::move(use));
            return;
        }
        // A write through something that is not a plain variable could go anywhere.
        m_out.opaque = m_out.opaque || write || base->kind == Kind::Unary;
        if (base != &node || base->kind == Kind::Unary) {
            for (const auto& child : base->children)
                visit(*child);
        } else {
            m_out.opaque = true;
        }
    }

    Uses& m_out;
};

} // namespace

Uses usesIn(const Node& node)
{
    Uses uses;
    UseCollector(uses).visit(node);
    return uses;
}

} // namespace rooftree::synth::transform
