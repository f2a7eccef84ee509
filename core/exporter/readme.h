// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exporter/exporter.h"
#include "core/exporter/templates.h"

namespace rooftree::exporter {

// The texts of README.md: what it is, how fast it is where (with interval and sample counts), what is slower, how it was checked.
Values readmeValues(const ExportRequest& request, const std::string& slug);

// "softmax kernel": the measured table as Markdown, also the body of the commit message.
std::string caseTable(const ExportRequest& request);
std::string deviceText(const target::Device& device); // "AMD EPYC, 2 threads"

} // namespace rooftree::exporter
