// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/memoryfile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>

namespace rooftree::worker {

static Error memoryError(const char* what, std::size_t bytes)
{
    const auto reason = std::string(std::strerror(errno));
    return { ErrorCode::Environment,
        std::string(what) + " of " + std::to_string(bytes) + " bytes: " + reason
            + ". Free some memory or use smaller cases.",
        {} };
}

Result<MemoryFile> MemoryFile::make(std::size_t bytes)
{
    Descriptor fd(::memfd_create("rooftree", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd.valid() || ::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0)
        return memoryError("Cannot make shared memory", bytes);
    if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
        return memoryError("Cannot seal shared memory", bytes);
    if (bytes == 0)
        return MemoryFile(std::move(fd), nullptr, 0);
    void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (data == MAP_FAILED)
        return memoryError("Cannot map shared memory", bytes);
    return MemoryFile(std::move(fd), static_cast<std::byte*>(data), bytes);
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : m_fd(std::move(other.m_fd))
    , m_data(std::exchange(other.m_data, nullptr))
    , m_size(std::exchange(other.m_size, 0))
{
}

MemoryFile& MemoryFile::operator=(MemoryFile&& other) noexcept
{
    std::swap(m_fd, other.m_fd);
    std::swap(m_data, other.m_data);
    std::swap(m_size, other.m_size);
    return *this;
}

MemoryFile::~MemoryFile()
{
    if (m_data)
        ::munmap(m_data, m_size);
}

Status MemoryFile::makeReadOnly()
{
    if (m_data)
        ::munmap(std::exchange(m_data, nullptr), m_size);
    if (::fcntl(m_fd.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL) != 0)
        return memoryError("Cannot seal shared memory", m_size);
    if (m_size == 0)
        return success();
    void* data = ::mmap(nullptr, m_size, PROT_READ, MAP_SHARED, m_fd.get(), 0);
    if (data == MAP_FAILED)
        return memoryError("Cannot map shared memory", m_size);
    m_data = static_cast<std::byte*>(data);
    return success();
}

Result<Descriptor> MemoryFile::readOnlyDescriptor() const
{
    Descriptor fd(::open(("/proc/self/fd/" + std::to_string(m_fd.get())).c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid())
        return memoryError("Cannot open shared memory again", m_size);
    return fd;
}

} // namespace rooftree::worker
