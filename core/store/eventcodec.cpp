// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/eventcodec.h"

namespace rooftree::store {

const std::array<std::string_view, std::variant_size_v<EventBody>>& eventKinds()
{
    // In the order of the variant; the names are in files, so they never change.
    static constexpr std::array<std::string_view, std::variant_size_v<EventBody>> kinds{ "session-created",
        "run-started", "run-stopped", "baseline-measured", "expansion-selected", "node-added", "node-evaluated",
        "node-lost", "expansion-ended", "duel-fought", "champion-measured", "steered" };
    return kinds;
}

std::string eventName(const EventBody& body)
{
    return std::string(eventKinds()[body.index()]);
}

} // namespace rooftree::store
