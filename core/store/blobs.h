// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/database.h"

namespace rooftree::store {

// Texts in the table 'blob', compressed and named by the SHA-256 of what they hold: the same text is kept once.
Result<std::string> storeBlob(Database& database, std::string_view text); // gives the name
Result<std::string> loadBlob(Database& database, std::string_view name); // an Error when it is missing or damaged

} // namespace rooftree::store
