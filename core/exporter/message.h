// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exporter/exporter.h"

namespace rooftree::exporter {

// "Add softmax kernel for AMD EPYC (1.73x over naive)", the measured table, and trailers. The author is git's; none is invented.
std::string commitMessage(const ExportRequest& request, bool verified);

// rooftree/<session-slug>/<node>
std::string defaultBranch(const ExportRequest& request);

} // namespace rooftree::exporter
