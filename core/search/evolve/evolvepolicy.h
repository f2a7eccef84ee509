// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/policy.h"

namespace rooftree::search {

// Islands with a MAP-Elites archive each (bound x technique), tournament parents, a second parent, and migration.
std::unique_ptr<Policy> makeEvolvePolicy(const PolicyOptions& options);

} // namespace rooftree::search
