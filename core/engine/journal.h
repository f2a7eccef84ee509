// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"
#include "core/engine/sessionstate.h"
#include "core/store/sessionfile.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rooftree::engine {

// The one way in which a session changes: an event goes to the file, then into the state, then to whoever listens.
// After a fault of the file (disk full) nothing changes any more, so that state and file never part. Engine thread
// only.
class Journal {
public:
    explicit Journal(const Clock& clock);

    void setFile(std::unique_ptr<store::SessionFile> file) { m_file = std::move(file); }
    store::SessionFile& file() { return *m_file; }
    bool hasFile() const { return m_file != nullptr; }

    // False when the file could not take them; see fault().
    bool record(const store::EventBody& body);
    bool record(const std::vector<store::EventBody>& bodies);
    // Takes the events of a reopened file into the state and to the listeners.
    Status load();

    void notice(std::string text);

    SessionState& state() { return m_state; }
    const SessionState& state() const { return m_state; }
    const std::optional<Error>& fault() const { return m_fault; }

    // What has happened since the last call.
    std::vector<std::shared_ptr<const store::Event>> takeEvents() { return std::exchange(m_events, {}); }
    std::vector<std::string> takeNotices() { return std::exchange(m_notices, {}); }

private:
    const Clock& m_clock;
    std::unique_ptr<store::SessionFile> m_file;
    SessionState m_state;
    std::optional<Error> m_fault;
    std::vector<std::shared_ptr<const store::Event>> m_events;
    std::vector<std::string> m_notices;
    int64_t m_sequence = 0;
};

} // namespace rooftree::engine
