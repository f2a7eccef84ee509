// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporter/redaction.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <pwd.h>
#include <set>
#include <unistd.h>

namespace rooftree::exporter {

namespace {

// Names that many machines share say nothing about this one, and occur in honest text.
const std::set<std::string, std::less<>> commonNames{ "root", "user", "admin", "guest", "nobody", "localhost", "debian",
    "ubuntu", "fedora", "linux", "build", "builder", "docker", "runner", "test", "tests", "main", "node", "host",
    "kernel", "data", "home", "work", "worker" };
constexpr std::size_t shortestName = 4;

constexpr std::array<std::string_view, 12> topFolders{ "/home/", "/root/", "/Users/", "/tmp/", "/var/", "/mnt/",
    "/media/", "/opt/", "/srv/", "/usr/", "/work/", "/scratch/" };

// Beginnings of keys and the fewest characters that must follow.
struct KeyForm {
    std::string_view begin;
    std::size_t more;
};
constexpr std::array<KeyForm, 8> keyForms{ { { "-----BEGIN ", 0 }, { "AKIA", 16 }, { "sk-", 20 }, { "ghp_", 20 },
    { "github_pat_", 20 }, { "glpat-", 16 }, { "xoxb-", 10 }, { "hf_", 20 } } };

bool isNameChar(char c)
{
    return isIdentifierChar(c) || c == '-';
}

std::optional<std::string> wholeWord(std::string_view line, const std::string& word)
{
    if (word.size() < shortestName || commonNames.contains(word))
        return std::nullopt;
    for (auto at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
        const auto end = at + word.size();
        if ((at == 0 || !isNameChar(line[at - 1])) && (end == line.size() || !isNameChar(line[end])))
            return word;
    }
    return std::nullopt;
}

std::optional<std::string> absolutePath(std::string_view line)
{
    for (const auto folder : topFolders) {
        for (auto at = line.find(folder); at != std::string_view::npos; at = line.find(folder, at + 1)) {
            // "mean/var/count" and "https://host/home/x" are none.
            const bool begins = at == 0 || (!isNameChar(line[at - 1]) && line[at - 1] != '.' && line[at - 1] != '/');
            const auto after = at + folder.size();
            if (begins && after < line.size() && isNameChar(line[after]))
                return std::string(line.substr(at, std::min(line.find_first_of(" \"'<>();,", at), line.size()) - at));
        }
    }
    return std::nullopt;
}

std::optional<std::string> key(std::string_view line)
{
    for (const auto& form : keyForms) {
        for (auto at = line.find(form.begin); at != std::string_view::npos; at = line.find(form.begin, at + 1)) {
            auto end = at + form.begin.size();
            while (end < line.size() && isNameChar(line[end]))
                ++end;
            const bool begins = at == 0 || !isNameChar(line[at - 1]);
            if (begins && end - at - form.begin.size() >= form.more)
                return std::string(form.begin) + "...";
        }
    }
    return std::nullopt;
}

std::optional<std::string> privatePart(std::string_view line, const PrivateWords& words)
{
    if (words.home.size() > 1 && line.find(words.home + "/") != std::string_view::npos)
        return words.home;
    for (const auto& found :
        { absolutePath(line), key(line), wholeWord(line, words.user), wholeWord(line, words.host) })
        if (found)
            return found;
    return std::nullopt;
}

} // namespace

PrivateWords privateWords()
{
    PrivateWords words;
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) == 0)
        words.host = host.data();
    std::array<char, 4096> buffer{};
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found)
        words.user = found->pw_name;
    if (const char* home = std::getenv("HOME"))
        words.home = home;
    return words;
}

Status checkNothingPrivate(const std::vector<ExportFile>& files, const PrivateWords& words)
{
    for (const auto& file : files) {
        std::size_t number = 0;
        for (const auto line : splitLines(file.content)) {
            ++number;
            if (const auto found = privatePart(line, words))
                return Error{ ErrorCode::Failed,
                    "The export was stopped: " + file.path + ":" + std::to_string(number) + " has \""
                        + sanitizedUtf8(*found)
                        + "\", which names this machine, its user or a secret. Remove it from the kernel or the "
                          "operator and export again.",
                    {} };
        }
    }
    return success();
}

} // namespace rooftree::exporter
