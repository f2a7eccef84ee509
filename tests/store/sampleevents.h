// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/event.h"

namespace rooftree::store {

SessionCreated sampleSession();
measure::Evaluation sampleEvaluation(int64_t salt);

// One event of every kind, with no field left at its default.
std::vector<EventBody> oneOfEveryKind();

// The root and its evaluation.
std::vector<EventBody> rootEvents();
// One expansion from its selection to its end, giving node 'id' below 'parent'; every seventh fails to compile.
std::vector<EventBody> nodeEvents(int64_t id, int64_t parent);

} // namespace rooftree::store
