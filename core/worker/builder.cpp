// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/builder.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/process.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/kernel/tunables.h"
#include "core/worker/buildflags.h"

#include <cstring>
#include <fstream>

namespace fs = std::filesystem;

namespace rooftree::worker {

namespace {

using measure::EvaluationStatus;

constexpr const char* buildVersion = "1"; // changes when the way of calling the compiler does
constexpr int64_t diskCacheBytes = 512LL << 20;
constexpr int64_t compilerMemoryBytes = 4LL << 30;
constexpr int64_t largestObjectBytes = 256LL << 20;

bool compiled(const std::string& path)
{
    const auto extension = fs::path(path).extension();
    return extension == ".cpp" || extension == ".cc" || extension == ".cxx";
}

BuildOutcome refused(std::string reason)
{
    BuildOutcome outcome;
    outcome.status = EvaluationStatus::CompileError;
    outcome.log = reason;
    outcome.reason = std::move(reason);
    return outcome;
}

// "softmax.cpp:12:5: error: ..." without what comes before "error:" when that is our private folder.
std::string firstErrorLine(const std::string& log)
{
    for (const auto line : splitLines(log)) {
        if (line.find("error:") != std::string_view::npos || line.find("Error:") != std::string_view::npos
            || line.find("undefined reference") != std::string_view::npos)
            return std::string(trimmed(line));
    }
    for (const auto line : splitLines(log)) {
        if (!trimmed(line).empty())
            return std::string(trimmed(line));
    }
    return "The compiler failed without a message.";
}

Result<MemoryFile> sealed(const std::string& content)
{
    auto file = MemoryFile::make(content.size());
    if (!file)
        return file;
    std::memcpy(file->bytes().data(), content.data(), content.size());
    if (auto status = file->makeReadOnly(); !status)
        return status.error();
    return file;
}

// Not flushed to disk like what the user keeps: the folder lives as long as the compiler.
Status writeSources(const fs::path& dir, const kernel::Candidate& candidate)
{
    for (const auto& source : candidate.files) {
        std::error_code ignored;
        fs::create_directories((dir / source.path).parent_path(), ignored);
        std::ofstream file(dir / source.path, std::ios::binary);
        file.write(source.content.data(), static_cast<std::streamsize>(source.content.size()));
        if (!file.flush()) {
            const auto path = (dir / source.path).string();
            return Error{ ErrorCode::Io, "Cannot write " + path + ". Is the disk full?", {} };
        }
    }
    return success();
}

} // namespace

struct Builder::Plan {
    const kernel::Candidate& candidate;
    Limits limits;
    std::vector<std::string> arguments; // all but the output and the sources
    std::string compilerText;
    std::string flagsText;
    std::string key;
};

Builder::Builder(std::vector<target::Toolchain> toolchains, const fs::path& cacheDir)
    : m_toolchains(std::move(toolchains))
    , m_disk(cacheDir / "objects", diskCacheBytes)
{
}

Result<BuildOutcome> Builder::build(const BuildRequest& request, const JobContext& context) const
{
    if (auto status = kernel::validate(request.candidate); !status)
        return refused(status.error().text);
    const auto options = kernel::buildOptions(request.candidate);
    if (auto reason = refusedFlag(options.flags, request.purpose))
        return refused(*reason);
    std::vector<std::string> names;
    const target::Toolchain* toolchain = nullptr;
    for (const auto& each : m_toolchains) {
        names.push_back(each.name);
        if (each.name == options.compiler)
            toolchain = &each;
    }
    if (!toolchain)
        return refused("The compiler \"" + options.compiler + "\" is not known. Use one of " + join(names, ", ") + ".");
    if (!toolchain->usable())
        return Error{ ErrorCode::Environment, "The compiler " + options.compiler + " cannot be used: " + toolchain->why,
            {} };
    return compile(planFor(request, *toolchain, options.flags), context);
}

Builder::Plan Builder::planFor(
    const BuildRequest& request, const target::Toolchain& toolchain, const std::vector<std::string>& flags)
{
    Plan plan{ request.candidate, request.limits, {}, toolchain.name + " " + toolchain.version, join(flags, " "), {} };
    plan.arguments = { toolchain.path, "-std=c++20", "-shared", "-fPIC", "-fopenmp", "-fdiagnostics-color=never",
        "-Wl,--no-undefined", "-Wl,-z,noexecstack" };
    std::vector<std::string> libraries; // behind the sources that need them
    for (const auto& flag : flags)
        (flag.starts_with("-l") || flag.starts_with("-L") ? libraries : plan.arguments).push_back(flag);
    Sha256 hash;
    hash.addPart(buildVersion)
        .addPart(toolchain.identity)
        .addPart(kernel::sourceHash(request.candidate))
        .addPart(plan.flagsText);
    for (const auto& argument : plan.arguments)
        hash.addPart(argument);
    plan.key = hash.hex();
    for (const auto& file : request.candidate.files) {
        if (compiled(file.path) || &file == &request.candidate.files.front())
            plan.arguments.push_back("./" + file.path);
    }
    plan.arguments.insert(plan.arguments.end(), libraries.begin(), libraries.end());
    return plan;
}

std::optional<Result<BuildOutcome>> Builder::fromCache(const Plan& plan) const
{
    const auto entry = m_disk.find(plan.key);
    const auto separator = entry ? entry->find('\n') : std::string::npos;
    if (separator == std::string::npos)
        return std::nullopt;
    auto head = parseJson(std::string_view(*entry).substr(0, separator), "build cache entry");
    if (!head)
        return std::nullopt;
    const std::string content = entry->substr(separator + 1);
    auto file = sealed(content);
    if (!file)
        return Result<BuildOutcome>(file.error());
    auto log = jsonValue<std::string>(*head, "log", {});
    auto object = std::make_shared<Object>(
        Object{ std::move(file).value(), sha256Hex(content), log, plan.compilerText, plan.flagsText });
    return Result<BuildOutcome>(
        BuildOutcome{ object, EvaluationStatus::Passed, {}, std::move(log), plan.compilerText, plan.flagsText });
}

Result<BuildOutcome> Builder::compile(const Plan& plan, const JobContext& context) const
{
    if (auto cached = fromCache(plan))
        return *std::move(cached);
    auto dir = TemporaryDir::make("rooftree-build");
    if (!dir)
        return dir.error();
    if (auto status = writeSources(dir->path(), plan.candidate); !status)
        return status.error();
    return compileIn(dir->path(), plan, context);
}

Result<BuildOutcome> Builder::compileIn(const fs::path& dir, const Plan& plan, const JobContext& context) const
{
    const auto objectPath = dir / "rooftree-object.so";
    ProcessSpec spec;
    spec.argv = plan.arguments;
    spec.argv.insert(spec.argv.begin() + 1, { "-o", objectPath.string() });
    spec.workingDir = dir;
    spec.environment = std::vector<std::string>{ "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C",
        "TMPDIR=" + dir.string(), "HOME=" + dir.string() };
    spec.timeoutMs = context.limitMs(plan.limits.buildMs);
    spec.maxOutputBytes = static_cast<std::size_t>(plan.limits.outputBytes) * 4;
    spec.limits = { 0, compilerMemoryBytes, largestObjectBytes };
    spec.cancel = context.cancelFlag();
    auto run = runProcess(spec);
    if (!run)
        return run.error();
    if (run->canceled)
        return Error{ ErrorCode::Failed, canceledText, {} };
    BuildOutcome outcome;
    outcome.compiler = plan.compilerText;
    outcome.flags = plan.flagsText;
    outcome.log = elided(sanitizedUtf8(run->err + run->out), static_cast<std::size_t>(plan.limits.outputBytes));
    if (run->timedOut) {
        outcome.status = EvaluationStatus::Timeout;
        outcome.reason =
            "The compiler did not finish within " + formatNs(static_cast<double>(spec.timeoutMs) * 1e6) + ".";
        return outcome;
    }
    if (outcome.log.find("No space left on device") != std::string::npos) // the machine's fault, not the source's
        return Error{ ErrorCode::Environment,
            "The disk is full: the compiler cannot write. Free some space in " + dir.parent_path().string() + ".",
            outcome.log };
    auto content = run->succeeded() ? readFile(objectPath, static_cast<std::size_t>(largestObjectBytes))
                                    : Result<std::string>(Error{});
    if (!content) {
        outcome.status = EvaluationStatus::CompileError;
        outcome.reason = run->signal != 0
            ? "The compiler was ended by a signal; the source needs too much memory or time."
            : firstErrorLine(outcome.log);
        return outcome;
    }
    auto file = sealed(*content);
    if (!file)
        return file.error();
    outcome.object = std::make_shared<Object>(
        Object{ std::move(file).value(), sha256Hex(*content), outcome.log, plan.compilerText, plan.flagsText });
    m_disk.store(plan.key, toLine({ { "log", outcome.log } }) + '\n' + *content);
    return outcome;
}

} // namespace rooftree::worker
