// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/parser.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "core/synth/transform/sourceguard.h"
#include "core/synth/transform/treebuilder.h"

#include <clang-c/Index.h>

#include <algorithm>
#include <map>

namespace fs = std::filesystem;

namespace rooftree::synth::transform {

namespace {

constexpr std::size_t maxPrecompiled = 16; // sets of headers kept

struct UnitDeleter {
    void operator()(CXTranslationUnit unit) const { clang_disposeTranslationUnit(unit); }
};
using Unit = std::unique_ptr<CXTranslationUnitImpl, UnitDeleter>;

std::string toString(CXString text)
{
    const char* bytes = clang_getCString(text);
    std::string out = bytes ? bytes : "";
    clang_disposeString(text);
    return out;
}

// libclang looks for its own headers beside itself, where distributions do not put them.
std::vector<std::string> resourceDirArgument()
{
    std::error_code ignored;
    std::vector<fs::path> found;
    for (const auto& llvm : fs::directory_iterator("/usr/lib", ignored)) {
        if (!llvm.path().filename().string().starts_with("llvm-"))
            continue;
        for (const auto& version : fs::directory_iterator(llvm.path() / "lib" / "clang", ignored)) {
            if (fs::exists(version.path() / "include" / "stddef.h", ignored))
                found.push_back(version.path());
        }
    }
    const auto own = toString(clang_getClangVersion()); // "Debian clang version 14.0.6"
    for (const auto& path : found) {
        if (own.find("version " + path.filename().string().substr(0, 2)) != std::string::npos)
            return { "-resource-dir", path.string() };
    }
    return {};
}

std::vector<std::string> errorsOf(CXTranslationUnit unit)
{
    std::vector<std::string> errors;
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit) && errors.size() < 20; ++i) {
        const auto diagnostic = clang_getDiagnostic(unit, i);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
            errors.push_back(toString(clang_formatDiagnostic(diagnostic, CXDiagnostic_DisplaySourceLocation)));
        clang_disposeDiagnostic(diagnostic);
    }
    return errors;
}

} // namespace

struct Parser::Private {
    CXIndex index = nullptr;
    std::optional<TemporaryDir> dir;
    std::vector<std::string> arguments;
    std::map<std::pair<bool, std::vector<std::string>>, fs::path>
        precompiled; // set of headers -> file; empty path: they do not compile

    Unit parseFile(const std::string& path, std::vector<CXUnsavedFile> unsaved, const std::vector<std::string>& extra,
        unsigned options) const
    {
        std::vector<const char*> argv;
        for (const auto& argument : arguments)
            argv.push_back(argument.c_str());
        for (const auto& argument : extra)
            argv.push_back(argument.c_str());
        CXTranslationUnit unit = nullptr;
        const auto error = clang_parseTranslationUnit2(index, path.c_str(), argv.data(), static_cast<int>(argv.size()),
            unsaved.data(), static_cast<unsigned>(unsaved.size()), options, &unit);
        return Unit(error == CXError_Success ? unit : nullptr);
    }

    static std::vector<std::string> openMpArguments(bool openMp)
    {
        return openMp ? std::vector<std::string>{ "-fopenmp", "-fopenmp-version=51" } : std::vector<std::string>{};
    }

    // Clang can start from headers that were parsed before; they take most of the time.
    const fs::path& precompile(const std::vector<std::string>& headers, bool openMp)
    {
        const auto key = std::pair(openMp, headers);
        if (const auto known = precompiled.find(key); known != precompiled.end())
            return known->second;
        if (precompiled.size() >= maxPrecompiled)
            precompiled.clear();
        std::string text;
        for (const auto& header : headers)
            text += "#include <" + header + ">\n";
        const auto name =
            (dir->path() / ((openMp ? "omp" : "plain") + std::to_string(std::hash<std::string>{}(text)) + ".h"))
                .string();
        auto& entry = precompiled[key];
        if (!writeFile(name, text).ok())
            return entry;
        auto extra = openMpArguments(openMp);
        extra.insert(extra.end(), { "-x", "c++-header" });
        const auto unit = parseFile(name, {}, extra, CXTranslationUnit_ForSerialization);
        if (unit && errorsOf(unit.get()).empty()
            && clang_saveTranslationUnit(unit.get(), (name + ".pch").c_str(), clang_defaultSaveOptions(unit.get()))
                == CXSaveError_None)
            entry = name + ".pch";
        return entry;
    }

