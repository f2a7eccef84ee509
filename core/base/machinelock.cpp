// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/machinelock.h"
#include "core/base/files.h"

#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace rooftree {

MachineLock::MachineLock(Mode mode, const std::atomic<bool>* cancel)
{
    m_fd = ::open((runtimeDir() / "machine.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (m_fd < 0)
        return; // without the file there is nothing to exclude; the measurement is still valid, only less protected
    const int operation = mode == Mode::Timing ? LOCK_EX : LOCK_SH;
    if (!cancel) {
        while (::flock(m_fd, operation) != 0 && errno == EINTR) { }
        return;
    }
    // flock has no time limit: with a cancel flag the wait is a poll of 2 ms.
    while (::flock(m_fd, operation | LOCK_NB) != 0) {
        if (cancel->load()) {
            ::close(std::exchange(m_fd, -1));
            return;
        }
        const timespec pause{ 0, 2'000'000 };
        ::nanosleep(&pause, nullptr);
    }
}

MachineLock::~MachineLock()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

} // namespace rooftree
