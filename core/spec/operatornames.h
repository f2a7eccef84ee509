// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/spec/operator.h"

#include <optional>
#include <utility>

// The words of operator.toml and of its JSON form, and what both readers share. Plain functions, any thread.
namespace rooftree::spec {

template <typename Value> using NameTable = std::vector<std::pair<std::string, Value>>;

const NameTable<DType>& dtypeNames();
const NameTable<FillKind>& fillKindNames();
const NameTable<CheckMode>& checkModeNames();
const NameTable<Scale>& scaleNames();
const NameTable<Role>& roleNames();

std::optional<FillKind> fillKindFromName(const std::string& name);
const std::vector<std::string>& fillKeys(FillKind kind); // which parameters belong to it

template <typename Value> std::optional<Value> valueOf(const NameTable<Value>& table, const std::string& name)
{
    for (const auto& [known, value] : table) {
        if (known == name)
            return value;
    }
    return std::nullopt;
}

template <typename Value> std::string nameOf(const NameTable<Value>& table, Value value)
{
    for (const auto& [name, known] : table) {
        if (known == value)
            return name;
    }
    return {};
}

template <typename Value> std::vector<std::string> namesOf(const NameTable<Value>& table)
{
    std::vector<std::string> names;
    for (const auto& entry : table)
        names.push_back(entry.first);
    return names;
}

// "Unknown dtype 'float3'. Did you mean 'float32'?"
std::string unknownNameText(const std::string& what, const std::string& name, const std::vector<std::string>& known);

// The reference with 'real' in the operator's own floating dtype; empty when it mixes floating dtypes.
std::string naiveFromReference(const Operator& op);

std::string operatorHash(const Operator& op); // of everything but the hash

} // namespace rooftree::spec