    Status prepare()
    {
        if (!index)
            return Error{ ErrorCode::Environment, "libclang cannot be used. Install libclang and start again.", {} };
        if (dir)
            return success();
        auto made = TemporaryDir::make("rooftree-transform");
        if (!made.ok())
            return made.error();
        dir.emplace(std::move(made).value());
        return success();
    }

    std::string pathOf(const kernel::SourceFile& file) const
    {
        return (dir->path() / "candidate" / file.path).string();
    }

    Unit parse(const kernel::Candidate& candidate, const std::vector<std::string>& headers, bool openMp)
    {
        std::vector<std::string> paths;
        for (const auto& file : candidate.files)
            paths.push_back(pathOf(file));
        std::vector<CXUnsavedFile> unsaved;
        for (std::size_t i = 0; i < paths.size(); ++i)
            unsaved.push_back(
                { paths[i].c_str(), candidate.files[i].content.data(), candidate.files[i].content.size() });
        auto extra = openMpArguments(openMp);
        if (const auto& pch = precompile(headers, openMp); !pch.empty())
            extra.insert(extra.end(), { "-include-pch", pch.string() });
        return parseFile(paths.front(), unsaved, extra, CXTranslationUnit_None);
    }
};

Parser::Parser()
    : d(std::make_unique<Private>())
{
    clang_toggleCrashRecovery(1);
    d->index = clang_createIndex(0, 0);
    // Without -fopenmp the pragmas are mere lines, and loops look the same with and without them.
    d->arguments = { "-std=c++20", "-march=native", "-w", "-ftemplate-depth=128", "-fconstexpr-steps=100000" };
    const auto resource = resourceDirArgument();
    d->arguments.insert(d->arguments.end(), resource.begin(), resource.end());
}

Parser::~Parser()
{
    if (d->index)
        clang_disposeIndex(d->index);
}

Result<std::unique_ptr<Analysis>> Parser::parse(const kernel::Candidate& candidate)
{
    auto analysis = std::make_unique<Analysis>();
    if (candidate.files.empty() || candidate.mainSource().size() > maxSourceBytes) {
        analysis->errors.emplace_back("no source, or one that is too large to be transformed");
        return analysis;
    }
    analysis->source = candidate.mainSource();
    analysis->entry = candidate.entry;
    if (auto reason = refusal(candidate)) {
        analysis->errors.push_back(*reason);
        return analysis;
    }
    const auto headers = systemHeaders(candidate);
    if (!headers) {
        analysis->errors.emplace_back("includes a file by its full path or by a macro");
        return analysis;
    }
    if (const auto prepared = d->prepare(); !prepared.ok())
        return prepared.error();
    const auto unit = d->parse(candidate, *headers, false);
    if (!unit) {
        analysis->errors.emplace_back("the source could not be parsed");
        return analysis;
    }
    analysis->errors = errorsOf(unit.get());
    if (analysis->errors.empty()) {
        TreeBuilder(unit.get(), clang_getFile(unit.get(), d->pathOf(candidate.files.front()).c_str()), *analysis)
            .build();
        findLoops(*analysis);
    }
    return analysis;
}

bool Parser::compiles(const kernel::Candidate& candidate)
{
    const auto headers = systemHeaders(candidate);
    if (candidate.files.empty() || !headers || refusal(candidate) || !d->prepare().ok())
        return false;
    const auto unit = d->parse(candidate, *headers, true);
    return unit && errorsOf(unit.get()).empty();
}

} // namespace rooftree::synth::transform
