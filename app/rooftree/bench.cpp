// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "benchcases.h"
#include "core/base/json.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace rooftree::app {

int bench(const std::vector<std::string>& names, bool json)
{
    const auto wanted = [&](const char* name) {
        return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
    };
    std::vector<BenchRow> rows;
    const std::pair<const char*, Result<std::vector<BenchRow>> (*)()> benches[] = { { "engine", benchEngine },
        { "store", benchStore }, { "evaluate", benchEvaluate } };
    for (const auto& [name, run] : benches) {
        if (!wanted(name))
            continue;
        std::fprintf(stderr, "bench %s ...\n", name);
        const auto measured = run();
        if (!measured)
            return fail(measured.error(), json);
        rows.insert(rows.end(), measured->begin(), measured->end());
    }
    Json document{ { "schema", 1 }, { "rows", Json::array() } };
    bool allKept = true;
    for (const auto& row : rows) {
        allKept = allKept && row.kept();
        document["rows"].push_back({ { "name", row.name }, { "value", row.value }, { "unit", row.unit },
            { "promise", row.promise }, { "ok", row.kept() } });
        if (!json)
            std::printf("%-46s %10.3g %-3s promise < %-6g %s\n", row.name.c_str(), row.value, row.unit.c_str(),
                row.promise, row.kept() ? "kept" : "BROKEN");
    }
    if (json)
        std::printf("%s\n", document.dump(2).c_str());
    return allKept ? 0 : 1;
}

} // namespace rooftree::app
