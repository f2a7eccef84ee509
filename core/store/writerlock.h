// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <memory>

namespace rooftree::store {

// "I am the one writer of this session." A flock on FILE-lock beside the session, which goes away with its owner, however that ends;
// the empty file is removed on a clean end. It is a file of its own because closing any descriptor of the session file itself
// would drop the POSIX locks that SQLite holds on it in the same process.
class WriterLock {
public:
    static Result<std::unique_ptr<WriterLock>> take(const std::filesystem::path& session);
    ~WriterLock();
    WriterLock(const WriterLock&) = delete;
    WriterLock& operator=(const WriterLock&) = delete;

private:
    WriterLock(std::filesystem::path path, int fd)
        : m_path(std::move(path))
        , m_fd(fd)
    {
    }
    std::filesystem::path m_path;
    int m_fd;
};

} // namespace rooftree::store
