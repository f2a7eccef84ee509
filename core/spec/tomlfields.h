// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/spec/expression.h"

// toml++ 3.3 asserts, and in a release build with Clang assumes, that "[[[" cannot occur, though it has an error for it
// behind the assertion. Neither must happen on a user's text, so its assertions are off however we are built.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expr) static_assert(true)
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rooftree::spec {

// One reading of a TOML file: keeps the first error, and on which line each place ("inputs[0].shape") stands. Include
// it in .cpp files of the reader only.
class TomlReading {
public:
    explicit TomlReading(std::string fileName)
        : m_fileName(std::move(fileName))
    {
    }

    void fail(std::size_t line, const std::string& text);
    // At the line of the place, or of the nearest place around it.
    void failAt(const std::string& place, const std::string& text);
    void remember(const std::string& place, std::size_t line) { m_lines[place] = line; }
    const std::optional<Error>& error() const { return m_error; }

private:
    std::size_t lineOf(std::string place) const;

    std::string m_fileName;
    std::optional<Error> m_error;
    std::map<std::string, std::size_t> m_lines;
};

// One table whose keys are all known: an unknown one is the reading's error. Every read leaves its target alone when
// the key is absent; a wrong type is an error.
class TomlFields {
public:
    TomlFields(
        TomlReading& reading, const toml::table& table, std::string place, const std::vector<std::string>& known);

    bool has(const std::string& key) const { return m_table.contains(key); }
    std::size_t line() const { return m_line; }
    std::string placeOf(const std::string& key) const { return m_place.empty() ? key : m_place + "." + key; }
    void require(const std::string& key, const std::string& example);

    void readString(const std::string& key, std::string& into);
    void readNumber(const std::string& key, double& into);
    void readExpression(const std::string& key, Expression& into); // a number or a text
    const toml::table* table(const std::string& key);
    const toml::array* array(const std::string& key);
    // An array of tables; other elements are errors.
    std::vector<const toml::table*> tables(const std::string& key);
    // The keys of a table in the order of the file; the parser keeps them sorted.
    static std::vector<const toml::key*> keysInFileOrder(const toml::table& table);

private:
    const toml::node* find(const std::string& key);
    void wrongType(const std::string& key, const toml::node& node, const char* wanted);

    TomlReading& m_reading;
    const toml::table& m_table;
    std::string m_place;
    std::size_t m_line;
};

// A number or a text as an expression; nothing and an error in the reading when it is neither.
std::optional<Expression> expressionOf(TomlReading& reading, const toml::node& node, const std::string& what);

inline std::size_t lineOf(const toml::node& node)
{
    return node.source().begin.line;
}

} // namespace rooftree::spec
