// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/hello.h"

namespace rooftree::worker {

Hello helloOf(const Machine& machine)
{
    Hello hello;
    hello.version = ROOFTREE_VERSION;
    hello.devices.push_back(machine.device);
    hello.toolchains = machine.toolchains;
    hello.sandboxLevel = machine.sandbox.level;
    hello.sandboxReasons = machine.sandbox.reasons;
    for (const auto& toolchain : machine.toolchains) {
        if (!toolchain.usable())
            hello.missing.push_back(toolchain.name + ": " + toolchain.why);
    }
    return hello;
}

} // namespace rooftree::worker
