// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exporter/exporter.h"

namespace rooftree::exporter {

// A name for files and targets: [a-z][a-z0-9_]*, at most 62 characters.
std::string slugOf(std::string_view name);

// The candidate's files below "src/", the main one as "src/<slug>.cpp": with the licence in their first lines, and without the
// "rooftree:" lines when the request says so.
std::vector<ExportFile> kernelFiles(const ExportRequest& request, const std::string& slug);

// The source without what only the tuner reads.
std::string stripped(std::string_view source);

// Flags for every machine of the architecture, and those that bind to an instruction set. OpenMP's own flag is CMake's business.
struct FlagSets {
    std::vector<std::string> portable;
    std::vector<std::string> native;
};
FlagSets flagSets(const kernel::Candidate& candidate);
std::string recordedFlags(const kernel::Candidate& candidate); // "-std=c++20 -fopenmp -O3 -march=native"
std::string recordedCompiler(const ExportRequest& request); // "g++ 12.2.0"

} // namespace rooftree::exporter
