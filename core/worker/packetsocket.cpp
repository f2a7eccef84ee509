// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/packetsocket.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>

namespace rooftree::worker {

namespace {
constexpr std::size_t maxDescriptors = 4;
}

bool sendPacket(int socket, std::span<const std::byte> packet, std::span<const int> descriptors)
{
    iovec part{ const_cast<std::byte*>(packet.data()), packet.size() };
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * maxDescriptors)]{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!descriptors.empty() && descriptors.size() <= maxDescriptors) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
        cmsghdr* head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(descriptors.size_bytes());
        std::memcpy(CMSG_DATA(head), descriptors.data(), descriptors.size_bytes());
    }
    ssize_t sent = 0;
    do
        sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == static_cast<ssize_t>(packet.size());
}

ReceivedPacket receivePacket(int socket, std::span<std::byte> into)
{
    iovec part{ into.data(), into.size() };
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * maxDescriptors)]{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    ssize_t got = 0;
    do
        got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    ReceivedPacket packet;
    packet.failed = got < 0 || (message.msg_flags & MSG_TRUNC) != 0;
    packet.bytes = got > 0 ? static_cast<std::size_t>(got) : 0;
    for (cmsghdr* head = CMSG_FIRSTHDR(&message); head && got >= 0; head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
            continue;
        const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(head) + i * sizeof(int), sizeof fd);
            packet.descriptors.emplace_back(fd);
        }
    }
    return packet;
}

} // namespace rooftree::worker
