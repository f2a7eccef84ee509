// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/measure/evaluation.h"
#include "core/target/device.h"

namespace rooftree::worker {

// Writes rooflineFraction, bound and boundEvidence. The rule is simple on purpose: when the timed cases reach at least half of the
// roofline, the kernel is bound by the ceiling that makes the floor in most of them (memory or compute); below that neither is
// exhausted and the word is "latency". Nothing without peaks.
void diagnoseBound(const spec::Operator& op, const target::Device& device, measure::Evaluation& evaluation);

} // namespace rooftree::worker
