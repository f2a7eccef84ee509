// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exporter/exporter.h"

namespace rooftree::exporter {

// A row scaling with every kind of thing that an export has to carry: two inputs, an integer output, a condition scale.
spec::Operator sampleOperator();
// A passed node of it, with two timed cases, one of them slower than the plain source.
ExportRequest sampleRequest();
// The kernel that belongs to it.
std::string sampleKernel();

const ExportFile* fileNamed(const std::vector<ExportFile>& files, const std::string& path);

} // namespace rooftree::exporter
