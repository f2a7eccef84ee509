// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernel/candidate.h"

#include <filesystem>

namespace rooftree::kernel {

// A candidate from the disk: one file, or a folder whose files belong together. In a folder the main file is
// <entry>.cpp, else the only .cpp. Blocks. An Error says what is missing.
Result<Candidate> readKernel(const std::filesystem::path& path, const std::string& entry);

} // namespace rooftree::kernel
