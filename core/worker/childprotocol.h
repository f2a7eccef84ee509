// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

// The messages between the worker and the process that runs a candidate: plain structs in one packet each, over a socket pair of the same
// program, so that layout and byte order agree. Descriptors travel beside them. The child is not trusted: the worker checks the
// size, the nonce and the kind of everything that it says.
namespace rooftree::worker {

inline constexpr int childSocket = 3; // the descriptor that a child is born with
inline constexpr int maxTensors = 24;
inline constexpr int maxArguments = 32; // tensors and axes
inline constexpr int maxEntryName = 256;
inline constexpr int maxChildText = 1024;

enum class ChildMessage : uint32_t {
    Load, // worker: limits, entry, with the object's descriptor
    Entered, // child: the sandbox is on, the object is about to be loaded
    Loaded, // child: the entry was found, or why not
    Map, // worker: buffers of a case, with two descriptors
    Mapped,
    Call, // worker
    Called,
    Crashed, // child, from its signal handler
};

struct MessageHead {
    uint64_t nonce = 0;
    ChildMessage kind{};
    uint32_t reserved = 0;
};

struct LoadMessage {
    MessageHead head;
    int64_t cpuSeconds = 0;
    int64_t addressSpaceBytes = 0;
    char entry[maxEntryName]{};
};

struct EnteredMessage {
    MessageHead head;
    int64_t sandboxLevel = 0;
};

// Problem::None, or what went wrong with its text.
enum class LoadProblem : uint32_t { None, Environment, Object, Entry };
struct LoadedMessage {
    MessageHead head;
    LoadProblem problem{};
    uint32_t reserved = 0;
    char text[maxChildText]{};
};

struct MapTensor {
    uint64_t regionOffset = 0;
    uint64_t regionBytes = 0;
    uint64_t dataOffset = 0;
};

struct MapMessage {
    MessageHead head;
    int32_t inputs = 0; // tensors[0 .. inputs) lie in the first descriptor, the others in the second
    int32_t outputs = 0;
    int32_t axes = 0;
    int32_t reserved = 0;
    MapTensor tensors[maxTensors];
    int64_t axisValues[maxArguments]{};
};

struct MappedMessage {
    MessageHead head;
    int64_t error = 0; // errno
};

struct CallMessage {
    MessageHead head;
    int64_t calls = 1;
    int64_t flushBytes = 0; // cold: this much memory is overwritten before each call, outside the clock
};

struct CalledMessage {
    MessageHead head;
    int64_t firstStartNs = 0; // CLOCK_MONOTONIC
    int64_t lastEndNs = 0;
    int64_t insideNs = 0; // the sum over the calls without the flushes
};

enum class FaultPlace : uint32_t { Elsewhere, NearNull, BesideBuffer, ReadOnlyInput };
struct CrashedMessage {
    MessageHead head;
    int32_t signal = 0;
    FaultPlace place{};
    int32_t tensor = -1; // inputs, then outputs
    int32_t reserved = 0;
};

} // namespace rooftree::worker
