// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/sourceguard.h"

#include "core/base/text.h"
#include "core/synth/transform/sourcetext.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace rooftree::synth::transform {

namespace {

constexpr double maxStatementTokens = 1000; // an operator each, and a level of the parser's recursion
constexpr double maxControl = 1000; // for, if, else, ...: they nest without braces too
constexpr double maxTokens = 200'000; // after the expansion of macros

struct Token {
    std::string_view text;
    bool identifier() const
    {
        return isIdentifierChar(text[0]) && std::isdigit(static_cast<unsigned char>(text[0])) == 0;
    }
};

std::vector<Token> tokensOf(std::string_view code)
{
    std::vector<Token> tokens;
    for (std::size_t at = 0; at < code.size();) {
        if (std::isspace(static_cast<unsigned char>(code[at])) != 0) {
            ++at;
            continue;
        }
        auto end = at + 1;
        while (isIdentifierChar(code[at]) && end < code.size() && isIdentifierChar(code[end]))
            ++end;
        tokens.push_back({ code.substr(at, end - at) });
        at = end;
    }
    return tokens;
}

struct Macro {
    std::vector<std::string> parameters;
    bool takesArguments = false;
    std::vector<Token> body;
    bool measured = false;
    double size = 1; // tokens of its own
    double factor = 1; // how often the most used argument appears
};

class Estimate {
public:
    // Reads and blanks the directives of one file's code.
    void addDefines(std::string& code)
    {
        for (std::size_t at = 0; at < code.size();) {
            auto end = lineEnd(code, at);
            const bool directive = trimmed(std::string_view(code).substr(at, end - at)).starts_with("#");
            while (directive && end > at && end < code.size() && code[end - 1] == '\\')
                end = lineEnd(code, end + 1);
            if (directive) {
                m_texts.push_back(code.substr(at, end - at));
                std::fill(code.begin() + static_cast<std::ptrdiff_t>(at),
                    code.begin() + static_cast<std::ptrdiff_t>(end), ' ');
            }
            at = end + 1;
        }
    }

    void prepare()
    {
        for (auto& text : m_texts) {
            std::replace(text.begin(), text.end(), '\\', ' ');
            const auto tokens = tokensOf(text);
            if (tokens.size() < 3 || tokens[1].text != "define")
                continue;
            Macro macro;
            const auto name = tokens[2].text;
            const auto behind = static_cast<std::size_t>(name.data() + name.size() - text.data());
            std::size_t at = 3;
            macro.takesArguments = behind < text.size() && text[behind] == '(';
            if (macro.takesArguments) {
                for (; at < tokens.size() && tokens[at].text != ")"; ++at) {
                    if (tokens[at].identifier())
                        macro.parameters.emplace_back(tokens[at].text);
                }
                ++at;
            }
            for (; at < tokens.size(); ++at)
                macro.body.push_back(tokens[at]);
            m_macros[std::string(name)] = std::move(macro);
        }
    }

    // Calls visit(token, number of tokens that it stands for) along a text.
    template <typename Visit> void walk(const std::vector<Token>& tokens, Visit visit)
    {
        std::vector<double> factors{ 1 };
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const auto& token = tokens[i];
            const auto macro = token.identifier() ? m_macros.find(std::string(token.text)) : m_macros.end();
            double factor = factors.back();
            if (macro != m_macros.end())
                measure(macro->second);
            visit(token, factor * (macro == m_macros.end() ? 1 : macro->second.size));
            if (token.text == ")" && factors.size() > 1)
                factors.pop_back();
            if (token.text == "(") {
                const auto called = i > 0 ? m_macros.find(std::string(tokens[i - 1].text)) : m_macros.end();
                factors.push_back(factor * (called == m_macros.end() ? 1 : called->second.factor));
            }
        }
    }

private:
    void measure(Macro& macro)
    {
        if (macro.measured)
            return;
        macro.measured = true; // a macro does not expand in itself
        std::map<std::string_view, double> used;
        double size = 0;
        walk(macro.body, [&](const Token& token, double weight) {
            size += weight;
            used[token.text] += weight;
        });
        for (const auto& parameter : macro.parameters)
            macro.factor = std::max(macro.factor, used.contains(parameter) ? used[parameter] : 0);
        if (macro.takesArguments && std::find_if(macro.body.begin(), macro.body.end(), [](const Token& t) {
                return t.text == "__VA_ARGS__";
            }) != macro.body.end())
            macro.factor = std::max(macro.factor, used["__VA_ARGS__"]);
        macro.size = std::max(1.0, size);
    }

    std::vector<std::string> m_texts;
    std::map<std::string, Macro> m_macros;
};

} // namespace

std::optional<std::string> refusal(const kernel::Candidate& candidate)
{
    static const std::set<std::string_view> control{ "for", "while", "if", "else", "do", "switch", "case", "default",
        "try", "template" };
    Estimate estimate;
    std::vector<std::string> codes;
    for (const auto& file : candidate.files)
        codes.push_back(blanked(file.content));
    for (auto& code : codes)
        estimate.addDefines(code);
    estimate.prepare();
    double statement = 0;
    double longest = 0;
    double controls = 0;
    double all = 0;
    for (const auto& code : codes) {
        estimate.walk(tokensOf(code), [&](const Token& token, double weight) {
            const bool ends = token.text == ";" || token.text == "{" || token.text == "}" || token.text == ",";
            statement = ends ? 0 : statement + weight;
            longest = std::max(longest, statement);
            controls += control.contains(token.text) ? weight : 0;
            all += weight;
        });
    }
    if (longest > maxStatementTokens || controls > maxControl || all > maxTokens)
        return "has statements, nests or macros that are too large to be analysed";
    return std::nullopt;
}

// read for ever.
std::optional<std::vector<std::string>> systemHeaders(const kernel::Candidate& candidate)
{
    std::vector<std::string> headers;
    for (const auto& file : candidate.files) {
        for (auto line : splitLines(file.content)) {
            line = trimmed(line);
            if (!line.starts_with("#"))
                continue;
            line = trimmed(line.substr(1));
            if (!line.starts_with("include"))
                continue;
            line = trimmed(line.substr(7));
            if (line.size() < 3 || (line[0] != '<' && line[0] != '"'))
                return std::nullopt;
            const auto end = line.find(line[0] == '<' ? '>' : '"', 1);
            if (end == std::string_view::npos)
                return std::nullopt;
            const auto name = line.substr(1, end - 1);
            if (name.empty() || name[0] == '/' || name.find("..") != std::string_view::npos)
                return std::nullopt;
            if (line[0] == '<')
                headers.emplace_back(name);
        }
    }
    std::sort(headers.begin(), headers.end());
    headers.erase(std::unique(headers.begin(), headers.end()), headers.end());
    return headers;
}

} // namespace rooftree::synth::transform
