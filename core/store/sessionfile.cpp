// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/sessionfile.h"

#include "core/base/text.h"
#include "core/store/eventlog.h"
#include "core/store/projector.h"
#include "core/store/schema.h"
#include "core/store/sessioncheck.h"
#include "core/store/treeloader.h"
#include "core/store/writerlock.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace rooftree::store {

struct SessionFile::Private {
    std::filesystem::path path;
    OpenMode mode = OpenMode::ReadOnly;
    std::unique_ptr<WriterLock> lock; // goes after the database
    std::unique_ptr<Database> database;
    int64_t lastSequence = 0;

    Status append(const EventBody* bodies, std::size_t count, int64_t wallMs);
    Status openDatabase();
    Result<EventBody> eventOf(const char* sql, std::optional<int64_t> key, const std::string& what) const;
    // The event that a projection points at, which must be of this kind.
    template <typename Body>
    Result<Body> bodyOf(const char* sql, std::optional<int64_t> key, const std::string& what) const
    {
        auto event = eventOf(sql, key, what);
        if (!event)
            return event.error();
        if (auto* body = std::get_if<Body>(&event.value()))
            return std::move(*body);
        return Error{ ErrorCode::Parse,
            "'" + path.string() + "' is damaged: its tables disagree with its events. Rebuild its tables." };
    }
};

namespace {

std::string shown(const std::filesystem::path& path)
{
    return "'" + sanitizedUtf8(path.string()) + "'";
}

// An empty file that did not exist before, so that two programs cannot create the same session.
Status claimNewFile(const std::filesystem::path& path)
{
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd >= 0) {
        ::close(fd);
        return success();
    }
    const int why = errno;
    if (why == EEXIST)
        return Error{ ErrorCode::Usage,
            "The session " + shown(path) + " exists already. Name another file, or go on with `rooftree resume`." };
    return Error{ why == ENOENT || why == ENOTDIR || why == EISDIR ? ErrorCode::Usage : ErrorCode::Io,
        "The session " + shown(path) + " cannot be made: " + std::strerror(why)
            + ". Name a file in a folder that you can write." };
}

Status requireRegularFile(const std::filesystem::path& path)
{
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status))
        return Error{ ErrorCode::NotFound, "There is no session " + shown(path) + ". Check the name." };
    if (!std::filesystem::is_regular_file(status))
        return Error{ ErrorCode::Usage, shown(path) + " is not a file. Name the session file itself." };
    return success();
}

} // namespace

// WAL lets readers work beside the writer. synchronous = NORMAL writes every commit to the system before it returns, which
// survives the end of the process at any moment; only a crash of the whole machine may take back the last commits, never the file.
Status SessionFile::Private::openDatabase()
{
    auto opened = Database::open(path.string(), mode == OpenMode::ReadOnly ? Access::ReadOnly : Access::ReadWrite);
    if (!opened)
        return opened.error();
    database = std::move(opened).value();
    if (mode != OpenMode::Create) {
        if (auto status = verifySchema(*database); !status)
            return status;
    }
    if (mode != OpenMode::ReadOnly) {
        auto status =
            database->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA "
                              "wal_autocheckpoint = 4000; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY;");
        if (!status)
            return status;
    }
    if (mode == OpenMode::Create) {
        if (auto status = createSchema(*database); !status)
            return status;
    }
    const auto last = lastEvent(*database);
    if (!last)
        return last.error();
    lastSequence = *last;
    return success();
}

Result<std::unique_ptr<SessionFile>> SessionFile::open(const std::filesystem::path& path, OpenMode mode)
{
    auto d = std::make_unique<Private>();
    std::error_code error;
    const auto full = std::filesystem::weakly_canonical(path, error); // one lock, however the file is named
    d->path = error ? path : full;
    d->mode = mode;
    if (auto status = mode == OpenMode::Create ? claimNewFile(d->path) : requireRegularFile(d->path); !status)
        return status.error();
    if (mode != OpenMode::ReadOnly) {
        auto lock = WriterLock::take(d->path);
        if (!lock)
            return lock.error();
        d->lock = std::move(lock).value();
    }
    if (auto status = d->openDatabase(); !status) {
        if (mode == OpenMode::Create) {
            d->database.reset();
            std::filesystem::remove(d->path, error);
        }
        return status.error();
    }
    return std::unique_ptr<SessionFile>(new SessionFile(std::move(d)));
}

SessionFile::SessionFile(std::unique_ptr<Private> priv)
    : d(std::move(priv))
{
}

SessionFile::~SessionFile() = default;

const std::filesystem::path& SessionFile::path() const
{
    return d->path;
}

