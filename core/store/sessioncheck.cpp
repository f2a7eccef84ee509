// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/sessioncheck.h"

#include "core/store/blobs.h"
#include "core/store/eventlog.h"
#include "core/store/projector.h"
#include "core/store/schema.h"

namespace rooftree::store {

namespace {

Error damaged(const Database& database, const std::string& what, const std::string& detail = {})
{
    return { ErrorCode::Parse, "'" + database.path() + "' is damaged: " + what, detail };
}

Status checkPages(Database& database)
{
    Query query(database, "PRAGMA integrity_check(1)");
    if (!query.next())
        return query.status() ? Status(damaged(database, "its pages cannot be checked. Restore it from a backup."))
                              : query.status();
    if (query.text(0) != "ok")
        return damaged(database, "its pages are not sound. Restore it from a backup.", std::string(query.text(0)));
    return success();
}

Status checkEventNumbers(Database& database)
{
    const auto count = database.integer("SELECT count(*) FROM event");
    const auto last = lastEvent(database);
    const auto first = database.integer("SELECT coalesce(min(seq), 1) FROM event");
    if (!count || !last || !first)
        return (!count ? count : !last ? last : first).error();
    if (*first != 1 || *count != *last)
        return damaged(
            database, "events are missing between 1 and " + std::to_string(*last) + ". Restore it from a backup.");
    return success();
}

Status checkBlobs(Database& database)
{
    Query query(database, "SELECT blob FROM event WHERE blob IS NOT NULL");
    while (query.next()) {
        if (const auto blob = loadBlob(database, query.text(0)); !blob)
            return blob.error();
    }
    return query.status();
}

bool sameRow(const Query& a, const Query& b)
{
    for (int column = 0; column < a.columns(); ++column) {
        if (a.isNull(column) != b.isNull(column) || a.text(column) != b.text(column))
            return false;
    }
    return true;
}

Status compareTable(Database& database, Database& fresh, const ProjectionTable& table)
{
    Query stored(database, table.selectAll);
    Query computed(fresh, table.selectAll);
    while (true) {
        const bool more = stored.next();
        const bool moreComputed = computed.next();
        if (!stored.status() || !computed.status())
            return stored.status() ? computed.status() : stored.status();
        if (more != moreComputed || (more && !sameRow(stored, computed)))
            return damaged(database,
                std::string("its table '") + table.name + "' does not follow from its events. Rebuild its tables.");
        if (!more)
            return success();
    }
}

Status compareProjections(Database& database)
{
    auto fresh = Database::open(":memory:", Access::ReadWrite);
    if (!fresh)
        return fresh.error();
    if (auto status = createProjectionTables(**fresh); !status)
        return status;
    Transaction transaction(**fresh, Transaction::Kind::Write);
    if (!transaction.began())
        return transaction.began();
    if (auto status = projectEvents(database, **fresh); !status)
        return status;
    for (const auto& table : projectionTables()) {
        if (auto status = compareTable(database, **fresh, table); !status)
            return status;
    }
    return transaction.commit();
}

} // namespace

Status projectEvents(Database& from, Database& into)
{
    Projector projector(into);
    Status projected = success();
    auto status = readEvents(from, 1, Detail::Summary, [&](const Event& event) {
        projected = projector.apply(event);
        return projected.ok();
    });
    return projected ? status : projected;
}

Status checkSession(Database& database)
{
    for (auto* check : { checkPages, checkEventNumbers, checkBlobs, compareProjections }) {
        if (auto status = check(database); !status)
            return status;
    }
    return success();
}

} // namespace rooftree::store
