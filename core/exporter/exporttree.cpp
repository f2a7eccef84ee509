// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporter/exporttree.h"
#include "core/base/files.h"

namespace fs = std::filesystem;

namespace rooftree::exporter {

Status writeTree(const fs::path& folder, const std::vector<ExportFile>& files)
{
    for (const auto& file : files) {
        const fs::path relative(file.path);
        fs::path parent = folder;
        std::error_code failed;
        for (const auto& part : relative.parent_path()) {
            parent /= part;
            if (part == ".." || part == "/" || fs::is_symlink(parent, failed))
                return Error{ ErrorCode::Failed,
                    "The export would be written through " + parent.string()
                        + ", which leaves the folder. Remove the link.",
                    {} };
        }
        fs::create_directories(parent, failed);
        if (failed)
            return Error{ ErrorCode::Io, "Cannot make the folder " + parent.string() + ": " + failed.message() + ".",
                {} };
        if (const auto written = writeFile(folder / relative, file.content); !written)
            return written;
    }
    return success();
}

std::string topFolder(const std::vector<ExportFile>& files)
{
    return files.empty() ? std::string() : fs::path(files.front().path).begin()->string();
}

} // namespace rooftree::exporter
