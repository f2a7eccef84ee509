// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rooftree::spec {

// An arithmetic expression over axes: numbers, names, + - * / % ( ) and min, max, ceildiv, log2; comparisons, && and ||
// give 1 or 0 (used by "require" lines). Immutable value, cheap to copy; any thread. An empty expression evaluates to
// 0.
class Expression {
public:
    Expression() = default;
    explicit Expression(double constant);
    // The Error's text says what was expected and at which column.
    static Result<Expression> parse(std::string_view text);

    bool empty() const { return m_text.empty(); }
    const std::string& text() const { return m_text; }
    std::vector<std::string> names() const; // sorted, each once

    // An Error names the unknown variable or the division by zero.
    Result<double> evaluate(const std::map<std::string, int64_t>& variables) const;

private:
    struct Step;
    std::string m_text;
    std::shared_ptr<const std::vector<Step>> m_program; // reverse Polish
};

} // namespace rooftree::spec
