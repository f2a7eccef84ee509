// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/tuner/surrogate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace rooftree::search {
namespace {

constexpr double noise = 0.01; // variance, of values with variance 1: timings differ by about that much
constexpr std::array<double, 3> lengths{ 0.35, 0.7, 1.4 }; // of an axis whose ends are 1 apart
constexpr double irrelevant = 3; // times the length: an axis that hardly matters
constexpr double unequal = 0.5; // squared distance of two values without an order

// Four sums side by side: a single one would wait for each addition.
double dot(const double* a, const double* b, std::size_t n)
{
    double sums[4] = { 0, 0, 0, 0 };
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (std::size_t k = 0; k < 4; ++k)
            sums[k] += a[i + k] * b[i + k];
    }
    for (; i < n; ++i)
        sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

} // namespace

Surrogate::Surrogate(const TunerSpace& space, const std::vector<TunerPoint>& points, const std::vector<double>& values)
{
    for (std::size_t axis = 0; axis < space.dimensions(); ++axis) {
        m_ordered.push_back(space.ordered(axis));
        m_span.push_back(std::max(1, space.count(axis) - 1));
    }
    for (const TunerPoint& point : points)
        m_points.push_back(position(point));
    const auto n = static_cast<double>(values.size());
    m_mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double squares = 0;
    for (const double value : values)
        squares += (value - m_mean) * (value - m_mean);
    m_deviation = std::max(std::sqrt(squares / n), 1e-9);
    for (const double value : values)
        m_values.push_back((value - m_mean) / m_deviation);
    m_lowest = *std::min_element(m_values.begin(), m_values.end());
    chooseLengths();
}

Surrogate::Position Surrogate::position(const TunerPoint& point) const
{
    Position position(point.size());
    for (std::size_t axis = 0; axis < point.size(); ++axis)
        position[axis] = m_ordered[axis] ? point[axis] / m_span[axis] : point[axis];
    return position;
}

double Surrogate::covariance(const Position& a, const Position& b) const
{
    double squared = 0;
    for (std::size_t axis = 0; axis < a.size(); ++axis) {
        const double difference = a[axis] - b[axis];
        if (difference != 0)
            squared += m_weights[axis] * (m_ordered[axis] ? difference * difference : unequal);
    }
    const double distance = std::sqrt(5 * squared);
    return (1 + distance + distance * distance / 3) * std::exp(-distance);
}

double Surrogate::fit()
{
    const std::size_t n = m_points.size();
    m_factor.assign(n * n, 0);
    double logDeterminant = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double* row = &m_factor[i * n];
        for (std::size_t j = 0; j <= i; ++j) {
            const double* other = &m_factor[j * n];
            const double rest = covariance(m_points[i], m_points[j]) - dot(row, other, j);
            row[j] = i == j ? std::sqrt(std::max(rest + noise, 1e-12)) : rest / other[j];
        }
        logDeterminant += std::log(row[i]);
    }
    m_alpha = m_values;
    for (std::size_t i = 0; i < n; ++i)
        m_alpha[i] = (m_alpha[i] - dot(&m_factor[i * n], m_alpha.data(), i)) / m_factor[i * n + i];
    const double squares = dot(m_alpha.data(), m_alpha.data(), n);
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t j = i + 1; j < n; ++j)
            m_alpha[i] -= m_factor[j * n + i] * m_alpha[j];
        m_alpha[i] /= m_factor[i * n + i];
    }
    return -0.5 * squares - logDeterminant;
}

// The best common length first, then each axis once: does the data look better when it hardly matters?
void Surrogate::chooseLengths()
{
    double best = -std::numeric_limits<double>::infinity();
    std::vector<double> chosen;
    const auto consider = [&] {
        const double likelihood = fit();
        const bool better = likelihood > best;
        if (better) {
            best = likelihood;
            chosen = m_weights;
        }
        return better;
    };
    for (const double length : lengths) {
        m_weights.assign(m_ordered.size(), 1 / (length * length));
        consider();
    }
    for (std::size_t axis = 0; axis < m_ordered.size(); ++axis) {
        m_weights = chosen;
        m_weights[axis] /= irrelevant * irrelevant;
        consider();
    }
    m_weights = chosen;
    fit();
}

Surrogate::Prediction Surrogate::predict(const TunerPoint& point) const
{
    const std::size_t n = m_points.size();
    const Position at = position(point);
    std::vector<double> near(n);
    for (std::size_t i = 0; i < n; ++i)
        near[i] = covariance(at, m_points[i]);
    const double mean = dot(near.data(), m_alpha.data(), n);
    for (std::size_t i = 0; i < n; ++i)
        near[i] = (near[i] - dot(&m_factor[i * n], near.data(), i)) / m_factor[i * n + i];
    const double variance = std::max(1 - dot(near.data(), near.data(), n), 1e-9);
    return { m_mean + m_deviation * mean, m_deviation * std::sqrt(variance) };
}

double Surrogate::expectedImprovement(const Prediction& prediction) const
{
    const double deviation = prediction.deviation / m_deviation;
    const double gain = m_lowest - (prediction.mean - m_mean) / m_deviation;
    const double z = gain / deviation;
    const double density = std::exp(-0.5 * z * z) / 2.5066282746310002;
    return gain * 0.5 * std::erfc(-z / 1.4142135623730951) + deviation * density;
}

} // namespace rooftree::search
