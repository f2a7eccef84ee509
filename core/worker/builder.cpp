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

Status writeSources(const fs::path& dir, const kernel::Candidate& candidate)
{
    for (const auto& file : candidate.files) {
        std::error_code ignored;
        fs::create_directories((dir / file.path).parent_path(), ignored);
        if (auto status = writeFile(dir / file.path, file.content); !status)
            return status;
    }
    return success();
}

} // namespace

struct Builder::Plan {
    const kernel::Candidate& candidate;
    Limits limits;
    const target::Toolchain* toolchain = nullptr;
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
    Plan plan{ request.candidate, request.limits };
    std::vector<std::string> names;
    for (const auto& toolchain : m_toolchains) {
        names.push_back(toolchain.name);
        if (toolchain.name == options.compiler)
            plan.toolchain = &toolchain;
    }
    if (!plan.toolchain)
        return refused("The compiler \"" + options.compiler + "\" is not known. Use one of " + join(names, ", ") + ".");
    if (!plan.toolchain->usable())
        return Error{ ErrorCode::Environment,
            "The compiler " + options.compiler + " cannot be used: " + plan.toolchain->why, {} };
    plan.arguments = { plan.toolchain->path, "-std=c++20", "-shared", "-fPIC", "-fopenmp", "-fdiagnostics-color=never",
        "-Wl,--no-undefined", "-Wl,-z,noexecstack" };
    std::vector<std::string> libraries;
    for (const auto& flag : options.flags)
        (flag.starts_with("-l") || flag.starts_with("-L") ? libraries : plan.arguments).push_back(flag);
    plan.compilerText = plan.toolchain->name + " " + plan.toolchain->version;
    plan.flagsText = join(options.flags, " ");
    Sha256 hash;
    hash.addPart(buildVersion).addPart(plan.toolchain->identity).addPart(kernel::sourceHash(request.candidate));
    for (const auto& argument : plan.arguments)
        hash.addPart(argument);
    for (const auto& file : request.candidate.files) {
        if (compiled(file.path) || &file == &request.candidate.files.front())
            plan.arguments.push_back("./" + file.path);
    }
    plan.arguments.insert(plan.arguments.end(), libraries.begin(), libraries.end());
    plan.key = hash.addPart(plan.flagsText).hex();
    return compile(plan, context);
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
