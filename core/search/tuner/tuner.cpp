// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/tuner.h"

#include "core/search/tuner/surrogate.h"
#include "core/search/tuner/tunerspace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rooftree::search {
namespace {

constexpr std::size_t modelPoints = 128; // at most: the best half of them and the latest
constexpr std::size_t modelCandidates = 400;
constexpr std::size_t modelTops = 4; // whose neighbours are candidates too
constexpr int spreadDraws = 16; // a first point is the most distant of so many
constexpr int pairDraws = 200;

// One search for the next point: what was tried, best first, and the space that knows what is left.
class NextPoint {
public:
    NextPoint(const kernel::TuningSpace& space, const std::vector<TunedPoint>& history,
        const std::vector<kernel::Configuration>& pending, Rng& rng);
    std::optional<TunerChoice> choose();

private:
    struct Tried {
        TunerPoint point;
        double logTime = 0; // of a failed point: the worst seen
        bool passed = false;
    };

    std::optional<TunerChoice> random();
    std::optional<TunerChoice> local();
    std::optional<TunerChoice> surrogate();
    std::optional<TunerPoint> pairNeighbour(const TunerPoint& point);
    double distanceToTried(const TunerPoint& point) const;
    std::vector<TunerPoint> candidates();
    Surrogate model() const;
    TunerChoice choice(const TunerPoint& point, const char* strategy, double expected = 0) const;

