// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/database.h"

namespace rooftree::store {

// Carries every event of 'from' into the projection tables of 'into', which are empty. The caller holds the transaction of 'into'.
Status projectEvents(Database& from, Database& into);

// Pages, event numbers, blobs, and the projections against ones computed anew in memory. The caller holds a transaction.
Status checkSession(Database& database);

} // namespace rooftree::store
