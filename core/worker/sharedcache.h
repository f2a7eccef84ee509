// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace rooftree::worker {

// Values by key, bounded by their bytes: the least recently used ones go first. A value is made by one thread only, others that want
// it wait; when making fails, each of them tries itself. Safe from any thread.
template <typename Value> class SharedCache {
public:
    using Pointer = std::shared_ptr<const Value>;
    explicit SharedCache(int64_t maxBytes)
        : m_maxBytes(maxBytes)
    {
    }

    Result<Pointer> get(const std::string& key, const std::function<Result<Value>()>& make,
        const std::function<int64_t(const Value&)>& bytesOf)
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return !m_making.contains(key); });
        if (const auto it = m_entries.find(key); it != m_entries.end()) {
            it->second.used = ++m_counter;
            return it->second.value;
        }
        m_making.insert(key);
        lock.unlock();
        auto made = make();
        lock.lock();
        m_making.erase(key);
        m_changed.notify_all();
        if (!made)
            return made.error();
        Entry entry;
        entry.bytes = bytesOf(made.value());
        entry.value = std::make_shared<const Value>(std::move(made).value());
        entry.used = ++m_counter;
        m_bytes += entry.bytes;
        Pointer value = entry.value;
        m_entries.emplace(key, std::move(entry));
        shrink();
        return value;
    }

private:
    struct Entry {
        Pointer value;
        int64_t bytes = 0;
        uint64_t used = 0;
    };

    void shrink()
    {
        while (m_bytes > m_maxBytes && m_entries.size() > 1) {
            auto oldest = m_entries.begin();
            for (auto it = m_entries.begin(); it != m_entries.end(); ++it) {
                if (it->second.used < oldest->second.used)
                    oldest = it;
            }
            m_bytes -= oldest->second.bytes;
            m_entries.erase(oldest);
        }
    }

    const int64_t m_maxBytes;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::map<std::string, Entry> m_entries;
    std::set<std::string> m_making;
    int64_t m_bytes = 0;
    uint64_t m_counter = 0;
};

} // namespace rooftree::worker
