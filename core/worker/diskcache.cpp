// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/diskcache.h"
#include "core/base/files.h"
#include "core/base/sha256.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

namespace rooftree::worker {

namespace {
constexpr std::size_t hashBytes = 64;
}

DiskCache::DiskCache(fs::path dir, int64_t maxBytes)
    : m_dir(std::move(dir))
    , m_maxBytes(maxBytes)
{
    std::error_code ignored;
    fs::create_directories(m_dir, ignored);
}

std::optional<std::string> DiskCache::find(const std::string& key) const
{
    const auto path = m_dir / key;
    auto content = readFile(path, static_cast<std::size_t>(m_maxBytes));
    if (!content || content->size() < hashBytes)
        return std::nullopt;
    std::string body = content->substr(hashBytes);
    std::error_code ignored;
    if (content->compare(0, hashBytes, sha256Hex(body)) != 0) {
        fs::remove(path, ignored);
        return std::nullopt;
    }
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
    return body;
}

void DiskCache::store(const std::string& key, const std::string& content) const
{
    if (static_cast<int64_t>(content.size()) > m_maxBytes / 4)
        return;
    // Not flushed to disk: the hash tells when a crash has left a part.
    static std::atomic<int> counter{ 0 };
    const auto beside = m_dir / (key + ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(counter++));
    std::error_code failed;
    {
        std::ofstream file(beside, std::ios::binary);
        file << sha256Hex(content);
        file.write(content.data(), static_cast<std::streamsize>(content.size()));
        if (!file.flush())
            failed = std::make_error_code(std::errc::io_error);
    }
    if (!failed)
        fs::rename(beside, m_dir / key, failed);
    if (failed)
        fs::remove(beside, failed);
    else if (counter % 16 == 1)
        shrink();
}

void DiskCache::shrink() const
{
    struct Entry {
        fs::path path;
        fs::file_time_type used;
        int64_t bytes = 0;
    };
    std::vector<Entry> entries;
    int64_t sum = 0;
    std::error_code error;
    for (const auto& file : fs::directory_iterator(m_dir, error)) {
        Entry entry{ file.path(), file.last_write_time(error), static_cast<int64_t>(file.file_size(error)) };
        sum += error ? 0 : entry.bytes;
        if (!error)
            entries.push_back(std::move(entry));
    }
    if (sum <= m_maxBytes)
        return;
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
    for (const auto& entry : entries) {
        if (sum <= m_maxBytes / 2)
            return;
        fs::remove(entry.path, error);
        sum -= entry.bytes;
    }
}

} // namespace rooftree::worker
