// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/duel.h"
#include "core/measure/jsonnumber.h"
#include "core/measure/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rooftree::measure {

namespace {

constexpr std::array<std::string_view, 4> verdictNames{ "FASTER", "SLOWER", "SAME", "AMBIGUOUS" };
constexpr int resamples = 10'000;
constexpr std::size_t fewestPairs = 3;

// The 97.5 % quantile of Student's t distribution: exact to three decimals up to 10 degrees of freedom, then by its expansion
// in 1 / degrees (Abramowitz and Stegun 26.7.5).
double studentQuantile975(std::size_t degrees)
{
    constexpr std::array<double, 10> table{ 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228 };
    if (degrees >= 1 && degrees <= table.size())
        return table[degrees - 1];
    constexpr double z = 1.959964;
    const auto v = static_cast<double>(degrees);
    return z + (z * z * z + z) / (4 * v) + (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * v * v);
}

// The log ratios d = ln(candidate / incumbent) of each process, in the order in which they were taken.
using LogRatios = std::map<int, std::vector<double>>;

LogRatios logRatios(const DuelCase& one)
{
    LogRatios ratios;
    for (const auto& pair : one.pairs) {
        const bool valid = pair.candidateNs > 0 && pair.incumbentNs > 0;
        // A pair without a time keeps its place, so that the pairs of other cases still meet their own.
        ratios[pair.process].push_back(
            valid ? std::log(pair.candidateNs / pair.incumbentNs) : std::numeric_limits<double>::quiet_NaN());
    }
    return ratios;
}

// The i-th pair of a process averaged over the cases; what some case lacks is left out.
LogRatios averaged(const std::vector<DuelCase>& cases)
{
    LogRatios sums = cases.empty() ? LogRatios{} : logRatios(cases.front());
    for (std::size_t c = 1; c < cases.size(); ++c) {
        const auto more = logRatios(cases[c]);
        std::erase_if(sums, [&](const auto& entry) { return !more.contains(entry.first); });
        for (auto& [process, ratios] : sums) {
            const auto& others = more.at(process);
            ratios.resize(std::min(ratios.size(), others.size()));
            std::transform(ratios.begin(), ratios.end(), others.begin(), ratios.begin(), std::plus<>{});
        }
    }
    for (auto& [process, ratios] : sums)
        for (double& d : ratios)
            d /= static_cast<double>(cases.size());
    return sums;
}

// Resamples ranks, not values: the values are sorted once, and the median of a resample comes from counting how often
// each rank was drawn, which is several times quicker than selecting among the drawn values.
class Bootstrap {
public:
    explicit Bootstrap(const LogRatios& ratios)
    {
        for (const auto& [process, values] : ratios)
            std::copy_if(
                values.begin(), values.end(), std::back_inserter(m_sorted), [](double d) { return std::isfinite(d); });
        std::sort(m_sorted.begin(), m_sorted.end());
        for (const auto& [process, values] : ratios) {
            std::vector<std::size_t> ranks;
            for (const double d : values)
                if (std::isfinite(d))
                    ranks.push_back(static_cast<std::size_t>(
                        std::lower_bound(m_sorted.begin(), m_sorted.end(), d) - m_sorted.begin()));
            if (!ranks.empty())
                m_processes.push_back(std::move(ranks));
        }
        m_counts.resize(m_sorted.size());
    }

    std::size_t pairs() const { return m_sorted.size(); }

    // Median of the d's and its 95 % percentile interval; the extremes when there are too few pairs to resample.
    Interval run(Rng& rng)
    {
        if (m_sorted.empty())
            return {};
        const double point = median(m_sorted);
        if (m_sorted.size() < fewestPairs)
            return { point, m_sorted.front(), m_sorted.back() };
        std::vector<double> medians(resamples);
        std::generate(medians.begin(), medians.end(), [&] { return resample(rng); });
        const double widening = smallSampleWidening();
        return { point, point + widening * (quantile(medians, 0.025) - point),
            point + widening * (quantile(medians, 0.975) - point) };
    }

private:
    // A percentile interval from few units is too narrow: its variance is (n - 1) / n of the unbiased one, and it has the
    // normal's tails instead of Student's. Both are made up for (Efron and Tibshirani 1993, chapter 14; Hesterberg 2015).
    // The unit is the process, or the pair when there is one process only.
    double smallSampleWidening() const
    {
        const std::size_t units = m_processes.size() > 1 ? m_processes.size() : m_sorted.size();
        const auto n = static_cast<double>(units);
        return studentQuantile975(units - 1) / 1.96 * std::sqrt(n / (n - 1));
    }

