// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rooftree::measure {

namespace {

// NaN has no place in an order; a sample that is not a number says nothing.
std::vector<double> ordered(std::span<const double> samples)
{
    std::vector<double> values;
    values.reserve(samples.size());
    std::copy_if(samples.begin(), samples.end(), std::back_inserter(values), [](double x) { return !std::isnan(x); });
    std::sort(values.begin(), values.end());
    return values;
}

double medianOfSorted(const std::vector<double>& values)
{
    const auto n = values.size();
    if (n == 0)
        return 0;
    return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

// The largest k with P(Binomial(n, 1/2) < k) <= 2.5 %: the order statistics k and n + 1 - k, counted from 1, enclose
// the median.
std::size_t lowerRank(std::size_t n)
{
    const auto count = static_cast<double>(n);
    if (n > 1000)
        return static_cast<std::size_t>((count - 1.959964 * std::sqrt(count)) / 2);
    double term = std::pow(0.5, count); // P(X = 0); 2^-1000 is still a normal number
    double cumulative = term;
    std::size_t k = 0;
    while (cumulative <= 0.025) {
        ++k;
        term *= (count - static_cast<double>(k) + 1) / static_cast<double>(k);
        cumulative += term;
    }
    return k;
}

} // namespace

double median(std::span<const double> samples)
{
    return medianOfSorted(ordered(samples));
}

double quantile(std::span<const double> samples, double p)
{
    const auto values = ordered(samples);
    if (values.empty())
        return 0;
    const double position = std::clamp(p, 0.0, 1.0) * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const auto above = std::min(below + 1, values.size() - 1);
    const double share = position - static_cast<double>(below);
    // Two equal infinities would give NaN.
    return values[below] == values[above] ? values[below] : values[below] + share * (values[above] - values[below]);
}

double medianAbsoluteDeviation(std::span<const double> samples)
{
    const double centre = median(samples);
    std::vector<double> deviations;
    deviations.reserve(samples.size());
    for (const double x : samples)
        deviations.push_back(std::abs(x - centre));
    return 1.4826 * median(deviations);
}

double hodgesLehmann(std::span<const double> samples)
{
    const auto values = ordered(samples);
    std::vector<double> means; // each pair once, and each sample with itself: n (n + 1) / 2
    means.reserve(values.size() * (values.size() + 1) / 2);
    for (std::size_t i = 0; i < values.size(); ++i)
        for (std::size_t j = i; j < values.size(); ++j)
            means.push_back(0.5 * (values[i] + values[j]));
    return median(means);
}

double geometricMean(std::span<const double> samples)
{
    if (samples.empty())
        return 0;
    double logs = 0;
    for (const double x : samples) {
        if (!(x > 0))
            return 0;
        logs += std::log(x);
    }
    return std::exp(logs / static_cast<double>(samples.size()));
}

Interval medianInterval(std::span<const double> samples)
{
    const auto values = ordered(samples);
    if (values.empty())
        return {};
    const auto rank = values.size() < 6 ? 1 : std::max<std::size_t>(1, lowerRank(values.size()));
    return { medianOfSorted(values), values[rank - 1], values[values.size() - rank] };
}

double relativeErrorOfMedian(std::span<const double> samples)
{
    const auto interval = medianInterval(samples);
    // One sample says nothing about its own error.
    if (samples.size() < 2 || !(interval.value > 0))
        return std::numeric_limits<double>::infinity();
    return (interval.hi - interval.lo) / 2 / interval.value;
}

} // namespace rooftree::measure
