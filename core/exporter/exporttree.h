// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exporter/exporter.h"

namespace rooftree::exporter {

// Writes the files below a folder. Refuses paths that would leave it, also through a link that is there already.
Status writeTree(const std::filesystem::path& folder, const std::vector<ExportFile>& files);

// The folder that all files of an export share: the first part of their paths.
std::string topFolder(const std::vector<ExportFile>& files);

} // namespace rooftree::exporter
