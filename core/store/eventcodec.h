// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/event.h"
#include "core/store/sessionfile.h"

#include <array>

// Events as text. The payload is a small JSON object that is enough for the tree and for a list of nodes; the part is the big rest
// (operator, candidate, evaluation, decision record, cases of a duel). Pure; any thread.
namespace rooftree::store {

// The names of the kinds, in the order of the variant.
const std::array<std::string_view, std::variant_size_v<EventBody>>& eventKinds();

struct EncodedEvent {
    std::string kind;
    std::string payload;
    std::string part; // empty: none
};

EncodedEvent encode(const EventBody& body);

// Whether decoding this kind in this detail needs the part.
bool needsPart(std::string_view kind, Detail detail);

// Nothing for an unknown kind. 'part' is looked at only when needsPart().
Result<std::optional<EventBody>> decode(
    std::string_view kind, std::string_view payload, std::string_view part, Detail detail);

} // namespace rooftree::store
