// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/target/device.h"

#include <functional>

namespace rooftree::target {

// Measures with all of the device's threads, each on a core of its own; the best of several short repetitions. Takes about a second
// and the whole machine. Bandwidths are the larger one of a triad and of plain reading: a kernel that only reads does not pay for
// the lines that a store fetches first, and nothing may look faster than physics.
Peaks measurePeaks(const Device& device);
// The same, and which share of the cores' time the measurement got: well below 1 when other programs took part of it, and the figures
// are then too low.
struct PeakMeasurement {
    Peaks peaks;
    double cpuShare = 0;
};
PeakMeasurement measurePeaksAndShare(const Device& device);

// The same, remembered in cacheDir() for 30 days. Waits up to two seconds until nothing else of ours works on the machine (so
// call it without holding a MachineLock) and tries again when other programs were busy. Figures taken while somebody else worked
// are returned but not kept.
Peaks cachedPeaks(const Device& device);
using PeakMeasurer = std::function<PeakMeasurement(const Device&)>;
Peaks cachedPeaks(const Device& device, const PeakMeasurer& measure);

Json toJson(const Peaks& peaks);
Peaks peaksFromJson(const Json& json); // what is missing or no number is 0

} // namespace rooftree::target
