// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernel/tunables.h"

#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/kernel/directives.h"

#include <algorithm>
#include <charconv>
#include <functional>

namespace rooftree::kernel {

namespace {

constexpr const char* defaultCompiler = "g++";
constexpr const char* defaultFlags = "-O3 -march=native";

bool isOption(const Directive& directive)
{
    return directive.kind == DirectiveKind::Flags || directive.kind == DirectiveKind::Compiler;
}

Error errorAt(const SourceFile& file, std::size_t line, const std::string& text)
{
    return { ErrorCode::Parse, file.path + ":" + std::to_string(line + 1) + ": " + text };
}

std::optional<int64_t> wholeNumber(const std::string& text)
{
    int64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end)
        return std::nullopt;
    return number;
}

std::string unknownNames(const spec::Expression& requirement, const std::vector<Tunable>& tunables)
{
    std::vector<std::string> known;
    for (const auto& tunable : tunables)
        known.push_back(tunable.name);
    for (const auto& name : requirement.names()) {
        if (std::find(known.begin(), known.end(), name) != known.end())
            continue;
        const auto nearest = nearestName(name, known);
        return "The requirement uses '" + name + "', which is not tuned here. "
            + (nearest ? "Did you mean '" + *nearest + "'?"
                       : "Add a tune comment to its line or remove the requirement.");
    }
    return {};
}

Result<Tunable> tunableFrom(
    const Directive& directive, std::size_t file, const std::vector<Tunable>& known, const SourceFile& source)
{
    for (const auto& other : known) {
        if (other.name == directive.name) {
            return errorAt(source, directive.line,
                "'" + directive.name + "' is tuned twice; it is also tuned in line " + std::to_string(other.line + 1)
                    + ". Remove one of the two comments.");
        }
    }
    Tunable tunable{ directive.name, directive.values, directive.current, file, directive.line };
    if (isOption(directive))
        std::sort(tunable.values.begin(), tunable.values.end());
    else if (std::find(tunable.values.begin(), tunable.values.end(), tunable.current) == tunable.values.end())
        tunable.values.push_back(tunable.current);
    return tunable;
}

// Replaces the value of every sound directive by what 'choose' makes of it.
std::string rewritten(
    const std::string& text, const std::function<std::optional<std::string>(const Directive&)>& choose)
{
    std::string out;
    std::size_t done = 0;
    for (const auto& directive : scanDirectives(text)) {
        if (!directive.problem.empty() || directive.kind == DirectiveKind::Require)
            continue;
        const auto replacement = choose(directive);
        if (!replacement)
            continue;
        const bool option = isOption(directive);
        const auto begin = option ? directive.listBegin : directive.valueBegin;
        out.append(text, done, begin - done);
        out += *replacement;
        done = begin + (option ? directive.listSize : directive.valueSize);
    }
    return out.append(text, done);
}

std::optional<std::string> configuredText(const Directive& directive, const Configuration& configuration)
{
    const auto found = configuration.find(directive.name);
    if (found == configuration.end() || found->second == directive.current
        || found->second.find_first_of("\n\r") != std::string::npos)
        return std::nullopt;
    if (!isOption(directive))
        return directive.quoted ? "\"" + found->second + "\"" : found->second;
    // The first one is the value; the others keep an order that carries no meaning.
    auto values = directive.values;
    std::erase(values, found->second);
    std::sort(values.begin(), values.end());
    values.insert(values.begin(), found->second);
    return quotedList(values);
}

std::string blankedText(const Directive& directive)
{
    if (!isOption(directive))
        return {};
    auto values = directive.values;
    std::sort(values.begin(), values.end());
    return quotedList(values);
}

} // namespace

Configuration TuningSpace::current() const
{
    Configuration configuration;
    for (const auto& tunable : tunables)
        configuration[tunable.name] = tunable.current;
    return configuration;
}

bool TuningSpace::allows(const Configuration& configuration) const
{
    if (requirements.empty())
        return true;
    std::map<std::string, int64_t> variables;
    for (const auto& tunable : tunables) {
        const auto chosen = configuration.find(tunable.name);
        const auto& value = chosen == configuration.end() ? tunable.current : chosen->second;
        const auto index = std::find(tunable.values.begin(), tunable.values.end(), value) - tunable.values.begin();
        variables[tunable.name] = wholeNumber(value).value_or(index);
    }
    return std::all_of(requirements.begin(), requirements.end(), [&variables](const spec::Expression& requirement) {
        const auto holds = requirement.evaluate(variables);
        return holds && *holds != 0;
    });
}

double TuningSpace::size() const
{
    double size = 1;
    for (const auto& tunable : tunables)
        size *= static_cast<double>(tunable.values.size());
    return size;
}

Result<TuningSpace> readTunables(const Candidate& candidate)
{
    TuningSpace space;
    struct Requirement {
        std::size_t file;
        std::size_t line;
    };
    std::vector<Requirement> places;
    for (std::size_t i = 0; i < candidate.files.size(); ++i) {
        const auto& file = candidate.files[i];
        for (const auto& directive : scanDirectives(file.content)) {
            if (!directive.problem.empty())
                return errorAt(file, directive.line, directive.problem);
            if (directive.kind == DirectiveKind::Require) {
                auto requirement = spec::Expression::parse(directive.expression);
                if (!requirement)
                    return errorAt(file, directive.line, requirement.error().text + " Correct the requirement.");
                space.requirements.push_back(std::move(requirement).value());
                places.push_back({ i, directive.line });
                continue;
            }
            auto tunable = tunableFrom(directive, i, space.tunables, file);
            if (!tunable)
                return tunable.error();
            space.tunables.push_back(std::move(tunable).value());
        }
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto problem = unknownNames(space.requirements[i], space.tunables);
        if (!problem.empty())
            return errorAt(candidate.files[places[i].file], places[i].line, problem);
    }
    return space;
}

Candidate withConfiguration(const Candidate& candidate, const Configuration& configuration)
{
    Candidate changed = candidate;
    for (auto& file : changed.files) {
        file.content = rewritten(
            file.content, [&](const Directive& directive) { return configuredText(directive, configuration); });
    }
    return changed;
}

std::string structureHash(const Candidate& candidate)
{
    Candidate blanked = candidate;
    for (auto& file : blanked.files)
        file.content = rewritten(file.content, [](const Directive& directive) { return blankedText(directive); });
    return sourceHash(blanked);
}

BuildOptions buildOptions(const Candidate& candidate)
{
    std::string compiler;
    std::string flags;
    for (const auto& file : candidate.files) {
        for (const auto& directive : scanDirectives(file.content)) {
            if (!directive.problem.empty())
                continue;
            if (directive.kind == DirectiveKind::Compiler && compiler.empty())
                compiler = directive.current;
            if (directive.kind == DirectiveKind::Flags && flags.empty())
                flags = directive.current;
        }
    }
    return { compiler.empty() ? defaultCompiler : compiler, splitList(flags.empty() ? defaultFlags : flags, ' ') };
}

} // namespace rooftree::kernel
