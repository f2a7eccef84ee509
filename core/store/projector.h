// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/database.h"
#include "core/store/event.h"

namespace rooftree::store {

// Carries one event into the projection tables. The caller holds the transaction. It uses only what Detail::Summary gives back, so
// that computing the tables again from the events gives the same rows.
class Projector {
public:
    explicit Projector(Database& database)
        : m_database(database)
    {
    }

    Status apply(const Event& event);

private:
    Status on(const SessionCreated& event);
    Status on(const RunStarted&) { return success(); }
    Status on(const RunStopped&) { return success(); }
    Status on(const BaselineMeasured& event);
    Status on(const ExpansionSelected& event);
    Status on(const NodeAdded& event);
    Status on(const NodeEvaluated& event);
    Status on(const NodeLost& event);
    Status on(const ExpansionEnded& event);
    Status on(const DuelFought& event);
    Status on(const ChampionMeasured& event);
    Status on(const Steered& event);

    Status replaceDetails(const NodeEvaluated& event);
    Status putSpeedup(NodeId node, const std::string& baseline, int64_t duel, const measure::Interval& speedup);

    Database& m_database;
    int64_t m_sequence = 0; // of the event that is being applied
    int64_t m_wallMs = 0;
};

} // namespace rooftree::store
