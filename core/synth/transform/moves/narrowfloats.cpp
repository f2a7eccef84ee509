// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/moves/moves.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>

namespace rooftree::synth::transform {

namespace {

bool isDigit(char c)
{
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// The ends of the double literals ("0.5", "1e-5") and the ranges of the word "double" in the code of a range.
struct Doubles {
    std::vector<std::size_t> literalEnds;
    std::vector<Range> words;
    bool empty() const { return literalEnds.empty() && words.empty(); }
};

std::size_t numberEnd(const std::string& code, std::size_t at)
{
    while (at < code.size()
        && (isIdentifierChar(code[at]) || code[at] == '.'
            || ((code[at] == '+' || code[at] == '-') && (code[at - 1] == 'e' || code[at - 1] == 'E'))))
        ++at;
    return at;
}

Doubles doublesIn(const std::string& code, Range range)
{
    Doubles out;
    for (std::size_t at = range.begin; at < range.end;) {
        const bool number = isDigit(code[at]) || (code[at] == '.' && at + 1 < range.end && isDigit(code[at + 1]));
        if (number) {
            const auto end = numberEnd(code, at);
            const auto text = std::string_view(code).substr(at, end - at);
            const bool hex = text.starts_with("0x") || text.starts_with("0X");
            const bool real = text.find_first_of(".eE") != std::string_view::npos;
            if (!hex && real && (isDigit(text.back()) || text.back() == '.'))
                out.literalEnds.push_back(end);
            at = end;
        } else if (isIdentifierChar(code[at])) {
            const auto begin = at;
            while (at < code.size() && isIdentifierChar(code[at]))
                ++at;
            if (std::string_view(code).substr(begin, at - begin) == "double")
                out.words.push_back({ begin, at });
        } else {
            ++at;
        }
    }
    return out;
}

Doubles doublesOf(const Analysis& analysis)
{
    const auto code = blanked(analysis.source);
    Doubles all;
    for (const auto& function : analysis.functions) {
        auto found = doublesIn(code, function.body->range);
        all.literalEnds.insert(all.literalEnds.end(), found.literalEnds.begin(), found.literalEnds.end());
        all.words.insert(all.words.end(), found.words.begin(), found.words.end());
    }
    return all;
}

bool isSingle(const spec::Operator& op)
{
    const auto is = [](spec::DType dtype) {
        return [dtype](const spec::Tensor& tensor) { return tensor.dtype == dtype; };
    };
    const auto any = [&](spec::DType dtype) {
        return std::any_of(op.inputs.begin(), op.inputs.end(), is(dtype))
            || std::any_of(op.outputs.begin(), op.outputs.end(), is(dtype));
    };
    return any(spec::DType::Float32) && !any(spec::DType::Float64);
}

std::vector<Site> sites(const Context& context)
{
    if (!isSingle(context.op) || doublesOf(context.analysis).empty())
        return {};
    return { { "narrow-floats", "compute in single precision throughout", 1, -1, 0 } };
}

std::optional<std::string> apply(const Context& context, const Site&)
{
    Edits edits;
    const auto doubles = doublesOf(context.analysis);
    for (const auto end : doubles.literalEnds)
        edits.insert(end, "f");
    for (const auto word : doubles.words)
        edits.replace(word, "float");
    return edits.applied(context.analysis.source);
}

} // namespace

const Move narrowFloats{ "narrow-floats", "narrow-floats", "compute in single precision what need not be double", sites,
    apply };

} // namespace rooftree::synth::transform
