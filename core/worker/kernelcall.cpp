// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/kernelcall.h"
#include "core/worker/childprotocol.h"

#include <array>
#include <utility>

namespace rooftree::worker {

namespace {

template <std::size_t> using Argument = uint64_t;

template <std::size_t... index> void callWith(void* entry, const uint64_t* arguments, std::index_sequence<index...>)
{
    reinterpret_cast<void (*)(Argument<index>...)>(entry)(arguments[index]...);
}

template <std::size_t count> void call(void* entry, const uint64_t* arguments)
{
    callWith(entry, arguments, std::make_index_sequence<count>{});
}

template <std::size_t... counts>
constexpr std::array<KernelCaller, sizeof...(counts)> callersFor(std::index_sequence<counts...>)
{
    return { &call<counts>... };
}

constexpr auto callers = callersFor(std::make_index_sequence<maxArguments + 1>{});

} // namespace

KernelCaller kernelCaller(int count)
{
    return count >= 0 && count <= maxArguments ? callers[static_cast<std::size_t>(count)] : nullptr;
}

} // namespace rooftree::worker
