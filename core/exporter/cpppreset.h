// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exporter/exporter.h"

namespace rooftree::exporter {

// A folder <operator>/ that builds on its own or inside a larger CMake project: include/, src/ (the kernel, and the plain source as
// fallback), tests/, bench/, CMakeLists.txt, README.md, LICENSE, PROVENANCE.json.
Result<std::vector<ExportFile>> cppPreset(const ExportRequest& request);

} // namespace rooftree::exporter
