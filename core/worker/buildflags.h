// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/worker/protocol.h"

#include <optional>
#include <string>
#include <vector>

namespace rooftree::worker {

// The first flag that a source of this purpose may not ask for, with the reason as one sentence; nothing when all may be used. A flag
// comes from a candidate's source, so whatever could run a program or reach a file is refused.
std::optional<std::string> refusedFlag(const std::vector<std::string>& flags, Purpose purpose);

} // namespace rooftree::worker
