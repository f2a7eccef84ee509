// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_fwd.h"
#include "core/base/result.h"

#include <string>
#include <vector>

// A candidate's source. Plain values, any thread.
namespace rooftree::kernel {

enum class Language { Cpp }; // one entry per folder of core/target
std::string_view languageName(Language language); // "cpp"
Result<Language> languageFromName(std::string_view name);

struct SourceFile {
    std::string path; // relative, no "..", no leading '/'
    std::string content;
};

// One kernel source. The first file is the main one; the others are found by #include or are compiled with it when they
// end in .cpp.
struct Candidate {
    Language language = Language::Cpp;
    std::string entry; // the C symbol, the operator's name
    std::vector<SourceFile> files;
    const std::string& mainSource() const { return files.front().content; }
};

// SHA-256 over language, entry, and every path and content: the identity of a source.
std::string sourceHash(const Candidate& candidate);

// Refuses empty lists, absolute paths, "..", duplicate paths and more than 16 MiB in all.
Status validate(const Candidate& candidate);

Json toJson(const Candidate& candidate);
Result<Candidate> candidateFromJson(const Json& json);

} // namespace rooftree::kernel
