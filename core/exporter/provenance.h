// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exporter/exporter.h"

namespace rooftree::exporter {

// PROVENANCE.json: where the kernel comes from and what was measured. 'sources' are the kernel's exported files, whose hashes it records.
std::string provenanceText(const ExportRequest& request, const std::vector<ExportFile>& sources);

} // namespace rooftree::exporter
