// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/policy.h"

namespace rooftree::search {

// UCT over the structures of the tree, with progressive widening, virtual loss and a bonus for what a person pinned.
std::unique_ptr<Policy> makeMctsPolicy(const PolicyOptions& options);

} // namespace rooftree::search
