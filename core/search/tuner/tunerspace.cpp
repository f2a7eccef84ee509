// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/tuner/tunerspace.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace rooftree::search {
namespace {

constexpr double smallSpace = 20000;
constexpr int drawsForOne = 300; // before a small space is looked through
constexpr int drawsAtMost = 20000; // in a big one: then nothing is left, or next to nothing

std::optional<int64_t> wholeNumber(const std::string& text)
{
    int64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

} // namespace

// Values in the order in which a step to the next one means something; a requirement sees a number, or the index of the
// value as written.
TunerSpace::Axis TunerSpace::axisOf(const kernel::Tunable& tunable)
{
    std::vector<std::pair<std::string, int64_t>> values;
    bool ordered = true;
    const auto known = [&](const std::string& text) {
        return std::any_of(values.begin(), values.end(), [&](const auto& value) { return value.first == text; });
    };
    for (const std::string& text : tunable.values) {
        const auto index = std::find(tunable.values.begin(), tunable.values.end(), text) - tunable.values.begin();
        const auto number = wholeNumber(text);
        ordered = ordered && number.has_value();
        if (!known(text))
            values.emplace_back(text, number.value_or(index));
    }
    if (!known(tunable.current)) {
        const auto number = wholeNumber(tunable.current);
        ordered = ordered && number.has_value();
        values.emplace_back(tunable.current, number.value_or(static_cast<int64_t>(tunable.values.size())));
    }
    if (ordered)
        std::stable_sort(
            values.begin(), values.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    Axis axis;
    axis.name = tunable.name;
    axis.ordered = ordered;
    for (const auto& [text, variable] : values) {
        if (text == tunable.current)
            axis.current = static_cast<int>(axis.values.size());
        axis.values.push_back(text);
        axis.variables.push_back(variable);
    }
    return axis;
}

TunerSpace::TunerSpace(const kernel::TuningSpace& space)
    : m_requirements(space.requirements)
{
    for (const kernel::Tunable& tunable : space.tunables) {
        m_axes.push_back(axisOf(tunable));
        m_size *= static_cast<double>(m_axes.back().values.size());
    }
    for (Axis& axis : m_axes)
        axis.variable = &m_variables[axis.name];
}

kernel::Configuration TunerSpace::configuration(const TunerPoint& point) const
{
    kernel::Configuration configuration;
    for (std::size_t i = 0; i < m_axes.size(); ++i)
        configuration[m_axes[i].name] = m_axes[i].values[static_cast<std::size_t>(point[i])];
    return configuration;
}

std::optional<TunerPoint> TunerSpace::point(const kernel::Configuration& configuration) const
{
    TunerPoint point;
    for (const Axis& axis : m_axes) {
        const auto chosen = configuration.find(axis.name);
        if (chosen == configuration.end()) {
            point.push_back(axis.current);
            continue;
        }
        const auto it = std::find(axis.values.begin(), axis.values.end(), chosen->second);
        if (it == axis.values.end())
            return std::nullopt;
        point.push_back(static_cast<int>(it - axis.values.begin()));
    }
    return point;
}

bool TunerSpace::allows(const TunerPoint& point)
{
    if (m_requirements.empty())
        return true;
    for (std::size_t i = 0; i < m_axes.size(); ++i)
        *m_axes[i].variable = m_axes[i].variables[static_cast<std::size_t>(point[i])];
    return std::all_of(m_requirements.begin(), m_requirements.end(), [this](const spec::Expression& requirement) {
        const auto holds = requirement.evaluate(m_variables);
        return holds && *holds != 0;
    });
}

// The index of a point; in spaces beyond 2^64 a hash of it, where a collision only hides one point.
uint64_t TunerSpace::key(const TunerPoint& point) const
{
    uint64_t key = 0;
    for (std::size_t i = 0; i < m_axes.size(); ++i)
        key = key * m_axes[i].values.size() + static_cast<uint64_t>(point[i]);
    return key;
}

TunerPoint TunerSpace::pointAt(uint64_t index) const
{
    TunerPoint point(m_axes.size());
    for (std::size_t i = m_axes.size(); i-- > 0;) {
        point[i] = static_cast<int>(index % m_axes[i].values.size());
        index /= m_axes[i].values.size();
    }
    return point;
}

bool TunerSpace::isSmall() const
{
    return m_size <= smallSpace;
}

TunerPoint TunerSpace::randomPoint(Rng& rng) const
{
    TunerPoint point;
    for (const Axis& axis : m_axes)
        point.push_back(static_cast<int>(rng.below(axis.values.size())));
    return point;
}

std::optional<TunerPoint> TunerSpace::freshPoint(Rng& rng)
{
    for (int draw = 0; draw < (isSmall() ? drawsForOne : drawsAtMost); ++draw) {
        TunerPoint point = randomPoint(rng);
        if (isFresh(point))
            return point;
    }
    if (!isSmall())
        return std::nullopt;
    const auto size = static_cast<uint64_t>(m_size);
    const uint64_t start = rng.below(size);
    for (uint64_t i = 0; i < size; ++i) {
        TunerPoint point = pointAt((start + i) % size);
        if (isFresh(point))
            return point;
    }
    return std::nullopt;
}

std::vector<TunerPoint> TunerSpace::freshPoints(std::size_t wanted, Rng& rng)
{
    std::vector<TunerPoint> points;
    if (m_size <= static_cast<double>(2 * wanted)) {
        for (uint64_t i = 0; i < static_cast<uint64_t>(m_size); ++i) {
            TunerPoint point = pointAt(i);
            if (isFresh(point))
                points.push_back(std::move(point));
        }
        return points;
    }
    std::unordered_set<uint64_t> drawn;
    for (std::size_t draw = 0; draw < 4 * wanted && points.size() < wanted; ++draw) {
        TunerPoint point = randomPoint(rng);
        if (isFresh(point) && drawn.insert(key(point)).second)
            points.push_back(std::move(point));
    }
    return points;
}

std::vector<TunerPoint> TunerSpace::freshNeighbours(const TunerPoint& point, Reach reach)
{
    std::vector<TunerPoint> neighbours;
    TunerPoint changed = point;
    for (std::size_t i = 0; i < m_axes.size(); ++i) {
        for (int value = 0; value < count(i); ++value) {
            // Without an order every other value is one step away.
            const bool step = !m_axes[i].ordered || std::abs(value - point[i]) == 1;
            if (value == point[i] || (reach == Reach::Step && !step))
                continue;
            changed[i] = value;
            if (isFresh(changed))
                neighbours.push_back(changed);
        }
        changed[i] = point[i];
    }
    return neighbours;
}

} // namespace rooftree::search
