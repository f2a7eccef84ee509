// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ids.h"
#include "core/kernel/candidate.h"
#include "core/search/stopper.h"

#include <string>
#include <variant>

// What a person can ask of a running search. Values; each one that changes the session becomes a Steered event.
namespace rooftree::engine {

struct Pause { };
struct Continue { };
struct Step { }; // one more expansion, then pause
struct Stop { }; // running evaluations end, the champion is measured again, everything is kept
struct Abort { }; // running evaluations are canceled and lost
struct Pin {
    NodeId node;
    bool on = true;
};
struct Prune {
    NodeId node;
    bool on = true; // false: restore
};
struct Hint {
    NodeId node; // invalid: for the whole search
    std::string text;
};
struct Note {
    NodeId node;
    std::string text;
};
struct Insert { // a kernel written or edited by a person, as a child of 'parent'
    NodeId parent;
    kernel::Candidate candidate;
    std::string title;
};
struct Reevaluate {
    NodeId node;
};
struct SetBudget {
    search::Budget budget;
};
struct SetPolicy {
    std::string policy;
};

using Command =
    std::variant<Pause, Continue, Step, Stop, Abort, Pin, Prune, Hint, Note, Insert, Reevaluate, SetBudget, SetPolicy>;

} // namespace rooftree::engine
