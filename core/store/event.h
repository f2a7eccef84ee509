// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ids.h"
#include "core/kernel/candidate.h"
#include "core/measure/duel.h"
#include "core/measure/evaluation.h"
#include "core/search/decision.h"
#include "core/search/stopper.h"
#include "core/spec/operator.h"
#include "core/target/device.h"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// What can happen in a session. A session is the list of its events; everything else is computed from it. Plain values.
namespace rooftree::store {

struct SessionCreated {
    std::string session; // 26 characters, sortable by time
    std::string version; // of the program
    spec::Operator op;
    target::Device device;
    std::vector<target::Toolchain> toolchains; // what proposers could count on
    std::string language;
    std::string policy;
    std::vector<std::string> proposers;
    uint64_t seed = 1;
    int jobs = 1; // expansions in flight
    search::Budget budget;
    std::string cache; // "warm" or "cold"
};

// A program took the session up (the first time or to resume it). Jobs that were running before are lost by it.
struct RunStarted {
    search::Budget budget;
    std::string environment; // one line: host-free description of machine and sandbox
};

struct RunStopped {
    std::string reason; // a limit's name, "user", "exhausted", "error: ..."
    int64_t activeMs = 0; // of this run
};

struct BaselineMeasured {
    std::string name; // "naive", "vendor"
    std::string library; // "OpenBLAS"; empty for naive
    measure::Evaluation evaluation;
};

struct ExpansionSelected {
    ExpansionId expansion;
    search::Selection selection;
};

struct NodeAdded {
    NodeId node;
    ExpansionId expansion; // invalid for the root and for human nodes
    std::vector<NodeId> parents;
    std::string proposer;
    std::string technique;
    std::string title;
    std::string moveKey;
    std::string sourceHash;
    std::string structureHash;
    kernel::Candidate candidate;
};

struct NodeEvaluated {
    NodeId node;
    measure::Evaluation evaluation;
    std::optional<double> value; // log speedup over naive
    std::map<std::string, measure::Interval> speedup; // by baseline
};

struct NodeLost {
    NodeId node;
    std::string reason;
};

// The end of an expansion, always after the node events that belong to it.
struct ExpansionEnded {
    ExpansionId expansion;
    std::string outcome; // "evaluated", "duplicate", "exhausted", "lost", "failed"
    NodeId child; // the new node, or the known one of a duplicate; invalid otherwise
    std::string text;
};

struct DuelFought {
    NodeId candidate;
    NodeId incumbent;
    measure::DuelResult result;
    bool newChampion = false;
};

// The champion measured again, in fresh processes, against a baseline.
struct ChampionMeasured {
    NodeId node;
    std::string baseline;
    measure::DuelResult result;
};

// What a person did: "pin", "unpin", "prune", "restore", "hint", "note", "insert", "budget", "policy", "export",
// "baseline".
struct Steered {
    std::string action;
    NodeId node;
    std::string text;
};

using EventBody = std::variant<SessionCreated, RunStarted, RunStopped, BaselineMeasured, ExpansionSelected, NodeAdded,
    NodeEvaluated, NodeLost, ExpansionEnded, DuelFought, ChampionMeasured, Steered>;

struct Event {
    int64_t sequence = 0; // from 1, without gaps
    int64_t wallMs = 0;
    EventBody body;
};

std::string eventName(const EventBody& body); // "session-created", ...

} // namespace rooftree::store
