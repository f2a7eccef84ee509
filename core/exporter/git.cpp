// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporter/git.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <unistd.h>

namespace rooftree::exporter {

namespace {

constexpr std::array<std::string_view, 9> redirecting{ "GIT_DIR=", "GIT_WORK_TREE=", "GIT_INDEX_FILE=", "GIT_PREFIX=",
    "GIT_OBJECT_DIRECTORY=", "GIT_COMMON_DIR=", "GIT_NAMESPACE=", "GIT_ALTERNATE_OBJECT_DIRECTORIES=", "GIT_EDITOR=" };

std::vector<std::string> environment()
{
    std::vector<std::string> out;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text = *entry;
        if (std::none_of(redirecting.begin(), redirecting.end(), [&](auto name) { return text.starts_with(name); }))
            out.emplace_back(text);
    }
    out.emplace_back("GIT_EDITOR=true"); // nobody is there to write a message
    return out;
}

} // namespace

Git::Git(std::filesystem::path folder, const std::atomic<bool>* cancel)
    : m_folder(std::move(folder))
    , m_cancel(cancel)
{
}

Result<ProcessResult> Git::call(const std::vector<std::string>& arguments, const std::string& input) const
{
    ProcessSpec spec;
    spec.argv = { "git", "-C", m_folder.string() };
    spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
    spec.environment = environment();
    spec.standardInput = input;
    spec.timeoutMs = 300'000;
    spec.cancel = m_cancel;
    auto result = runProcess(spec);
    if (!result)
        return Error{ ErrorCode::Environment, "git cannot be started. Install it: sudo apt-get install git",
            result.error().text };
    if (result->canceled)
        return Error{ ErrorCode::Failed, "The export was canceled.", {} };
    return result;
}

Result<std::string> Git::run(const std::vector<std::string>& arguments, const std::string& input) const
{
    auto result = call(arguments, input);
    if (!result)
        return result.error();
    const auto said = std::string(trimmed(result->err.empty() ? result->out : result->err));
    if (!result->succeeded())
        return Error{ ErrorCode::Environment, "git " + arguments.front() + " failed: " + elided(said, 400), said };
    while (!result->out.empty() && result->out.back() == '\n')
        result->out.pop_back();
    return std::move(result->out);
}

} // namespace rooftree::exporter