    TunerSpace m_space;
    std::vector<Tried> m_tried; // in the order of the history
    std::vector<std::size_t> m_byTime; // passed ones into m_tried, fastest first
    std::vector<TunerPoint> m_pending;
    Rng& m_rng;
};

NextPoint::NextPoint(const kernel::TuningSpace& space, const std::vector<TunedPoint>& history,
    const std::vector<kernel::Configuration>& pending, Rng& rng)
    : m_space(space)
    , m_rng(rng)
{
    double worst = -std::numeric_limits<double>::infinity();
    for (const TunedPoint& tuned : history) {
        const auto point = m_space.point(tuned.configuration);
        if (!point)
            continue;
        m_space.markSeen(*point);
        const bool passed = tuned.logTime && std::isfinite(*tuned.logTime);
        if (passed) {
            worst = std::max(worst, *tuned.logTime);
            m_byTime.push_back(m_tried.size());
        }
        m_tried.push_back({ *point, passed ? *tuned.logTime : 0, passed });
    }
    for (Tried& tried : m_tried)
        tried.logTime = tried.passed ? tried.logTime : worst;
    std::stable_sort(m_byTime.begin(), m_byTime.end(),
        [this](std::size_t a, std::size_t b) { return m_tried[a].logTime < m_tried[b].logTime; });
    for (const auto& configuration : pending) {
        if (const auto point = m_space.point(configuration)) {
            m_space.markSeen(*point);
            m_pending.push_back(*point);
        }
    }
}

std::optional<TunerChoice> NextPoint::choose()
{
    if (m_space.dimensions() == 0)
        return std::nullopt;
    const std::size_t begun = m_tried.size() + m_pending.size();
    const std::size_t start = std::min<std::size_t>(8, 2 * m_space.dimensions() + 2);
    std::optional<TunerChoice> next;
    // A model needs two values, and the neighbourhood a point that works.
    if (begun >= start && m_byTime.size() >= 2)
        next = begun % 2 == 0 ? surrogate() : local();
    // The values that a kernel comes with are somebody's choice: while the first points spread, every other one stays near the best.
    else if (begun % 2 == 1 && !m_byTime.empty())
        next = local();
    return next ? next : random();
}

TunerChoice NextPoint::choice(const TunerPoint& point, const char* strategy, double expected) const
{
    return { m_space.configuration(point), strategy, expected };
}

double NextPoint::distanceToTried(const TunerPoint& point) const
{
    double nearest = std::numeric_limits<double>::infinity();
    const auto compare = [&](const TunerPoint& other) {
        double distance = 0;
        for (std::size_t axis = 0; axis < point.size(); ++axis) {
            const double span = std::max(1, m_space.count(axis) - 1);
            const double steps = std::abs(point[axis] - other[axis]);
            distance += m_space.ordered(axis) ? steps / span : static_cast<double>(steps > 0);
        }
        nearest = std::min(nearest, distance);
    };
    for (const Tried& tried : m_tried)
        compare(tried.point);
    for (const TunerPoint& other : m_pending)
        compare(other);
    return nearest;
}

// The first points spread over the space; later ones, where the other strategies find nothing, do it too.
std::optional<TunerChoice> NextPoint::random()
{
    auto best = m_space.freshPoint(m_rng);
    if (!best)
        return std::nullopt;
    double farthest = distanceToTried(*best);
    for (int draw = 1; draw < spreadDraws; ++draw) {
        const TunerPoint rival = m_space.randomPoint(m_rng);
        if (!m_space.isFresh(rival))
            continue;
        const double distance = distanceToTried(rival);
        if (distance > farthest) {
            best = rival;
            farthest = distance;
        }
    }
    return choice(*best, "random");
}

std::optional<TunerPoint> NextPoint::pairNeighbour(const TunerPoint& point)
{
    for (int draw = 0; draw < pairDraws && m_space.dimensions() > 1; ++draw) {
        TunerPoint changed = point;
        for (int change = 0; change < 2; ++change) {
            const auto axis = static_cast<std::size_t>(m_rng.below(m_space.dimensions()));
            changed[axis] = static_cast<int>(m_rng.below(static_cast<uint64_t>(m_space.count(axis))));
        }
        if (m_space.isFresh(changed))
            return changed;
    }
    return std::nullopt;
}

std::optional<TunerChoice> NextPoint::local()
{
    const TunerPoint& best = m_tried[m_byTime.front()].point;
    for (const auto reach : { TunerSpace::Reach::Step, TunerSpace::Reach::Any }) {
        const auto neighbours = m_space.freshNeighbours(best, reach);
        if (!neighbours.empty())
            return choice(neighbours[static_cast<std::size_t>(m_rng.below(neighbours.size()))], "local");
    }
    if (const auto pair = pairNeighbour(best))
        return choice(*pair, "local");
    return std::nullopt;
}

std::vector<TunerPoint> NextPoint::candidates()
{
    auto points = m_space.freshPoints(modelCandidates, m_rng);
    for (std::size_t top = 0; top < std::min(modelTops, m_byTime.size()); ++top) {
        const auto near = m_space.freshNeighbours(m_tried[m_byTime[top]].point, TunerSpace::Reach::Any);
        points.insert(points.end(), near.begin(), near.end());
    }
    return points;
}

// Failed points count as the worst seen. Times beyond the third quartile are cut there: how bad is of no interest, only
// where.
Surrogate NextPoint::model() const
{
    std::vector<std::size_t> chosen(m_tried.size());
    std::iota(chosen.begin(), chosen.end(), 0);
    if (chosen.size() > modelPoints) {
        std::vector<bool> taken(m_tried.size(), false);
        for (std::size_t i = 0; i < std::min(modelPoints / 2, m_byTime.size()); ++i)
            taken[m_byTime[i]] = true;
        auto left = static_cast<std::ptrdiff_t>(modelPoints) - std::count(taken.begin(), taken.end(), true);
        for (std::size_t i = m_tried.size(); i-- > 0 && left > 0;) {
            left -= static_cast<std::ptrdiff_t>(!taken[i]);
            taken[i] = true;
        }
        std::erase_if(chosen, [&](std::size_t i) { return !taken[i]; });
    }
    std::vector<double> times;
    std::vector<TunerPoint> points;
    for (const std::size_t i : chosen) {
        times.push_back(m_tried[i].logTime);
        points.push_back(m_tried[i].point);
    }
    std::vector<double> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    const double cut = sorted[sorted.size() * 3 / 4];
    for (double& time : times)
        time = std::min(time, cut);
    // A running point is taken to be as good as the model's middle, which keeps the next ones away from it.
    for (const TunerPoint& point : m_pending) {
        points.push_back(point);
        times.push_back(sorted[sorted.size() / 2]);
    }
    return { m_space, points, times };
}

std::optional<TunerChoice> NextPoint::surrogate()
{
    const auto points = candidates();
    if (points.empty())
        return std::nullopt;
    const Surrogate model = this->model();
    const TunerPoint* best = nullptr;
    double bestGain = 0;
    double expected = 0;
    for (const TunerPoint& point : points) {
        const auto prediction = model.predict(point);
        const double gain = model.expectedImprovement(prediction);
        // The first of equals, whatever the last digits of exp() are on a machine: it is the same everywhere.
        if (!best || gain > bestGain * (1 + 1e-6)) {
            best = &point;
            bestGain = gain;
            expected = prediction.mean;
        }
    }
    return choice(*best, "surrogate", expected);
}

} // namespace

std::optional<TunerChoice> nextConfiguration(const kernel::TuningSpace& space, const std::vector<TunedPoint>& history,
    const std::vector<kernel::Configuration>& pending, Rng& rng)
{
    return NextPoint(space, history, pending, rng).choose();
}

} // namespace rooftree::search
