// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"
#include "core/base/process.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/target/device.h"

#include <algorithm>
#include <thread>
#include <unistd.h>

namespace rooftree::target {

namespace {

constexpr std::string_view trialSource = R"(#include <cmath>
#include <omp.h>
extern "C" double rooftree_trial(const double* x, int n)
{
    double sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (int i = 0; i < n; ++i)
        sum += std::sqrt(x[i]);
    return sum + omp_get_max_threads();
}
)";

// Compiler messages in the language that the code below looks for.
std::vector<std::string> plainEnvironment()
{
    std::vector<std::string> out;
    for (char** entry = environ; entry && *entry; ++entry)
        if (const std::string_view text = *entry; !text.starts_with("LC_") && !text.starts_with("LANG"))
            out.emplace_back(text);
    out.emplace_back("LC_ALL=C");
    return out;
}

Result<ProcessResult> run(std::vector<std::string> argv, const std::filesystem::path& folder = {})
{
    ProcessSpec spec;
    spec.argv = std::move(argv);
    spec.workingDir = folder;
    spec.environment = plainEnvironment();
    spec.timeoutMs = 20'000;
    return runProcess(spec);
}

std::string outputOf(std::vector<std::string> argv)
{
    const auto result = run(std::move(argv));
    return result && result->succeeded() ? std::string(trimmed(result->out)) : std::string();
}

// "g++ (Debian 12.2.0-14) 12.2.0", "Ubuntu clang version 18.1.3 (1ubuntu1)"
std::string versionIn(std::string_view text)
{
    const auto lines = splitLines(text);
    const auto words = lines.empty() ? std::vector<std::string>{} : splitList(lines.front(), ' ');
    const auto named = std::find(words.begin(), words.end(), "version");
    const bool afterName = named != words.end() && named + 1 != words.end();
    return words.empty() ? std::string() : afterName ? *(named + 1) : words.back();
}

// -march=native means this machine, and a cache of builds may be shared with another one.
std::string nativeMeaning()
{
    const auto info = readFile("/proc/cpuinfo");
    if (!info)
        return {};
    for (const auto line : splitLines(*info))
        if (line.starts_with("flags") || line.starts_with("Features"))
            return std::string(line);
    return {};
}

std::string firstErrorLine(const std::string& log)
{
    const auto lines = splitLines(log);
    const auto it = std::find_if(
        lines.begin(), lines.end(), [](std::string_view line) { return line.find("error") != std::string_view::npos; });
    if (it != lines.end())
        return sanitizedUtf8(*it);
    return lines.empty() ? "it said nothing" : sanitizedUtf8(lines.front());
}

std::string remedyFor(const std::string& name, const std::string& log)
{
    const bool clang = name.starts_with("clang");
    const auto says = [&](std::string_view words) { return log.find(words) != std::string::npos; };
    if (says("omp.h") || says("-lomp") || says("-lgomp") || says("libgomp.spec"))
        return name + " cannot build OpenMP programs. Install its run-time library: sudo apt-get install "
            + (clang ? "libomp-dev" : "libgomp1 g++");
    if (says("cmath") || says("-lstdc++"))
        return name + " finds no C++ standard library. Install one: sudo apt-get install g++";
    if (says("'as'") || says("'ld'") || says("unable to execute command") || says("cannot find 'ld'"))
        return name + " finds no assembler or linker. Install them: sudo apt-get install binutils";
    return name + " cannot build a small OpenMP program: " + firstErrorLine(log)
        + ". Reinstall it: sudo apt-get install --reinstall " + (clang ? "clang libomp-dev" : "g++");
}

// Empty when a shared object with OpenMP in it comes out.
std::string tryOut(const Toolchain& toolchain)
{
    auto folder = TemporaryDir::make("rooftree-trial");
    if (!folder)
        return folder.error().text;
    if (const auto written = writeFile(folder->path() / "trial.cpp", trialSource); !written)
        return written.error().text;
    const auto result =
        run({ toolchain.path, "-std=c++20", "-O1", "-fopenmp", "-fPIC", "-shared", "trial.cpp", "-o", "trial.so" },
            folder->path());
    if (!result)
        return result.error().text;
    if (result->timedOut)
        return toolchain.name + " did not finish a small program in 20 s. Try it by hand.";
    return result->succeeded() ? std::string() : remedyFor(toolchain.name, result->err);
}

Toolchain probe(const std::string& name)
{
    Toolchain toolchain;
    toolchain.language = "cpp";
    toolchain.name = name;
    const auto path = findProgram(name);
    if (!path) {
        toolchain.why =
            name + " is not in PATH. Install it: sudo apt-get install " + (name == "g++" ? "g++" : "clang libomp-dev");
        return toolchain;
    }
    toolchain.path = path->string();
    const auto versionText = outputOf({ toolchain.path, "--version" });
    const auto target = outputOf({ toolchain.path, "-dumpmachine" });
    toolchain.version = sanitizedUtf8(versionIn(versionText));
    if (versionText.empty() || target.empty()) {
        toolchain.why =
            toolchain.path + " does not answer --version and -dumpmachine as a compiler does. Reinstall it.";
        return toolchain;
    }
    toolchain.identity = Sha256().addPart(versionText).addPart(target).addPart(nativeMeaning()).hex();
    toolchain.why = tryOut(toolchain);
    return toolchain;
}

} // namespace

std::vector<Toolchain> probeCppToolchains()
{
    std::vector<Toolchain> toolchains(2);
    std::thread second([&] { toolchains[1] = probe("clang++"); });
    toolchains[0] = probe("g++");
    second.join();
    return toolchains;
}

} // namespace rooftree::target
