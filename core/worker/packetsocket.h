// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/worker/descriptor.h"

#include <cstddef>
#include <span>
#include <vector>

namespace rooftree::worker {

// One packet with descriptors over a SOCK_SEQPACKET socket. Both ends use these; they do not allocate but for the descriptors.
bool sendPacket(int socket, std::span<const std::byte> packet, std::span<const int> descriptors = {});

struct ReceivedPacket {
    std::size_t bytes = 0; // 0: the other end has gone
    bool failed = false;
    std::vector<Descriptor> descriptors;
};
ReceivedPacket receivePacket(int socket, std::span<std::byte> into);

template <typename Message> std::span<const std::byte> asPacket(const Message& message)
{
    return std::as_bytes(std::span<const Message, 1>(&message, 1));
}

} // namespace rooftree::worker
