// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/database.h"
#include "core/store/event.h"
#include "core/store/sessionfile.h"

#include <functional>

namespace rooftree::store {

// The table 'event' with the blobs of its events. The caller of writeEvent holds the transaction.
Status writeEvent(Database& database, int64_t sequence, int64_t wallMs, const EventBody& body);
Status readEvents(Database& database, int64_t from, Detail detail, const std::function<bool(const Event&)>& callback);
Result<EventBody> readEvent(Database& database, int64_t sequence); // in full; an unknown kind is an Error
Result<int64_t> lastEvent(Database& database); // 0: none

} // namespace rooftree::store
