// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/tuner/tunerspace.h"

#include <vector>

namespace rooftree::search {

// A Gaussian process over the points of a space: Matern 5/2, one length a tunable, lengths by marginal likelihood on a
// small grid. Values are scaled to mean 0 and deviation 1 inside. Plain value; any thread.
class Surrogate {
public:
    // At least two points, with values of the same count.
    Surrogate(const TunerSpace& space, const std::vector<TunerPoint>& points, const std::vector<double>& values);

    struct Prediction {
        double mean = 0;
        double deviation = 0;
    };
    Prediction predict(const TunerPoint& point) const;
    // How much below the lowest value so far a point is expected to be, in units of the values' deviation.
    double expectedImprovement(const Prediction& prediction) const;

private:
    using Position = std::vector<double>; // of a point, per axis, 0 to 1; unordered axes keep the index

    Position position(const TunerPoint& point) const;
    double covariance(const Position& a, const Position& b) const;
    double fit(); // factors the matrix and returns the log likelihood, up to a constant
    void chooseLengths();

    std::vector<bool> m_ordered;
    std::vector<double> m_span; // largest index of an axis, at least 1
    std::vector<double> m_weights; // 1 / length^2 for each axis
    std::vector<Position> m_points;
    std::vector<double> m_values; // scaled
    std::vector<double> m_factor; // Cholesky, lower, row by row
    std::vector<double> m_alpha; // the inverse matrix times the values
    double m_mean = 0;
    double m_deviation = 1;
    double m_lowest = 0; // scaled
};

} // namespace rooftree::search
