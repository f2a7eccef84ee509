// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/tree.h"
#include "core/store/event.h"

#include <filesystem>
#include <functional>
#include <memory>

namespace rooftree::store {

enum class OpenMode {
    Create, // must not exist
    ReadWrite, // the one writer; refused while another process writes
    ReadOnly, // beside a writer
};

// How much of an event is read back: big parts (sources, evaluations, records, duels) live in blobs of their own.
enum class Detail { Summary, Full };

// One session, one SQLite file (WAL, application_id, user_version). The append-only table 'event' is the truth; the
// other tables are projections for queries. Big values are zstd-compressed blobs named by their SHA-256. One object per
// thread.
class SessionFile {
public:
    static Result<std::unique_ptr<SessionFile>> open(const std::filesystem::path& path, OpenMode mode);
    ~SessionFile();

    const std::filesystem::path& path() const;

    // Writes the event and its projections in one transaction, durable against kill -9 when it returns. Errors: disk
    // full and the like leave the file as it was before the call.
    Status append(const EventBody& body, int64_t wallMs);
    // Several events in one transaction.
    Status append(const std::vector<EventBody>& bodies, int64_t wallMs);

    // Calls back in order from 'sequence' on, until the callback returns false. Detail::Summary leaves these empty:
    // candidate files, logs of stages, samples and correctness of cases, certificates, decision records, duel cases. So
    // a fold over events gives the same in both details. An event of an unknown kind (newer minor version) is passed over.
    Status read(int64_t sequence, Detail detail, const std::function<bool(const Event&)>& callback) const;
    int64_t lastSequence() const;

    // From the projections, without reading events: fast for 100,000 nodes.
    Result<search::Tree> loadTree() const;
    Result<SessionCreated> session() const;
    Result<kernel::Candidate> candidate(NodeId node) const;
    Result<measure::Evaluation> evaluation(NodeId node) const; // the latest
    Result<std::map<std::string, measure::Interval>> speedups(NodeId node) const;
    Result<search::Selection> decision(NodeId node) const; // the expansion that made it; NotFound for the root
    Result<std::vector<BaselineMeasured>> baselines() const;

    // Throws the projections away and computes them again from the events.
    Status rebuildProjections();

    // Consistency of database and projections; the Error says what is wrong.
    Status check() const;

private:
    struct Private;
    explicit SessionFile(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace rooftree::store
