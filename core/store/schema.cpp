// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/schema.h"

namespace rooftree::store {

namespace {

constexpr int64_t applicationId = 0x52465452; // "RFTR"; `file` and others tell a session by it
constexpr int64_t schemaVersion = 1;

constexpr const char* markSql = "PRAGMA application_id = 1380340818; PRAGMA user_version = 1;";

// The truth. Big parts of events are blobs, so that reading a list of events stays cheap.
constexpr const char* eventSql = R"(
CREATE TABLE event(
    seq INTEGER PRIMARY KEY, -- from 1, without gaps
    wall_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL, -- JSON
    blob TEXT); -- the big part, if the event has one
CREATE TABLE blob(hash TEXT PRIMARY KEY, raw_size INTEGER NOT NULL, data BLOB NOT NULL); -- zstd
)";

// For queries. Everything here can be computed from the events again; 'seq' is the event that a row comes from.
constexpr const char* projectionSql = R"(
CREATE TABLE session(
    id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, session TEXT NOT NULL, created_ms INTEGER NOT NULL, operator TEXT NOT NULL,
    device TEXT NOT NULL, language TEXT NOT NULL, policy TEXT NOT NULL, champion INTEGER NOT NULL);
CREATE TABLE node(
    id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, parents TEXT NOT NULL, -- "4" or "4,7"
    expansion INTEGER NOT NULL, proposer TEXT NOT NULL, technique TEXT NOT NULL, title TEXT NOT NULL, move_key TEXT NOT NULL,
    source_hash TEXT NOT NULL, structure_hash TEXT NOT NULL, island INTEGER NOT NULL,
    state INTEGER NOT NULL, -- 0 running, 1 done, 2 lost
    status TEXT, value REAL, bound TEXT,
    finished INTEGER NOT NULL DEFAULT 0, -- seq of its last evaluation or loss: the order in which the sums were made
    pinned INTEGER NOT NULL DEFAULT 0, pruned INTEGER NOT NULL DEFAULT 0,
    visits INTEGER NOT NULL DEFAULT 0, -- ended expansions of exactly this node
    exhausted TEXT NOT NULL DEFAULT ''); -- proposers, each followed by a newline
CREATE TABLE evaluation(
    node INTEGER PRIMARY KEY, seq INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL, bound TEXT NOT NULL,
    compiler TEXT NOT NULL, flags TEXT NOT NULL);
CREATE TABLE stage(
    node INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, status INTEGER NOT NULL, ms REAL NOT NULL,
    PRIMARY KEY(node, position)) WITHOUT ROWID;
CREATE TABLE metric(
    node INTEGER NOT NULL, name TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY(node, name)) WITHOUT ROWID;
CREATE TABLE speedup(
    node INTEGER NOT NULL, baseline TEXT NOT NULL, duel INTEGER NOT NULL, -- 1: from a duel, which is the better word
    value REAL NOT NULL, lo REAL NOT NULL, hi REAL NOT NULL, PRIMARY KEY(node, baseline, duel)) WITHOUT ROWID;
CREATE TABLE decision(
    expansion INTEGER PRIMARY KEY, seq INTEGER NOT NULL, parent INTEGER NOT NULL, proposer TEXT NOT NULL, memory TEXT NOT NULL,
    island INTEGER NOT NULL, outcome TEXT, child INTEGER, text TEXT);
CREATE TABLE steer(
    seq INTEGER PRIMARY KEY, wall_ms INTEGER NOT NULL, action TEXT NOT NULL, node INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE baseline(
    name TEXT PRIMARY KEY, seq INTEGER NOT NULL, library TEXT NOT NULL, status TEXT NOT NULL, geomean_ns REAL NOT NULL);
)";

Error foreign(const Database& database)
{
    return { ErrorCode::Parse,
        "'" + database.path() + "' is a database of another program, not a session. Name a file that Rooftree wrote." };
}

} // namespace

const std::array<ProjectionTable, 9>& projectionTables()
{
    static constexpr std::array<ProjectionTable, 9> tables{ {
        { "session", "SELECT * FROM session ORDER BY id", "DELETE FROM session" },
        { "node", "SELECT * FROM node ORDER BY id", "DELETE FROM node" },
        { "evaluation", "SELECT * FROM evaluation ORDER BY node", "DELETE FROM evaluation" },
        { "stage", "SELECT * FROM stage ORDER BY node, position", "DELETE FROM stage" },
        { "metric", "SELECT * FROM metric ORDER BY node, name", "DELETE FROM metric" },
        { "speedup", "SELECT * FROM speedup ORDER BY node, baseline, duel", "DELETE FROM speedup" },
        { "decision", "SELECT * FROM decision ORDER BY expansion", "DELETE FROM decision" },
        { "steer", "SELECT * FROM steer ORDER BY seq", "DELETE FROM steer" },
        { "baseline", "SELECT * FROM baseline ORDER BY name", "DELETE FROM baseline" },
    } };
    return tables;
}

Status createSchema(Database& database)
{
    Transaction transaction(database, Transaction::Kind::Write);
    if (!transaction.began())
        return transaction.began();
    for (const auto* script : { markSql, eventSql, projectionSql }) {
        if (auto status = database.execute(script); !status)
            return status;
    }
    return transaction.commit();
}

Status createProjectionTables(Database& database)
{
    return database.execute(projectionSql);
}

Status verifySchema(Database& database)
{
    const auto id = database.integer("PRAGMA application_id");
    if (!id)
        return id.error();
    const auto tables = database.integer("SELECT count(*) FROM sqlite_schema");
    if (!tables)
        return tables.error();
    if (*id == 0 && *tables == 0) {
        return Error{ ErrorCode::Parse,
            "'" + database.path()
                + "' is empty: the program was stopped while it made the session. Remove the file and begin again." };
    }
    if (*id != applicationId)
        return foreign(database);
    const auto version = database.integer("PRAGMA user_version");
    if (!version)
        return version.error();
    if (*version > schemaVersion) {
        return Error{ ErrorCode::Environment,
            "'" + database.path() + "' was written by a newer Rooftree (file version " + std::to_string(*version)
                + ", this program reads up to " + std::to_string(schemaVersion) + "). Update Rooftree to open it." };
    }
    if (*version < schemaVersion)
        return foreign(database);
    return success();
}

} // namespace rooftree::store
