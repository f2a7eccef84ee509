// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernel/kernelfile.h"

#include "core/base/files.h"

#include <algorithm>

namespace fs = std::filesystem;

namespace rooftree::kernel {

namespace {

constexpr std::size_t maxFileBytes = 4u << 20;

bool isCpp(const fs::path& path)
{
    const auto extension = path.extension();
    return extension == ".cpp" || extension == ".cc" || extension == ".cxx";
}

Result<Candidate> withFiles(const fs::path& base, const std::vector<fs::path>& paths, const std::string& entry)
{
    Candidate candidate;
    candidate.entry = entry;
    for (const auto& path : paths) {
        auto content = readFile(path, maxFileBytes);
        if (!content)
            return content.error();
        candidate.files.push_back({ path.lexically_relative(base).generic_string(), std::move(*content) });
    }
    if (const auto valid = validate(candidate); !valid)
        return valid.error();
    return candidate;
}

} // namespace

Result<Candidate> readKernel(const fs::path& path, const std::string& entry)
{
    std::error_code error;
    const auto status = fs::status(path, error);
    if (!fs::exists(status))
        return Error{ ErrorCode::NotFound, "There is no kernel file " + path.string() + ". Check the path.", {} };
    if (!fs::is_directory(status)) {
        if (!isCpp(path))
            return Error{ ErrorCode::Usage,
                path.string() + " is not a C++ source: a kernel file ends in .cpp, .cc or .cxx.", {} };
        return withFiles(path.parent_path(), { path }, entry);
    }
    std::vector<fs::path> files;
    for (auto it = fs::recursive_directory_iterator(path, error); !error && it != fs::end(it); it.increment(error)) {
        if (it->is_regular_file(error))
            files.push_back(it->path());
    }
    std::sort(files.begin(), files.end());
    const auto named = std::find_if(
        files.begin(), files.end(), [&](const fs::path& file) { return file.filename() == entry + ".cpp"; });
    const auto main = named != files.end() ? named : std::find_if(files.begin(), files.end(), isCpp);
    if (main == files.end())
        return Error{ ErrorCode::Usage,
            path.string() + " has no C++ source. Put the kernel into " + entry + ".cpp there.", {} };
    std::rotate(files.begin(), main, main + 1);
    return withFiles(path, files, entry);
}

} // namespace rooftree::kernel
