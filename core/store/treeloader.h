// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/tree.h"
#include "core/store/database.h"

namespace rooftree::store {

// The search tree from the table 'node', without reading events. The caller holds the transaction.
Result<search::Tree> loadTree(Database& database);

} // namespace rooftree::store
