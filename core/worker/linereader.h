// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace rooftree::worker {

// Lines from a descriptor. A line that is longer than the bound is skipped and given as 'tooLong', so that nobody can fill the memory.
class LineReader {
public:
    LineReader(int fd, std::size_t maxBytes)
        : m_fd(fd)
        , m_maxBytes(maxBytes)
    {
    }
    struct Line {
        std::string text; // without its end
        bool tooLong = false;
    };
    // Blocks; nothing at the end of the stream.
    std::optional<Line> next();

private:
    bool fill();
    int m_fd;
    std::size_t m_maxBytes;
    std::string m_buffer;
    std::size_t m_searched = 0; // no line end before this
};

} // namespace rooftree::worker
