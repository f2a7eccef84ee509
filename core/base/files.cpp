// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace rooftree {

static Error ioError(const std::string& what, const fs::path& path, int number)
{
    std::string remedy = number == ENOSPC || number == EDQUOT ? " Free some space and try again."
        : number == EACCES                                    ? " Check its permissions."
        : number == ENOENT                                    ? " Check the path."
                                                              : "";
    const auto code = number == ENOENT ? ErrorCode::NotFound : ErrorCode::Io;
    return { code, what + " " + path.string() + ": " + std::strerror(number) + "." + remedy, {} };
}

Result<std::string> readFile(const fs::path& path, std::size_t maxBytes)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ioError("Cannot read", path, errno);
    struct stat info { };
    if (::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
        ::close(fd);
        return ioError("Cannot read", path, EISDIR);
    }
    std::string content;
    char buffer[1 << 16];
    ssize_t got = 0;
    while ((got = ::read(fd, buffer, sizeof buffer)) > 0) {
        content.append(buffer, static_cast<std::size_t>(got));
        if (content.size() > maxBytes) {
            ::close(fd);
            return Error{ ErrorCode::Usage,
                path.string() + " is larger than " + std::to_string(maxBytes) + " bytes. Is it the right file?", {} };
        }
    }
    const int number = errno;
    ::close(fd);
    if (got < 0)
        return ioError("Cannot read", path, number);
    return content;
}

Status writeFile(const fs::path& path, std::string_view content)
{
    const auto beside = fs::path(path.string() + ".tmp" + std::to_string(::getpid()));
    const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return ioError("Cannot write", path, errno);
    while (!content.empty()) {
        const ssize_t put = ::write(fd, content.data(), content.size());
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0) {
            const int number = errno;
            ::close(fd);
            ::unlink(beside.c_str());
            return ioError("Cannot write", path, number);
        }
        content.remove_prefix(static_cast<std::size_t>(put));
    }
    const bool flushed = ::fsync(fd) == 0;
    const bool closed = ::close(fd) == 0;
    if (!flushed || !closed || ::rename(beside.c_str(), path.c_str()) != 0) {
        const int number = errno;
        ::unlink(beside.c_str());
        return ioError("Cannot write", path, number);
    }
    return success();
}

static fs::path programDir()
{
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

fs::path resourcesDir()
{
    if (const char* fromEnvironment = std::getenv("ROOFTREE_RESOURCES"))
        return fromEnvironment;
    const auto installed = programDir().parent_path() / "share" / "rooftree";
    std::error_code ignored;
    if (fs::exists(installed, ignored))
        return installed;
    return ROOFTREE_SOURCE_RESOURCES;
}

static fs::path made(const fs::path& path, fs::perms permissions)
{
    std::error_code ignored;
    fs::create_directories(path, ignored);
    fs::permissions(path, permissions, ignored);
    return path;
}

fs::path cacheDir()
{
    if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg)
        return made(fs::path(xdg) / "rooftree", fs::perms::owner_all);
    const char* home = std::getenv("HOME");
    return made(home && *home ? fs::path(home) / ".cache" / "rooftree" : runtimeDir() / "cache", fs::perms::owner_all);
}

fs::path runtimeDir()
{
    if (const char* xdg = std::getenv("XDG_RUNTIME_DIR"); xdg && *xdg && ::access(xdg, W_OK) == 0)
        return made(fs::path(xdg) / "rooftree", fs::perms::owner_all);
    return made(fs::temp_directory_path() / ("rooftree-" + std::to_string(::getuid())), fs::perms::owner_all);
}

fs::path programPath(const std::string& name)
{
    return programDir() / name;
}

Result<TemporaryDir> TemporaryDir::make(const std::string& prefix)
{
    std::error_code ignored;
    std::string pattern = (fs::temp_directory_path(ignored) / (prefix + "-XXXXXX")).string();
    if (!::mkdtemp(pattern.data()))
        return ioError("Cannot make a temporary folder", pattern, errno);
    return TemporaryDir(fs::path(pattern));
}

TemporaryDir::TemporaryDir(TemporaryDir&& other) noexcept
    : m_path(std::exchange(other.m_path, {}))
{
}

TemporaryDir& TemporaryDir::operator=(TemporaryDir&& other) noexcept
{
    std::swap(m_path, other.m_path);
    return *this;
}

TemporaryDir::~TemporaryDir()
{
    std::error_code ignored;
    if (!m_path.empty())
        fs::remove_all(m_path, ignored);
}

} // namespace rooftree
