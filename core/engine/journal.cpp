// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/journal.h"

#include <spdlog/spdlog.h>

namespace rooftree::engine {

Journal::Journal(const Clock& clock)
    : m_clock(clock)
{
}

bool Journal::record(const store::EventBody& body)
{
    return record(std::vector<store::EventBody>{ body });
}

bool Journal::record(const std::vector<store::EventBody>& bodies)
{
    if (m_fault)
        return false;
    const int64_t now = m_clock.wallMs();
    if (const auto written = m_file->append(bodies, now); !written) {
        m_fault = written.error();
        spdlog::info("{} {}", m_fault->text, m_fault->detail);
        return false;
    }
    for (const auto& body : bodies) {
        m_state.apply(body);
        m_events.push_back(std::make_shared<const store::Event>(store::Event{ ++m_sequence, now, body }));
    }
    return true;
}

Status Journal::load()
{
    return m_file->read(1, store::Detail::Summary, [this](const store::Event& event) {
        m_state.apply(event.body);
        m_sequence = event.sequence;
        m_events.push_back(std::make_shared<const store::Event>(event));
        return true;
    });
}

void Journal::notice(std::string text)
{
    spdlog::info("{}", text);
    m_notices.push_back(std::move(text));
}

} // namespace rooftree::engine
