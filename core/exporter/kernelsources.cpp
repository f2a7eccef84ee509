// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporter/kernelsources.h"
#include "core/base/text.h"
#include "core/kernel/tunables.h"

#include <algorithm>

namespace rooftree::exporter {

namespace {

constexpr std::string_view tunerMark = "// rooftree:";

std::string withLicense(const std::string& source, const ExportRequest& request)
{
    // A source that says its licence itself began as somebody's code and keeps its notice.
    if (source.find("SPDX-License-Identifier:") != std::string::npos)
        return source;
    return "// SPDX-License-Identifier: " + request.license + "\n" + source;
}

std::string withLineEnds(std::string text)
{
    std::erase(text, '\r');
    if (!text.empty() && text.back() != '\n')
        text += '\n';
    return text;
}

} // namespace

std::string slugOf(std::string_view name)
{
    std::string slug;
    for (const char c : name.substr(0, 60)) {
        const bool upper = c >= 'A' && c <= 'Z';
        slug += upper ? static_cast<char>(c - 'A' + 'a') : isIdentifierChar(c) ? c : '_';
    }
    const bool letterFirst = !slug.empty() && slug.front() >= 'a' && slug.front() <= 'z';
    return letterFirst ? slug : "k_" + slug;
}

std::string stripped(std::string_view source)
{
    std::string out;
    for (const auto line : splitLines(source)) {
        const auto mark = line.find(tunerMark);
        if (mark == std::string_view::npos) {
            out += std::string(line) + "\n";
            continue;
        }
        auto code = line.substr(0, mark);
        while (!code.empty() && (code.back() == ' ' || code.back() == '\t'))
            code.remove_suffix(1);
        if (!code.empty())
            out += std::string(code) + "\n";
    }
    return out;
}

std::vector<ExportFile> kernelFiles(const ExportRequest& request, const std::string& slug)
{
    std::vector<ExportFile> files;
    for (std::size_t i = 0; i < request.candidate.files.size(); ++i) {
        const auto& source = request.candidate.files[i];
        // In a folder of its own the main file keeps its place, since it may include its neighbours from there.
        const bool rename = i == 0 && source.path.find('/') == std::string::npos;
        auto content = withLineEnds(request.strip ? stripped(source.content) : source.content);
        files.push_back({ "src/" + (rename ? slug + ".cpp" : source.path), withLicense(content, request) });
    }
    return files;
}

FlagSets flagSets(const kernel::Candidate& candidate)
{
    FlagSets sets;
    for (const auto& flag : kernel::buildOptions(candidate).flags) {
        if (flag == "-fopenmp" || flag.starts_with("-l") || flag.starts_with("-std="))
            continue;
        (flag.starts_with("-m") ? sets.native : sets.portable).push_back(flag);
    }
    return sets;
}

std::string recordedFlags(const kernel::Candidate& candidate)
{
    return join({ "-std=c++20 -fopenmp", join(kernel::buildOptions(candidate).flags, " ") }, " ");
}

std::string recordedCompiler(const ExportRequest& request)
{
    const auto& measured = request.evaluation.compiler;
    return measured.empty() ? kernel::buildOptions(request.candidate).compiler : measured;
}

} // namespace rooftree::exporter
