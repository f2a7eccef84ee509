// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/process.h"

#include <filesystem>

namespace rooftree::exporter {

// The git program in one folder. What a surrounding git (a hook, a rebase) says by environment is not passed on: it would
// send our commands to another repository. Blocks.
class Git {
public:
    explicit Git(std::filesystem::path folder, const std::atomic<bool>* cancel = nullptr);

    // Output without the last line end. An Error carries what git said as its detail.
    Result<std::string> run(const std::vector<std::string>& arguments, const std::string& input = {}) const;
    // The result as it is, for commands whose exit code is an answer.
    Result<ProcessResult> call(const std::vector<std::string>& arguments, const std::string& input = {}) const;

    const std::filesystem::path& folder() const { return m_folder; }

private:
    std::filesystem::path m_folder;
    const std::atomic<bool>* m_cancel;
};

} // namespace rooftree::exporter
