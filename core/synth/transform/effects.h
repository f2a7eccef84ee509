// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/synth/transform/analysis.h"

#include <vector>

// What a call does to what its arguments point at.
namespace rooftree::synth::transform {

struct CallEffects {
    bool known = false; // it touches nothing but its arguments
    std::vector<bool> reads; // per argument that is a pointer; ends of ranges are not read
    std::vector<bool> writes; // per argument: through the pointer, or to the object that is passed by reference
};
// Knows the mathematical functions, some algorithms (std::fill, std::copy, memset) and the functions of the same file.
CallEffects effectsOf(const Analysis& analysis, const Node& call);
// All calls in it have known effects and write nothing.
bool callsArePure(const Uses& uses);

} // namespace rooftree::synth::transform
