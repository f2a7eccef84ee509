// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/policy.h"

namespace rooftree::search {

// The few fastest structures that can still grow, in turn.
std::unique_ptr<Policy> makeBeamPolicy(const PolicyOptions& options);

} // namespace rooftree::search
