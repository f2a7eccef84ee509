// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

namespace rooftree::worker {

// A standard normal number from 64 random bits by inverting the distribution: the upper bits choose one of the bins of equal probability, the
// next ones a place in it. Inside a bin the quantile function is taken as linear (wrong by less than 2e-6 in the middle bins); the outermost bins,
// where the tails are, are computed in full.
class NormalTable {
public:
    static constexpr unsigned binBits = 12;
    static constexpr std::size_t bins = std::size_t{ 1 } << binBits;
    static const NormalTable& instance();
    double operator()(uint64_t random) const
    {
        const std::size_t bin = random >> (64 - binBits);
        const double place = static_cast<double>((random << binBits) >> 11) * 0x1.0p-53;
        if (bin < tailBins || bin >= bins - tailBins)
            return exact((static_cast<double>(bin) + place) / static_cast<double>(bins));
        return m_quantile[bin] + m_width[bin] * place;
    }

private:
    static constexpr std::size_t tailBins = 16;
    NormalTable();
    static double exact(double probability);
    std::array<double, bins> m_quantile{};
    std::array<double, bins> m_width{};
};

inline double normalQuantile(uint64_t random)
{
    return NormalTable::instance()(random);
}

} // namespace rooftree::worker
