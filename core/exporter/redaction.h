// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exporter/exporter.h"

namespace rooftree::exporter {

// Words of this machine that must not leave it.
struct PrivateWords {
    std::string user;
    std::string host;
    std::string home;
};
PrivateWords privateWords();

// Refuses absolute paths, keys, and the words above; the Error names file, line and what to do.
Status checkNothingPrivate(const std::vector<ExportFile>& files, const PrivateWords& words);

} // namespace rooftree::exporter
