// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace rooftree::worker {

// What `rooftree-worker --child` is: the process in which one candidate lives. It maps buffers and calls the kernel as it is told, and
// decides nothing. main() of every program that evaluates calls it when childArgument is argv[1], with the argument behind it.
inline constexpr const char* childArgument = "--child";
int childMain(const char* parentProcess);

} // namespace rooftree::worker
