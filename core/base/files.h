// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>

namespace rooftree {

// Whole file; refuses what is larger than maxBytes, so that a wrong path cannot fill the memory.
Result<std::string> readFile(const std::filesystem::path& path, std::size_t maxBytes = 64u << 20);
// Atomic: written beside the target, flushed to disk, renamed.
Status writeFile(const std::filesystem::path& path, std::string_view content);

// Where the installed data lives: $ROOFTREE_RESOURCES, else share/rooftree beside the program, else the source tree.
std::filesystem::path resourcesDir();
std::filesystem::path cacheDir(); // $XDG_CACHE_HOME/rooftree, made
std::filesystem::path runtimeDir(); // $XDG_RUNTIME_DIR/rooftree or a private folder in /tmp, made with mode 0700
std::filesystem::path programPath(const std::string& name); // beside the running program; "rooftree-worker"

// A folder that goes away with the object.
class TemporaryDir {
public:
    static Result<TemporaryDir> make(const std::string& prefix);
    TemporaryDir(TemporaryDir&& other) noexcept;
    TemporaryDir& operator=(TemporaryDir&& other) noexcept;
    ~TemporaryDir();
    const std::filesystem::path& path() const { return m_path; }

private:
    explicit TemporaryDir(std::filesystem::path path)
        : m_path(std::move(path))
    {
    }
    std::filesystem::path m_path;
};

} // namespace rooftree
