// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>

namespace rooftree {

// Who may use the cores of this machine: work (builds, verification, transformations) shares it, a timing owns it.
// One lock file per user, so that several programs of ours keep out of each other's measurements too.
// Blocks while it waits; safe from any thread.
class MachineLock {
public:
    enum class Mode {
        Work, // many at once
        Timing, // alone
    };
    // Gives up (and holds nothing) when *cancel becomes true.
    explicit MachineLock(Mode mode, const std::atomic<bool>* cancel = nullptr);
    ~MachineLock();
    MachineLock(const MachineLock&) = delete;
    MachineLock& operator=(const MachineLock&) = delete;
    bool held() const { return m_fd >= 0; }

private:
    int m_fd = -1;
};

} // namespace rooftree