Status SessionFile::Private::append(const EventBody* bodies, std::size_t count, int64_t wallMs)
{
    if (mode == OpenMode::ReadOnly)
        return Error{ ErrorCode::Internal, "The session " + shown(path) + " is open for reading only." };
    Transaction transaction(*database, Transaction::Kind::Write);
    if (!transaction.began())
        return transaction.began();
    Projector projector(*database);
    auto sequence = lastSequence;
    for (std::size_t i = 0; i < count; ++i) {
        if (auto status = writeEvent(*database, ++sequence, wallMs, bodies[i]); !status)
            return status;
        if (auto status = projector.apply({ sequence, wallMs, bodies[i] }); !status)
            return status;
    }
    auto status = transaction.commit();
    if (status)
        lastSequence = sequence;
    return status;
}

Status SessionFile::append(const EventBody& body, int64_t wallMs)
{
    return d->append(&body, 1, wallMs);
}

Status SessionFile::append(const std::vector<EventBody>& bodies, int64_t wallMs)
{
    return d->append(bodies.data(), bodies.size(), wallMs);
}

Status SessionFile::read(int64_t sequence, Detail detail, const std::function<bool(const Event&)>& callback) const
{
    return readEvents(*d->database, sequence, detail, callback);
}

int64_t SessionFile::lastSequence() const
{
    // A reader beside a writer looks again.
    if (d->mode != OpenMode::ReadOnly)
        return d->lastSequence;
    const auto last = lastEvent(*d->database);
    return last ? *last : d->lastSequence;
}

Result<search::Tree> SessionFile::loadTree() const
{
    Transaction transaction(*d->database, Transaction::Kind::Read);
    if (!transaction.began())
        return transaction.began().error();
    return store::loadTree(*d->database);
}

Result<EventBody> SessionFile::Private::eventOf(
    const char* sql, std::optional<int64_t> key, const std::string& what) const
{
    Transaction transaction(*database, Transaction::Kind::Read);
    if (!transaction.began())
        return transaction.began().error();
    Query query(*database, sql);
    if (key)
        query.bind(*key);
    if (query.next())
        return readEvent(*database, query.integer(0));
    if (auto status = query.status(); !status)
        return status.error();
    return Error{ ErrorCode::NotFound, "The session " + shown(path) + " has no " + what + "." };
}

Result<SessionCreated> SessionFile::session() const
{
    return d->bodyOf<SessionCreated>(
        "SELECT seq FROM session", {}, "beginning: the program was stopped while it made it. Begin a new one");
}

Result<kernel::Candidate> SessionFile::candidate(NodeId node) const
{
    auto added =
        d->bodyOf<NodeAdded>("SELECT seq FROM node WHERE id = ?", node.value, "node " + std::to_string(node.value));
    if (!added)
        return added.error();
    return std::move(added->candidate);
}

Result<measure::Evaluation> SessionFile::evaluation(NodeId node) const
{
    auto evaluated = d->bodyOf<NodeEvaluated>(
        "SELECT seq FROM evaluation WHERE node = ?", node.value, "evaluation of node " + std::to_string(node.value));
    if (!evaluated)
        return evaluated.error();
    return std::move(evaluated->evaluation);
}

Result<std::map<std::string, measure::Interval>> SessionFile::speedups(NodeId node) const
{
    std::map<std::string, measure::Interval> speedups;
    Query query(*d->database,
        "SELECT baseline, value, lo, hi FROM speedup WHERE node = ? ORDER BY duel"); // a duel's word is the last
    query.bind(node.value);
    while (query.next())
        speedups[std::string(query.text(0))] = { query.real(1), query.real(2), query.real(3) };
    if (auto status = query.status(); !status)
        return status.error();
    return speedups;
}

Result<search::Selection> SessionFile::decision(NodeId node) const
{
    auto selected = d->bodyOf<ExpansionSelected>(
        "SELECT decision.seq FROM decision JOIN node ON decision.expansion = node.expansion WHERE node.id = ?",
        node.value,
        "decision for node " + std::to_string(node.value) + "; the root and nodes that a person added have none");
    if (!selected)
        return selected.error();
    return std::move(selected->selection);
}

Result<std::vector<BaselineMeasured>> SessionFile::baselines() const
{
    std::vector<BaselineMeasured> baselines;
    Query query(*d->database, "SELECT seq FROM baseline ORDER BY seq");
    while (query.next()) {
        auto body = readEvent(*d->database, query.integer(0));
        if (!body)
            return body.error();
        if (auto* baseline = std::get_if<BaselineMeasured>(&body.value()))
            baselines.push_back(std::move(*baseline));
    }
    if (auto status = query.status(); !status)
        return status.error();
    return baselines;
}

Status SessionFile::rebuildProjections()
{
    Transaction transaction(*d->database, Transaction::Kind::Write);
    if (!transaction.began())
        return transaction.began();
    for (const auto& table : projectionTables()) {
        if (auto status = d->database->run(table.deleteAll); !status)
            return status;
    }
    if (auto status = projectEvents(*d->database, *d->database); !status)
        return status;
    return transaction.commit();
}

Status SessionFile::check() const
{
    Transaction transaction(*d->database, Transaction::Kind::Read);
    if (!transaction.began())
        return transaction.began();
    return checkSession(*d->database);
}

} // namespace rooftree::store
