// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/policy.h"

namespace rooftree::search {

// The fastest structure that can still grow, and now and then any other one.
std::unique_ptr<Policy> makeGreedyPolicy(const PolicyOptions& options);

} // namespace rooftree::search
