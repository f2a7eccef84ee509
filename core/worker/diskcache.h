// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace rooftree::worker {

// Bytes by key on disk, with their own hash in front so that a damaged or half-written entry is no entry. The oldest go when the
// folder outgrows its bound. Losing an entry costs time, never correctness. Safe from any thread and process.
class DiskCache {
public:
    DiskCache(std::filesystem::path dir, int64_t maxBytes);
    std::optional<std::string> find(const std::string& key) const;
    void store(const std::string& key, const std::string& content) const;

private:
    void shrink() const;
    std::filesystem::path m_dir;
    int64_t m_maxBytes;
};

} // namespace rooftree::worker
