// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/spec/catalogue.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "core/spec/operatorreader.h"

#include <algorithm>

namespace rooftree::spec {

static std::filesystem::path catalogueDir()
{
    return resourcesDir() / "operators";
}

std::vector<std::string> catalogueNames()
{
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator it(catalogueDir(), error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;
        if (std::filesystem::is_regular_file(it->path() / "operator.toml", ignored))
            names.push_back(it->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

Result<Operator> findOperator(const std::string& nameOrPath)
{
    const auto names = catalogueNames();
    if (std::binary_search(names.begin(), names.end(), nameOrPath))
        return readOperator(catalogueDir() / nameOrPath);

    std::error_code error;
    const std::filesystem::path path(nameOrPath);
    if (std::filesystem::is_directory(path / "", error)) {
        if (std::filesystem::exists(path / "operator.toml", error))
            return readOperator(path);
        return Error{ ErrorCode::NotFound,
            "The folder '" + sanitizedUtf8(nameOrPath) + "' has no operator.toml. Write one, or name another folder." };
    }
    if (path.filename() == "operator.toml" && std::filesystem::is_regular_file(path, error))
        return readOperator(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."));

    const auto nearest = nearestName(nameOrPath.substr(0, 200), names);
    return Error{ ErrorCode::NotFound,
        "There is no operator '" + elided(sanitizedUtf8(nameOrPath), 200) + "'. "
            + (nearest
                    ? "Did you mean '" + *nearest + "'?"
                    : "Name one of `rooftree operators list`, a folder with an operator.toml, or an operator.toml.") };
}

} // namespace rooftree::spec