    double resample(Rng& rng)
    {
        std::fill(m_counts.begin(), m_counts.end(), 0);
        std::size_t drawn = 0;
        for (std::size_t p = 0; p < m_processes.size(); ++p) {
            const auto& ranks = m_processes[m_processes.size() == 1 ? 0 : rng.below(m_processes.size())];
            for (std::size_t i = 0; i < ranks.size(); ++i)
                ++m_counts[ranks[rng.below(ranks.size())]];
            drawn += ranks.size();
        }
        return 0.5 * (drawnValue((drawn - 1) / 2) + drawnValue(drawn / 2));
    }

    double drawnValue(std::size_t position) const
    {
        std::size_t rank = 0;
        for (std::size_t passed = m_counts[0]; passed <= position; passed += m_counts[rank])
            ++rank;
        return m_sorted[rank];
    }

    std::vector<double> m_sorted;
    std::vector<std::vector<std::size_t>> m_processes;
    std::vector<std::size_t> m_counts;
};

Interval speedupOf(const Interval& logRatio)
{
    return { std::exp(-logRatio.value), std::exp(-logRatio.hi), std::exp(-logRatio.lo) };
}

Verdict verdictOf(const Interval& d, double limit)
{
    if (d.hi < -limit)
        return Verdict::Faster;
    if (d.lo > limit)
        return Verdict::Slower;
    return d.lo > -limit && d.hi < limit ? Verdict::Same : Verdict::Ambiguous;
}

Result<DuelCase> caseFromJson(const Json& json)
{
    DuelCase one;
    auto axes = axesField(json);
    if (!axes)
        return axes.error();
    one.axes = std::move(axes).value();
    one.speedup = intervalField(json, "ratio");
    const auto pairs = arrayField(json, "pairs");
    if (!pairs)
        return pairs.error();
    for (const auto& pair : *pairs) {
        const auto process = std::clamp<int64_t>(integerField(pair, "process"), 0, std::numeric_limits<int>::max());
        one.pairs.push_back(
            { static_cast<int>(process), numberField(pair, "candidate_ns"), numberField(pair, "incumbent_ns") });
    }
    return one;
}

} // namespace

std::string_view verdictName(Verdict verdict)
{
    return verdictNames[static_cast<std::size_t>(verdict)];
}

std::optional<Verdict> verdictFromName(std::string_view name)
{
    const auto it = std::find(verdictNames.begin(), verdictNames.end(), name);
    if (it == verdictNames.end())
        return std::nullopt;
    return static_cast<Verdict>(it - verdictNames.begin());
}

DuelResult judgeDuel(std::vector<DuelCase> cases, double margin, Rng rng)
{
    DuelResult result;
    result.margin = margin > 0 ? margin : 0;
    Bootstrap all(averaged(cases));
    const auto d = all.run(rng);
    result.pairs = static_cast<int>(all.pairs());
    if (all.pairs() >= fewestPairs)
        result.verdict = verdictOf(d, std::log1p(result.margin));
    if (all.pairs() > 0)
        result.speedup = speedupOf(d);
    for (auto& one : cases) {
        Bootstrap mine(logRatios(one));
        if (mine.pairs() > 0)
            one.speedup = speedupOf(mine.run(rng));
    }
    result.cases = std::move(cases);
    return result;
}

Json toJson(const DuelResult& result)
{
    Json cases = Json::array();
    for (const auto& one : result.cases) {
        Json pairs = Json::array();
        for (const auto& pair : one.pairs)
            pairs.push_back({ { "process", pair.process }, { "candidate_ns", numberToJson(pair.candidateNs) },
                { "incumbent_ns", numberToJson(pair.incumbentNs) } });
        cases.push_back(
            { { "axes", axesToJson(one.axes) }, { "ratio", toJson(one.speedup) }, { "pairs", std::move(pairs) } });
    }
    return { { "verdict", verdictName(result.verdict) }, { "ratio", toJson(result.speedup) }, { "pairs", result.pairs },
        { "margin", numberToJson(result.margin) }, { "cases", std::move(cases) } };
}

Result<DuelResult> duelFromJson(const Json& json)
{
    const auto name = textField(json, "verdict");
    const auto verdict = verdictFromName(name);
    if (!verdict)
        return Error{ ErrorCode::Parse, "\"" + name + "\" is not the verdict of a duel.", {} };
    DuelResult result;
    result.verdict = *verdict;
    result.speedup = intervalField(json, "ratio");
    result.margin = numberField(json, "margin", result.margin);
    result.pairs =
        static_cast<int>(std::clamp<int64_t>(integerField(json, "pairs"), 0, std::numeric_limits<int>::max()));
    const auto cases = arrayField(json, "cases");
    if (!cases)
        return cases.error();
    for (const auto& item : *cases) {
        auto one = caseFromJson(item);
        if (!one)
            return one.error();
        result.cases.push_back(std::move(one).value());
    }
    return result;
}

} // namespace rooftree::measure
