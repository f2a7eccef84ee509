// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/buildflags.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace rooftree::worker {

namespace {

constexpr std::array<std::string_view, 7> allowed{ "-O", "-f", "-m", "-D", "-W", "-std=", "-g" };
// They load code, start programs, write files, or change what is linked.
constexpr std::array<std::string_view, 14> dangerous{ "-fplugin", "-fpass-plugin", "-fmodule", "-fdump", "-fprofile",
    "-fsanitize", "-fuse-ld", "-fopt-info", "-fsave-optimization-record", "-fauto-profile", "-fcrash-diagnostics",
    "-Wl,", "-Wa,", "-Wp," };

bool startsWithAny(std::string_view flag, const auto& prefixes)
{
    return std::any_of(
        prefixes.begin(), prefixes.end(), [&](std::string_view prefix) { return flag.starts_with(prefix); });
}

bool mayBeUsed(std::string_view flag, Purpose purpose)
{
    if (purpose == Purpose::Baseline && (flag.starts_with("-l") || flag.starts_with("-I") || flag.starts_with("-L")))
        return true;
    if (!startsWithAny(flag, allowed) || startsWithAny(flag, dangerous))
        return false;
    return flag.starts_with("-D") || flag.find_first_of("/|@") == std::string_view::npos;
}

} // namespace

std::optional<std::string> refusedFlag(const std::vector<std::string>& flags, Purpose purpose)
{
    for (const auto& flag : flags) {
        if (!mayBeUsed(flag, purpose))
            return "The compiler flag " + flag
                + " is not allowed. Use only -O, -f, -m, -D, -W, -std= and -g flags without paths.";
    }
    return std::nullopt;
}

} // namespace rooftree::worker
