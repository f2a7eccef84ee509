// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#ifndef Q_MOC_RUN // the moc of Qt 6.4 cannot read <concepts>
#include <compare>
#endif
#include <cstdint>
#include <functional>

namespace rooftree {

// A strong integer id: two kinds of id never mix. -1 is "none".
template <typename Tag> struct Id {
    int64_t value = -1;
    bool valid() const { return value >= 0; }
    auto operator<=>(const Id&) const = default;
};

// Nodes are numbered from 0 (the root) in the order in which they enter the tree.
using NodeId = Id<struct NodeTag>;
// Expansions are numbered from 0 in the order in which the policy selects them.
using ExpansionId = Id<struct ExpansionTag>;
// Jobs are numbered by whoever sends them to a worker.
using JobId = Id<struct JobTag>;

} // namespace rooftree

template <typename Tag> struct std::hash<rooftree::Id<Tag>> {
    std::size_t operator()(const rooftree::Id<Tag>& id) const { return std::hash<int64_t>{}(id.value); }
};
