// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/policy.h"

namespace rooftree::search {

// Independent drafts from the root and, when it has no more of them, the library's drafts in turn: the honest control.
std::unique_ptr<Policy> makeBestOfPolicy(const PolicyOptions& options);

} // namespace rooftree::search
