// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace rooftree {

// Time as a dependency, so that tests turn the hands themselves. Safe from any thread.
class Clock {
public:
    virtual ~Clock() = default;
    virtual int64_t monotonicNs() const = 0;
    virtual int64_t wallMs() const = 0; // since 1970, UTC

    static const Clock& system();
};

// "2026-12-01T12:00:00Z"
std::string isoUtc(int64_t wallMs);

} // namespace rooftree
