// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/worker/machine.h"
#include "core/worker/protocol.h"

namespace rooftree::worker {

Hello helloOf(const Machine& machine);

} // namespace rooftree::worker
