// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/worker/descriptor.h"

#include <cstddef>
#include <span>

namespace rooftree::worker {

// Memory of the worker that a child maps too (memfd). Its size never changes, so that a child cannot take pages away under the
// worker's feet. Movable; not shared between threads while it is written.
class MemoryFile {
public:
    static Result<MemoryFile> make(std::size_t bytes);
    MemoryFile(MemoryFile&& other) noexcept;
    MemoryFile& operator=(MemoryFile&& other) noexcept;
    ~MemoryFile();

    std::span<std::byte> bytes() const { return { m_data, m_size }; }
    int descriptor() const { return m_fd.get(); }
    // From now on nobody can write it, whatever descriptor they hold; bytes() becomes a read-only mapping.
    Status makeReadOnly();
    // A second descriptor that cannot be mapped for writing.
    Result<Descriptor> readOnlyDescriptor() const;

private:
    MemoryFile(Descriptor fd, std::byte* data, std::size_t size)
        : m_fd(std::move(fd))
        , m_data(data)
        , m_size(size)
    {
    }
    Descriptor m_fd;
    std::byte* m_data = nullptr;
    std::size_t m_size = 0;
};

} // namespace rooftree::worker
