// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exporter/exporter.h"
#include "core/exporter/templates.h"

namespace rooftree::exporter {

// The generated parts of the exported test and benchmark: tables of shapes with everything evaluated (element counts, bounds of the fills),
// and the calls with the operator's signature. Only the operator's own shapes are used: which other sizes are legal, nobody
// but the operator knows.
Result<Values> testValues(const spec::Operator& op, const std::string& slug);
Result<Values> benchValues(const spec::Operator& op, const std::string& slug);

// A declaration of the operator's signature under another name.
std::string declarationAs(const spec::Operator& op, const std::string& symbol, spec::SignatureForm form);

} // namespace rooftree::exporter
