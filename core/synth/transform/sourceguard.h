// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernel/candidate.h"

#include <optional>
#include <string>
#include <vector>

// libclang parses recursively and in our process: what would exhaust its stack, or keep it busy for ever, is refused before.
namespace rooftree::synth::transform {

// Why the sources are not given to the parser: statements of thousands of tokens, thousands of nested loops, macros that multiply.
std::optional<std::string> refusal(const kernel::Candidate& candidate);

// The "<...>" headers of a candidate, sorted; nothing when an include leaves the usual places: "/dev/zero" would be read for ever.
std::optional<std::vector<std::string>> systemHeaders(const kernel::Candidate& candidate);

} // namespace rooftree::synth::transform
