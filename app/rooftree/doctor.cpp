// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "judge.h"

#include <cstdio>
#include <dlfcn.h>
#include <fmt/format.h>

namespace rooftree::app {

namespace {

// One line of the report: its state, why it matters, and the command that mends it.
struct Finding {
    std::string name;
    bool fine = false;
    std::string state;
    std::string why;
    std::string remedy;
};

std::string firstLine(const std::string& program, const std::string& argument)
{
    const auto result = runProcess({ { program, argument }, {}, {}, {}, 5'000 });
    if (!result || !result->succeeded() || result->out.empty())
        return {};
    return std::string(splitLines(result->out).front());
}

bool libraryLoads(const std::vector<const char*>& names)
{
    for (const char* name : names) {
        if (void* handle = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {
            ::dlclose(handle);
            return true;
        }
    }
    return false;
}

Finding library(const std::string& name, const std::vector<const char*>& files, const std::string& package)
{
    const bool there = libraryLoads(files);
    return { name, there, there ? "found" : "not found", "vendor baseline to compare with",
        there ? "" : "sudo apt-get install " + package };
}

Finding cacheFolder()
{
    const auto dir = cacheDir();
    std::error_code error;
    const auto space = std::filesystem::space(dir, error);
    const bool fine = !error && space.available > (1ull << 30);
    return { "cache", fine,
        error ? error.message() : dir.string() + ", " + formatBytes(static_cast<double>(space.available)) + " free",
        "built kernels and reference results", fine ? "" : "free some space, or set XDG_CACHE_HOME to another disk" };
}

void addMachine(const worker::Hello& hello, std::vector<Finding>& findings)
{
    for (const auto& device : hello.devices) {
        findings.push_back({ "device " + device.id, true,
            fmt::format("{}, {} threads, last-level cache {}", device.name, device.threads,
                formatBytes(static_cast<double>(device.lastLevelCacheBytes))),
            "where kernels run", {} });
        const auto& peaks = device.peaks;
        findings.push_back({ "peaks " + device.id, peaks.bandwidthGBs > 0,
            fmt::format("memory {:.1f} GB/s, cache {:.0f} GB/s, fp32 {:.0f} GFLOP/s, fp64 {:.0f} GFLOP/s (measured)",
                peaks.bandwidthGBs, peaks.cacheBandwidthGBs, peaks.gflops32, peaks.gflops64),
            "the roofline", {} });
    }
    for (const auto& toolchain : hello.toolchains)
        findings.push_back({ toolchain.language + ": " + toolchain.name, toolchain.usable(),
            toolchain.usable() ? toolchain.version + " at " + toolchain.path : toolchain.why,
            "builds kernels in " + toolchain.language, {} });
    findings.push_back({ "sandbox", true,
        "level " + std::to_string(hello.sandboxLevel)
            + (hello.sandboxReasons.empty() ? "" : ": " + join(hello.sandboxReasons, "; ")),
        "keeps candidates from harming this machine", {} });
    for (const auto& missing : hello.missing)
        findings.push_back({ "missing", false, missing, {}, {} });
}

} // namespace

int doctor(bool json)
{
    std::vector<Finding> findings;
    Judge judge;
    const auto hello = judge.start();
    findings.push_back({ "worker", hello.ok(), hello ? "rooftree-worker " + hello->version : hello.error().text,
        "evaluates kernels", {} });
    if (hello)
        addMachine(*hello, findings);
    const std::string git = firstLine("git", "--version");
    findings.push_back({ "git", !git.empty(), git.empty() ? "not found" : git,
        "export commits kernels to your repository", git.empty() ? "sudo apt-get install git" : "" });
    findings.push_back(library("OpenBLAS", { "libopenblas.so.0", "libopenblas.so" }, "libopenblas-dev"));
    findings.push_back(library("oneDNN", { "libdnnl.so.2", "libdnnl.so.3", "libdnnl.so" }, "libdnnl-dev"));
    findings.push_back(cacheFolder());

    Json document{ { "schema", 1 }, { "findings", Json::array() } };
    for (const auto& finding : findings) {
        if (json) {
            document["findings"].push_back({ { "name", finding.name }, { "ok", finding.fine },
                { "state", finding.state }, { "why", finding.why }, { "remedy", finding.remedy } });
            continue;
        }
        std::printf("%-4s %-14s %s\n", finding.fine ? "ok" : "--", finding.name.c_str(), finding.state.c_str());
        if (!finding.fine && !finding.why.empty())
            std::printf("     %-14s for: %s\n", "", finding.why.c_str());
        if (!finding.remedy.empty())
            std::printf("     %-14s to mend: %s\n", "", finding.remedy.c_str());
    }
    if (json)
        std::printf("%s\n", document.dump(2).c_str());
    const bool canBuild = hello
        && std::any_of(hello->toolchains.begin(), hello->toolchains.end(), [](const auto& t) { return t.usable(); });
    return canBuild ? 0 : 3;
}

} // namespace rooftree::app
