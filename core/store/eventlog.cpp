// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/eventlog.h"

#include "core/store/blobs.h"
#include "core/store/eventcodec.h"

namespace rooftree::store {

namespace {

// The event of a row "seq, wall_ms, kind, payload, blob".
Result<std::optional<EventBody>> decodeRow(Database& database, const Query& row, Detail detail)
{
    std::string part;
    if (!row.isNull(4) && needsPart(row.text(2), detail)) {
        auto loaded = loadBlob(database, row.text(4));
        if (!loaded)
            return loaded.error();
        part = std::move(loaded).value();
    }
    auto body = decode(row.text(2), row.text(3), part, detail);
    if (body)
        return body;
    const auto& error = body.error();
    return Error{ error.code, "'" + database.path() + "', event " + std::to_string(row.integer(0)) + ": " + error.text,
        error.detail };
}

} // namespace

Status writeEvent(Database& database, int64_t sequence, int64_t wallMs, const EventBody& body)
{
    const auto encoded = encode(body);
    std::optional<std::string> blob;
    if (!encoded.part.empty()) {
        auto name = storeBlob(database, encoded.part);
        if (!name)
            return name.error();
        blob = std::move(name).value();
    }
    return database.run("INSERT INTO event(seq, wall_ms, kind, payload, blob) VALUES(?, ?, ?, ?, ?)", sequence, wallMs,
        encoded.kind, encoded.payload, blob);
}

Status readEvents(Database& database, int64_t from, Detail detail, const std::function<bool(const Event&)>& callback)
{
    Query query(database, "SELECT seq, wall_ms, kind, payload, blob FROM event WHERE seq >= ? ORDER BY seq");
    query.bind(from);
    while (query.next()) {
        auto body = decodeRow(database, query, detail);
        if (!body)
            return body.error();
        if (*body && !callback({ query.integer(0), query.integer(1), **std::move(body) }))
            return success();
    }
    return query.status();
}

Result<EventBody> readEvent(Database& database, int64_t sequence)
{
    Query query(database, "SELECT seq, wall_ms, kind, payload, blob FROM event WHERE seq = ?");
    query.bind(sequence);
    if (query.next()) {
        auto body = decodeRow(database, query, Detail::Full);
        if (!body)
            return body.error();
        if (*body)
            return **std::move(body);
    } else if (auto status = query.status(); !status) {
        return status.error();
    }
    return Error{ ErrorCode::Parse,
        "'" + database.path() + "' is damaged: event " + std::to_string(sequence)
            + " is missing or unknown. Restore it from a backup." };
}

Result<int64_t> lastEvent(Database& database)
{
    return database.integer("SELECT coalesce(max(seq), 0) FROM event");
}

} // namespace rooftree::store
