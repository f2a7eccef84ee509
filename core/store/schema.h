// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/database.h"

#include <array>

namespace rooftree::store {

// The tables that are computed from the events, each with the order in which two copies are compared.
struct ProjectionTable {
    const char* name;
    const char* selectAll;
    const char* deleteAll;
};
const std::array<ProjectionTable, 9>& projectionTables();

// In an empty database: events, blobs and projections, marked as ours, in one transaction.
Status createSchema(Database& database);
// The projections alone: for a copy in memory.
Status createProjectionTables(Database& database);
// Ours, of a version that we know, and complete. Writes nothing.
Status verifySchema(Database& database);

} // namespace rooftree::store
