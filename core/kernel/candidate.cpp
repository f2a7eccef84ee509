// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernel/candidate.h"

#include "core/base/json.h"
#include "core/base/sha256.h"
#include "core/base/text.h"

#include <algorithm>
#include <set>

namespace rooftree::kernel {

namespace {

constexpr std::size_t maxTotalBytes = 16u << 20;
constexpr std::size_t maxPathBytes = 1024;

Error refused(const std::string& text)
{
    return { ErrorCode::Parse, text };
}

// Sources travel as JSON, which is UTF-8; anything else would arrive changed and with another hash.
bool isUtf8(std::string_view text)
{
    try {
        return !Json(text).dump().empty();
    } catch (const Json::exception&) {
        return false;
    }
}

Status validatePath(const std::string& path)
{
    const auto shown = "The source path '" + elided(sanitizedUtf8(path), 200) + "' ";
    if (path.empty() || path.size() > maxPathBytes)
        return refused("A source path is empty or longer than 1024 characters. Give the file a short relative name.");
    if (sanitizedUtf8(path) != path || path.find_first_of("\n\t\\") != std::string::npos)
        return refused(shown + "has control characters or backslashes. Use plain names and '/'.");
    if (path.front() == '/')
        return refused(shown + "is absolute. Name it relative to the candidate's folder.");
    std::size_t begin = 0;
    while (begin <= path.size()) {
        const auto end = std::min(path.find('/', begin), path.size());
        const auto part = std::string_view(path).substr(begin, end - begin);
        if (part.empty() || part == "." || part == "..")
            return refused(shown + "has an empty part, '.' or '..'. Name it inside the candidate's folder.");
        begin = end + 1;
    }
    return success();
}

} // namespace

std::string_view languageName(Language language)
{
    switch (language) {
    case Language::Cpp:
        return "cpp";
    }
    return "";
}

Result<Language> languageFromName(std::string_view name)
{
    if (name == languageName(Language::Cpp))
        return Language::Cpp;
    return Error{ ErrorCode::NotFound, "There is no language '" + elided(sanitizedUtf8(name), 80) + "'. Use \"cpp\"." };
}

std::string sourceHash(const Candidate& candidate)
{
    Sha256 hash;
    hash.addPart(languageName(candidate.language)).addPart(candidate.entry);
    for (const auto& file : candidate.files)
        hash.addPart(file.path).addPart(file.content);
    return hash.hex();
}

Status validate(const Candidate& candidate)
{
    if (candidate.files.empty())
        return refused("The candidate has no source files. Give it at least one.");
    const auto& entry = candidate.entry;
    if (entry.empty() || entry.size() > 256 || (entry[0] >= '0' && entry[0] <= '9')
        || !std::all_of(entry.begin(), entry.end(), isIdentifierChar)) {
        return refused(
            "The entry '" + elided(sanitizedUtf8(entry), 80) + "' is not a C identifier. Use the operator's name.");
    }
    std::set<std::string> paths;
    std::size_t total = 0;
    for (const auto& file : candidate.files) {
        if (auto status = validatePath(file.path); !status)
            return status;
        if (!paths.insert(file.path).second)
            return refused("The source path '" + file.path + "' is there twice. Give every file a path of its own.");
        total += file.content.size();
        if (total > maxTotalBytes)
            return refused("The candidate's sources are larger than 16 MiB. Make them smaller.");
        if (!isUtf8(file.content))
            return refused("The source '" + file.path + "' is not UTF-8. Save it as UTF-8.");
    }
    return success();
}

Json toJson(const Candidate& candidate)
{
    Json files = Json::array();
    for (const auto& file : candidate.files)
        files.push_back(Json{ { "path", file.path }, { "content", file.content } });
    return Json{ { "language", languageName(candidate.language) }, { "entry", candidate.entry },
        { "files", std::move(files) } };
}

Result<Candidate> candidateFromJson(const Json& json)
{
    const auto language = languageFromName(jsonValue(json, "language", std::string()));
    if (!language)
        return language.error();
    Candidate candidate{ *language, jsonValue(json, "entry", std::string()), {} };
    const auto files = json.find("files");
    if (files == json.end() || !files->is_array())
        return refused("The candidate has no list of files.");
    for (const auto& file : *files)
        candidate.files.push_back(
            { jsonValue(file, "path", std::string()), jsonValue(file, "content", std::string()) });
    if (auto status = validate(candidate); !status)
        return status.error();
    return candidate;
}

} // namespace rooftree::kernel
