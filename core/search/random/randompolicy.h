// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/policy.h"

namespace rooftree::search {

// Every structure that can still grow is equally likely: the lower control.
std::unique_ptr<Policy> makeRandomPolicy(const PolicyOptions& options);

} // namespace rooftree::search
