// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/writerlock.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rooftree::store {

// The owner before us may have removed the file between our open and our lock: then we hold a lock on nothing.
static bool isStillThere(int fd, const std::filesystem::path& path)
{
    struct stat ours { };
    struct stat onDisk { };
    return fstat(fd, &ours) == 0 && stat(path.c_str(), &onDisk) == 0 && ours.st_ino == onDisk.st_ino
        && ours.st_dev == onDisk.st_dev;
}

Result<std::unique_ptr<WriterLock>> WriterLock::take(const std::filesystem::path& session)
{
    auto path = session;
    path += "-lock";
    while (true) {
        const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (fd < 0) {
            return Error{ ErrorCode::Io,
                "The session's lock '" + path.string() + "' cannot be made. Look at the permissions of its folder.",
                std::strerror(errno) };
        }
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            const int why = errno;
            ::close(fd);
            return Error{ ErrorCode::Io,
                "Another program is writing the session '" + session.string()
                    + "'. Wait until it has ended or stop it; `rooftree show` reads the session meanwhile.",
                std::strerror(why) };
        }
        if (isStillThere(fd, path))
            return std::unique_ptr<WriterLock>(new WriterLock(std::move(path), fd));
        ::close(fd);
    }
}

WriterLock::~WriterLock()
{
    ::unlink(m_path.c_str());
    ::close(m_fd);
}

} // namespace rooftree::store
