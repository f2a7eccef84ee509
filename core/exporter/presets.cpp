// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/exporter/cpppreset.h"

namespace rooftree::exporter {

// The explicit list: a new preset is a pair of files and one line here.
const std::vector<PresetInfo>& presets()
{
    static const std::vector<PresetInfo> list{
        { "cpp", "A C++ library with test, benchmark and CMake files", cppPreset },
    };
    return list;
}

Result<PresetInfo> findPreset(const std::string& name)
{
    std::vector<std::string> names;
    for (const auto& preset : presets()) {
        if (preset.name == name)
            return preset;
        names.push_back(preset.name);
    }
    const auto nearest = nearestName(name, names);
    return Error{ ErrorCode::NotFound,
        "There is no export preset \"" + name + "\". "
            + (nearest ? "Did you mean " + *nearest + "?" : "Known: " + join(names, ", ") + "."),
        {} };
}

} // namespace rooftree::exporter
