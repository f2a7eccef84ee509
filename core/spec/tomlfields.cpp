// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/spec/tomlfields.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace rooftree::spec {

void TomlReading::fail(std::size_t line, const std::string& text)
{
    if (!m_error)
        m_error =
            Error{ ErrorCode::Parse, m_fileName + ":" + std::to_string(std::max<std::size_t>(line, 1)) + ": " + text };
}

void TomlReading::failAt(const std::string& place, const std::string& text)
{
    fail(lineOf(place), text);
}

std::size_t TomlReading::lineOf(std::string place) const
{
    while (true) {
        const auto found = m_lines.find(place);
        if (found != m_lines.end())
            return found->second;
        const auto cut = place.find_last_of(".[");
        if (cut == std::string::npos)
            return 1;
        place.resize(cut);
    }
}

static std::string inQuotes(std::string_view key)
{
    return "'" + elided(sanitizedUtf8(key), 80) + "'";
}

TomlFields::TomlFields(
    TomlReading& reading, const toml::table& table, std::string place, const std::vector<std::string>& known)
    : m_reading(reading)
    , m_table(table)
    , m_place(std::move(place))
    , m_line(lineOf(static_cast<const toml::node&>(table)))
{
    if (!m_place.empty())
        m_reading.remember(m_place, m_line);
    for (const auto* key : keysInFileOrder(table)) {
        const std::string name(key->str());
        m_reading.remember(placeOf(name), key->source().begin.line);
        if (std::find(known.begin(), known.end(), name) != known.end())
            continue;
        const auto nearest = nearestName(name, known);
        m_reading.fail(key->source().begin.line,
            "Unknown key " + inQuotes(name) + (m_place.empty() ? "" : " in " + m_place) + ". "
                + (nearest              ? "Did you mean '" + *nearest + "'?"
                        : known.empty() ? std::string("Remove it; nothing belongs here.")
                                        : "Remove it; the known keys are: " + join(known, ", ") + "."));
    }
}

std::vector<const toml::key*> TomlFields::keysInFileOrder(const toml::table& table)
{
    std::vector<const toml::key*> keys;
    for (const auto& [key, value] : table)
        keys.push_back(&key);
    std::stable_sort(keys.begin(), keys.end(), [](const toml::key* a, const toml::key* b) {
        const auto& left = a->source().begin;
        const auto& right = b->source().begin;
        return std::tie(left.line, left.column) < std::tie(right.line, right.column);
    });
    return keys;
}

const toml::node* TomlFields::find(const std::string& key)
{
    return m_table.get(key);
}

void TomlFields::require(const std::string& key, const std::string& example)
{
    if (!has(key))
        m_reading.fail(m_line,
            inQuotes(key) + " is missing" + (m_place.empty() ? "" : " in " + m_place) + ". Add " + example + ".");
}

void TomlFields::wrongType(const std::string& key, const toml::node& node, const char* wanted)
{
    m_reading.fail(lineOf(node), inQuotes(key) + " must be " + wanted + ". Change its value.");
}

void TomlFields::readString(const std::string& key, std::string& into)
{
    const auto* node = find(key);
    if (!node)
        return;
    if (const auto* text = node->as_string())
        into = text->get();
    else
        wrongType(key, *node, "a text in quotes");
}

void TomlFields::readNumber(const std::string& key, double& into)
{
    const auto* node = find(key);
    if (!node)
        return;
    const auto number = node->value<double>();
    if (node->is_number() && number && std::isfinite(*number))
        into = *number;
    else
        wrongType(key, *node, "a finite number");
}

void TomlFields::readExpression(const std::string& key, Expression& into)
{
    const auto* node = find(key);
    if (!node)
        return;
    if (const auto expression = expressionOf(m_reading, *node, inQuotes(key)))
        into = *expression;
}

const toml::table* TomlFields::table(const std::string& key)
{
    const auto* node = find(key);
    if (node && !node->is_table())
        wrongType(key, *node, "a table");
    return node ? node->as_table() : nullptr;
}

const toml::array* TomlFields::array(const std::string& key)
{
    const auto* node = find(key);
    if (node && !node->is_array())
        wrongType(key, *node, "a list");
    return node ? node->as_array() : nullptr;
}

std::vector<const toml::table*> TomlFields::tables(const std::string& key)
{
    std::vector<const toml::table*> tables;
    const auto* list = array(key);
    if (!list)
        return tables;
    for (const auto& element : *list) {
        if (element.is_table())
            tables.push_back(element.as_table());
        else
            wrongType(key, element, "a list of tables, written as [[...]]");
    }
    return tables;
}

std::optional<Expression> expressionOf(TomlReading& reading, const toml::node& node, const std::string& what)
{
    if (node.is_number()) {
        const auto number = node.value<double>();
        if (number && std::isfinite(*number))
            return Expression(*number);
    } else if (const auto* text = node.as_string()) {
        auto parsed = Expression::parse(text->get());
        if (parsed && !parsed->empty())
            return std::move(parsed).value();
        reading.fail(
            lineOf(node), what + ": " + (parsed ? "The expression is empty." : parsed.error().text) + " Correct it.");
        return std::nullopt;
    }
    reading.fail(lineOf(node), what + " must be a finite number or an expression in quotes. Change its value.");
    return std::nullopt;
}

} // namespace rooftree::spec
