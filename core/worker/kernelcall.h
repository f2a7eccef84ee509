// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace rooftree::worker {

// Calls a C function with 'count' pointers and int64_t. On every ABI that we run on (System V x86-64, AAPCS64) both are passed as 64-bit
// integers, so one function type per count of arguments serves all operators. Null when there are too many arguments.
using KernelCaller = void (*)(void* entry, const uint64_t* arguments);
KernelCaller kernelCaller(int count);

} // namespace rooftree::worker
