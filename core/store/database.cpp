// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/database.h"

#include <sqlite3.h>

namespace rooftree::store {

namespace {

constexpr int busyTimeoutMs = 10000;

Error errorFor(int code, const std::string& path, const char* message)
{
    const std::string detail = std::string(message) + " (SQLite code " + std::to_string(code) + ")";
    const std::string file = "'" + path + "'";
    switch (code & 0xff) {
    case SQLITE_FULL:
        return { ErrorCode::Io,
            "The disk is full: " + file + " could not be written. Free some space; what was written before is intact.",
            detail };
    case SQLITE_IOERR:
        return { ErrorCode::Io,
            "Reading or writing " + file
                + " failed. Look for a full disk, a quota or a file size limit; what was written before is intact.",
            detail };
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return { ErrorCode::Io, file + " is in use by another program. Close that program or wait for it.", detail };
    case SQLITE_NOTADB:
        return { ErrorCode::Parse, file + " is not a session file. Name a file that Rooftree wrote.", detail };
    case SQLITE_CORRUPT:
        return { ErrorCode::Parse,
            file + " is damaged. Restore it from a backup, or save what is readable with `sqlite3 FILE .recover`.",
            detail };
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return { ErrorCode::Environment, file + " must not be written. Change its permissions or copy it.", detail };
    case SQLITE_CANTOPEN:
        return { ErrorCode::Io, file + " cannot be opened. Look at the permissions of the file and its folder.",
            detail };
    case SQLITE_ERROR: // a table or a column that is not there
        return { ErrorCode::Parse, file + " does not have the tables of a session. Name a file that Rooftree wrote.",
            detail };
    default:
        return { ErrorCode::Internal, "The database of " + file + " reports an error. Please report it.", detail };
    }
}

} // namespace

void StatementDeleter::operator()(sqlite3_stmt* statement) const
{
    sqlite3_finalize(statement);
}

Query::Query(Database& database, const char* sql)
    : m_database(database)
    , m_sql(sql)
{
    auto statement = database.take(sql);
    if (statement)
        m_statement = std::move(statement).value();
    else
        m_error = statement.error();
}

Query::~Query()
{
    if (m_statement)
        m_database.giveBack(m_sql, std::move(m_statement));
}

void Query::bind(int64_t value)
{
    if (m_statement)
        sqlite3_bind_int64(m_statement.get(), ++m_bound, value);
}

void Query::bind(double value)
{
    if (m_statement)
        sqlite3_bind_double(m_statement.get(), ++m_bound, value);
}

void Query::bind(std::string_view value)
{
    if (m_statement)
        sqlite3_bind_text64(
            m_statement.get(), ++m_bound, value.data() ? value.data() : "", value.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Query::bind(std::nullopt_t)
{
    if (m_statement)
        sqlite3_bind_null(m_statement.get(), ++m_bound);
}

void Query::bindBytes(std::string_view value)
{
    if (m_statement)
        sqlite3_bind_blob64(m_statement.get(), ++m_bound, value.data(), value.size(), SQLITE_STATIC);
}

bool Query::next()
{
    if (m_error)
        return false;
    const int code = sqlite3_step(m_statement.get());
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        m_error = m_database.error();
    return false;
}

Status Query::status() const
{
    return m_error ? Status(*m_error) : success();
}

int Query::columns() const
{
    return m_statement ? sqlite3_column_count(m_statement.get()) : 0;
}

bool Query::isNull(int column) const
{
    return sqlite3_column_type(m_statement.get(), column) == SQLITE_NULL;
}

int64_t Query::integer(int column) const
{
    return sqlite3_column_int64(m_statement.get(), column);
}

double Query::real(int column) const
{
    return sqlite3_column_double(m_statement.get(), column);
}

std::string_view Query::text(int column) const
{
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(m_statement.get(), column));
    return data ? std::string_view(data, static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), column)))
                : std::string_view();
}

std::string_view Query::bytes(int column) const
{
    const auto* data = static_cast<const char*>(sqlite3_column_blob(m_statement.get(), column));
    return data ? std::string_view(data, static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), column)))
                : std::string_view();
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Access access)
{
    sqlite3* handle = nullptr;
    const int flags = (access == Access::ReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX
        | SQLITE_OPEN_EXRESCODE;
    const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
    auto database = std::unique_ptr<Database>(new Database(path, handle));
    if (code != SQLITE_OK)
        return errorFor(code, path, sqlite3_errstr(code));
    sqlite3_busy_timeout(handle, busyTimeoutMs);
    // A session may come from anybody: its schema must not run code of its own.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    return database;
}

Database::~Database()
{
    m_cache.clear();
    sqlite3_close_v2(m_handle);
}

Status Database::execute(const char* script)
{
    if (sqlite3_exec(m_handle, script, nullptr, nullptr, nullptr) != SQLITE_OK)
        return error();
    return success();
}

Result<int64_t> Database::integer(const char* sql)
{
    Query query(*this, sql);
    if (query.next())
        return query.integer(0);
    if (auto status = query.status(); !status)
        return status.error();
    return int64_t{ 0 };
}

Error Database::error() const
{
    return errorFor(sqlite3_extended_errcode(m_handle), m_path, sqlite3_errmsg(m_handle));
}

bool Database::inTransaction() const
{
    return sqlite3_get_autocommit(m_handle) == 0;
}

Result<Statement> Database::take(const char* sql)
{
    if (const auto found = m_cache.find(sql); found != m_cache.end() && found->second)
        return std::move(found->second);
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v3(m_handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK)
        return error();
    return Statement(statement);
}

void Database::giveBack(const char* sql, Statement statement)
{
    sqlite3_reset(statement.get());
    sqlite3_clear_bindings(statement.get());
    m_cache[sql] = std::move(statement);
}

Transaction::Transaction(Database& database, Kind kind)
    : m_database(database)
    , m_nested(kind == Kind::Read && database.inTransaction())
    , m_began(m_nested ? success() : database.execute(kind == Kind::Write ? "BEGIN IMMEDIATE" : "BEGIN"))
{
}

Transaction::~Transaction()
{
    // After a full disk SQLite may have rolled back by itself; then there is nothing left to do.
    if (!m_nested && m_began && m_database.inTransaction())
        (void)m_database.execute("ROLLBACK");
}

Status Transaction::commit()
{
    return m_nested ? success() : m_database.execute("COMMIT");
}

} // namespace rooftree::store
