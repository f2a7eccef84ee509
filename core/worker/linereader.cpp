// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/linereader.h"

#include <cerrno>
#include <unistd.h>

namespace rooftree::worker {

bool LineReader::fill()
{
    char bytes[1 << 16];
    ssize_t got = 0;
    do
        got = ::read(m_fd, bytes, sizeof bytes);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        m_buffer.append(bytes, static_cast<std::size_t>(got));
    return got > 0;
}

std::optional<LineReader::Line> LineReader::next()
{
    bool tooLong = false;
    while (true) {
        const auto end = m_buffer.find('\n', m_searched);
        if (end != std::string::npos) {
            tooLong = tooLong || end > m_maxBytes;
            Line line{ tooLong ? std::string() : m_buffer.substr(0, end), tooLong };
            m_buffer.erase(0, end + 1);
            m_searched = 0;
            return line;
        }
        m_searched = m_buffer.size();
        if (m_buffer.size() > m_maxBytes) {
            tooLong = true;
            m_buffer.clear();
            m_searched = 0;
        }
        if (!fill())
            return std::nullopt; // what has no line end is not a message
    }
}

} // namespace rooftree::worker
