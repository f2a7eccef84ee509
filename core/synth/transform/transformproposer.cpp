// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/synth/transform/transformproposer.h"

#include <algorithm>

namespace rooftree::synth::transform {

namespace {

struct Choice {
    const Move* move = nullptr;
    Site site;
};

bool hasClang(const std::vector<target::Toolchain>& toolchains)
{
    return std::any_of(toolchains.begin(), toolchains.end(),
        [](const target::Toolchain& t) { return t.name == "clang++" && t.usable(); });
}

// What helped and what hurt among the attempts that the memory mode shows.
double learnt(const ProposalRequest& request, const Move& move)
{
    double factor = 1;
    for (const auto& attempt : request.memoryOf) {
        if (attempt.proposer == "transform" && attempt.technique == move.technique && attempt.status != "PASSED")
            factor *= 0.7;
    }
    return std::max(factor, 0.2);
}

std::vector<Choice> untried(const Context& context, const ProposalRequest& request)
{
    std::vector<Choice> choices;
    for (const auto& move : moves()) {
        const double factor = learnt(request, move);
        for (auto& site : move.sites(context)) {
            site.weight *= factor;
            if (site.loop >= 0 && isRest(context.analysis, context.analysis.loop(site.loop)))
                site.weight *= 0.05;
            if (!request.triedMoves.contains(site.key))
                choices.push_back({ &move, std::move(site) });
        }
    }
    return choices;
}

std::size_t drawn(const std::vector<Choice>& choices, Rng& rng)
{
    double sum = 0;
    for (const auto& choice : choices)
        sum += choice.site.weight;
    double at = rng.uniform() * sum;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        at -= choices[i].site.weight;
        if (at < 0)
            return i;
    }
    return choices.size() - 1;
}

} // namespace

Result<std::vector<Proposal>> TransformProposer::propose(const ProposalRequest& request)
{
    std::vector<Proposal> none;
    if (request.parent.language != kernel::Language::Cpp)
        return none;
    const auto parsed = m_parser.parse(request.parent);
    if (!parsed.ok())
        return parsed.error();
    const Analysis& analysis = *parsed.value();
    if (!analysis.errors.empty() || analysis.functions.empty())
        return none;
    const auto withSource = [&](const std::string& source) {
        auto candidate = request.parent;
        candidate.files.front().content = source;
        return candidate;
    };
    const auto analyse = [&](const std::string& source) -> std::unique_ptr<Analysis> {
        auto again = m_parser.parse(withSource(source));
        return again.ok() && again.value()->errors.empty() ? std::move(again).value() : nullptr;
    };
    const DependenceTester dependence(analysis);
    const Context context{ analysis, dependence, request.op, request.bound, request.device.threads,
        hasClang(request.toolchains), analyse };
    auto rng = request.rng;
    auto choices = untried(context, request);
    while (!choices.empty()) {
        const auto at = drawn(choices, rng);
        const auto choice = std::move(choices[at]);
        choices.erase(choices.begin() + static_cast<std::ptrdiff_t>(at));
        const auto source = choice.move->apply(context, choice.site);
        if (!source || *source == analysis.source || source->size() > Parser::maxSourceBytes)
            continue;
        auto candidate = withSource(*source);
        if (request.knownSources.contains(kernel::sourceHash(candidate)) || !m_parser.compiles(candidate))
            continue;
        return std::vector<Proposal>{ { std::move(candidate), choice.site.key, choice.move->technique,
            choice.site.title } };
    }
    return none;
}

} // namespace rooftree::synth::transform
