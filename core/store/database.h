// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

struct sqlite3;
struct sqlite3_stmt;

// A thin RAII wrapper of SQLite: cached statements, errors as values, nothing about sessions. One connection per thread.
namespace rooftree::store {

class Database;

struct StatementDeleter {
    void operator()(sqlite3_stmt* statement) const;
};
using Statement = std::unique_ptr<sqlite3_stmt, StatementDeleter>;

// One run of a statement. It owns the statement while it lives and gives it back to the cache, so queries may nest.
class Query {
public:
    Query(Database& database, const char* sql);
    ~Query();
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;

    // Texts must live until the last next().
    void bind(int64_t value);
    void bind(double value);
    void bind(std::string_view value);
    void bind(std::nullopt_t);
    template <typename Value> void bind(const std::optional<Value>& value)
    {
        value ? bind(*value) : bind(std::nullopt);
    }
    void bindBytes(std::string_view value);

    bool next(); // false behind the last row and after a failure: then ask status()
    Status status() const;

    int columns() const;
    bool isNull(int column) const;
    int64_t integer(int column) const;
    double real(int column) const;
    std::string_view text(int column) const; // until the next next()
    std::string_view bytes(int column) const;

private:
    Database& m_database;
    const char* m_sql;
    Statement m_statement;
    int m_bound = 0;
    std::optional<Error> m_error;
};

enum class Access { ReadWrite, ReadOnly };

class Database {
public:
    // Never creates a file. ":memory:" is a private database.
    static Result<std::unique_ptr<Database>> open(const std::string& path, Access access);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    const std::string& path() const { return m_path; }
    Status execute(const char* script);
    template <typename... Values> Status run(const char* sql, const Values&... values)
    {
        Query query(*this, sql);
        (query.bind(values), ...);
        while (query.next()) { }
        return query.status();
    }
    // The first column of the first row, as an integer.
    Result<int64_t> integer(const char* sql);

    // What SQLite says about the last call, as one sentence with a remedy.
    Error error() const;
    bool inTransaction() const;

private:
    friend class Query;
    Database(std::string path, sqlite3* handle)
        : m_path(std::move(path))
        , m_handle(handle)
    {
    }
    Result<Statement> take(const char* sql);
    void giveBack(const char* sql, Statement statement);

    std::string m_path;
    sqlite3* m_handle;
    std::unordered_map<std::string_view, Statement> m_cache; // by the text of the literal
};

// Everything between begin() and commit() happens, or nothing of it.
class Transaction {
public:
    enum class Kind { Read, Write };
    Transaction(Database& database, Kind kind);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    const Status& began() const { return m_began; }
    Status commit();

private:
    Database& m_database;
    bool m_nested; // a read inside another transaction is part of it
    Status m_began;
};

} // namespace rooftree::store
