// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/rng.h"
#include "core/kernel/tunables.h"

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

namespace rooftree::search {

// One value index for each tunable, in the order of the space.
using TunerPoint = std::vector<int>;

// A tuning space as indices: validity, neighbours and draws, none of which needs the space to be listed. Not
// thread-safe: it keeps the variables of the requirements between calls.
class TunerSpace {
public:
    explicit TunerSpace(const kernel::TuningSpace& space);

    std::size_t dimensions() const { return m_axes.size(); }
    int count(std::size_t axis) const { return static_cast<int>(m_axes[axis].values.size()); }
    double size() const { return m_size; }
    // True: values have an order and a distance. False: they are only equal or not.
    bool ordered(std::size_t axis) const { return m_axes[axis].ordered; }

    kernel::Configuration configuration(const TunerPoint& point) const;
    // Empty when a value is not in the space; a tunable that is missing has its current value.
    std::optional<TunerPoint> point(const kernel::Configuration& configuration) const;
    bool allows(const TunerPoint& point);

    void markSeen(const TunerPoint& point) { m_seen.insert(key(point)); }
    // Allowed and not seen.
    bool isFresh(const TunerPoint& point) { return !m_seen.contains(key(point)) && allows(point); }
    TunerPoint randomPoint(Rng& rng) const;
    // A fresh one by drawing, or, in a space of up to 20,000 points, by looking at all of them.
    std::optional<TunerPoint> freshPoint(Rng& rng);
    // Up to 'wanted' fresh points, each once; in a small space all of them.
    std::vector<TunerPoint> freshPoints(std::size_t wanted, Rng& rng);
    // The fresh points that differ in one tunable: by one step, or by any.
    enum class Reach { Step, Any };
    std::vector<TunerPoint> freshNeighbours(const TunerPoint& point, Reach reach);

private:
    struct Axis {
        std::string name;
        std::vector<std::string> values; // each once; numbers ascending
        std::vector<int64_t> variables; // what a requirement sees
        bool ordered = false;
        int current = 0;
        int64_t* variable = nullptr; // into m_variables
    };

    static Axis axisOf(const kernel::Tunable& tunable);
    uint64_t key(const TunerPoint& point) const;
    TunerPoint pointAt(uint64_t index) const;
    bool isSmall() const;

    std::vector<Axis> m_axes;
    std::vector<spec::Expression> m_requirements;
    std::map<std::string, int64_t> m_variables;
    std::unordered_set<uint64_t> m_seen;
    double m_size = 1;
};

} // namespace rooftree::search
