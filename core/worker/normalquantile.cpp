// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/normalquantile.h"

#include <algorithm>
#include <cmath>

namespace rooftree::worker {

const NormalTable& NormalTable::instance()
{
    static const NormalTable table;
    return table;
}

NormalTable::NormalTable()
{
    for (std::size_t bin = 1; bin < bins; ++bin)
        m_quantile[bin] = exact(static_cast<double>(bin) / static_cast<double>(bins));
    for (std::size_t bin = 1; bin + 1 < bins; ++bin)
        m_width[bin] = m_quantile[bin + 1] - m_quantile[bin];
}

// Odeh and Evans 1974 (error below 1.5e-8 from 1e-20 on), which needs no more than a logarithm and a square root.
double NormalTable::exact(double probability)
{
    constexpr double smallest = 1e-17;
    const double p = std::clamp(probability, smallest, 1 - 1e-16);
    const double tail = std::min(p, 1 - p);
    if (tail >= 0.5)
        return 0;
    const double y = std::sqrt(-2 * std::log(tail));
    const double above =
        (((y * 0.453642210148e-4 + 0.0204231210245) * y + 0.342242088547) * y + 1.0) * y + 0.322232431088;
    const double below =
        (((y * 0.38560700634e-2 + 0.103537752850) * y + 0.531103462366) * y + 0.588581570495) * y + 0.0993484626060;
    const double x = y - above / below;
    return p < 0.5 ? -x : x;
}

} // namespace rooftree::worker
