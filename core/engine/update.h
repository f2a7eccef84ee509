// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/stopper.h"
#include "core/store/event.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

// What the engine tells the world: immutable values, numbered, merged to one signal per 50-100 ms.
namespace rooftree::engine {

enum class Phase { Starting, Admitting, Baselines, Searching, Paused, Draining, Measuring, Stopped };
std::string_view phaseName(Phase phase);

// Where the time of a run went, in milliseconds of the worker or of the proposers.
struct TimeSplit {
    double proposeMs = 0;
    double buildMs = 0;
    double verifyMs = 0;
    double timeMs = 0;
    double duelMs = 0;
};

struct EngineStatus {
    Phase phase = Phase::Starting;
    std::string activity; // "node 17: time", one line
    search::Budget budget;
    search::Spent spent;
    int running = 0; // expansions in flight
    int failed = 0; // evaluated nodes that did not pass
    int nodes = 0;
    NodeId champion;
    std::map<std::string, measure::Interval> championSpeedup; // by baseline, from its latest measurement
    TimeSplit split;
    std::string stoppedBy; // when Stopped
    std::optional<Error> error; // when Stopped by a fault
};

struct EngineUpdate {
    uint64_t number = 0; // from 1, without gaps
    std::vector<std::shared_ptr<const store::Event>> events; // in order; together: the session from its first event on
    EngineStatus status;
    std::vector<std::string> notices; // sentences that are no events: "the worker was killed, it is started again"
};

using EngineUpdatePtr = std::shared_ptr<const EngineUpdate>;

} // namespace rooftree::engine
