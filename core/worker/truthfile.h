// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/worker/casestore.h"

#include <optional>

namespace rooftree::worker {

// The bytes of a truth in the disk cache; made and read by the same machine.
std::string truthToBytes(const CaseTruth& truth);
std::optional<CaseTruth> truthFromBytes(std::string_view bytes);

} // namespace rooftree::worker
