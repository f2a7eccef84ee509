// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/worker/childprotocol.h"

#include <cstddef>
#include <vector>

namespace rooftree::worker {

// The child's view of a case's buffers: each tensor between pages that cannot be touched. One at a time in a process.
class ChildBuffers {
public:
    ChildBuffers() = default;
    ChildBuffers(const ChildBuffers&) = delete;
    ChildBuffers& operator=(const ChildBuffers&) = delete;

    // Replaces the former buffers; 0 or errno.
    int map(const MapMessage& message, int inputFile, int outputFile);
    // Pointers to the tensors, then the axes.
    const uint64_t* arguments() const { return m_arguments; }
    int argumentCount() const { return m_argumentCount; }
    // Drops the buffers' lines from the caches of all cores.
    void flushLines() const;
    // Called by a signal handler.
    FaultPlace placeOf(const void* address, int& tensor) const;

private:
    void unmap();
    int mapTensor(const MapTensor& tensor, int file, int protection, std::byte*& at);

    struct Range {
        std::byte* begin = nullptr;
        std::byte* end = nullptr;
        bool readOnly = false;
    };
    std::byte* m_base = nullptr;
    std::size_t m_bytes = 0;
    Range m_ranges[maxTensors];
    int m_tensors = 0;
    uint64_t m_arguments[maxArguments]{};
    int m_argumentCount = 0;
};

} // namespace rooftree::worker
