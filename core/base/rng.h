// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

namespace rooftree {

// SplitMix64 (Steele, Lea, Flood 2014): also the seeding step of Rng, and the counter-based generator of kernel inputs.
constexpr uint64_t splitMix64(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

// xoshiro256** (Blackman, Vigna 2018). The same seed gives the same numbers on every platform, which std::
// distributions do not.
class Rng {
public:
    explicit Rng(uint64_t seed = 0)
    {
        for (auto& word : m_state)
            word = seed = splitMix64(seed);
    }

    uint64_t next()
    {
        const uint64_t result = rotl(m_state[1] * 5, 7) * 9;
        const uint64_t t = m_state[1] << 17;
        m_state[2] ^= m_state[0];
        m_state[3] ^= m_state[1];
        m_state[1] ^= m_state[2];
        m_state[0] ^= m_state[3];
        m_state[2] ^= t;
        m_state[3] = rotl(m_state[3], 45);
        return result;
    }

    // [0, 1) with 53 random bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    // [0, n), n > 0; the bias of the multiply-shift is below 2^-32 for every n used here.
    uint64_t below(uint64_t n) { return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64); }
    // Box-Muller, one of the pair.
    double normal()
    {
        const double u = 1.0 - uniform();
        return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * uniform());
    }

    // An independent generator for a named part of the work, so that adding a draw in one part does not move another.
    Rng fork(uint64_t tag) { return Rng(next() ^ splitMix64(tag)); }

private:
    static constexpr uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
    uint64_t m_state[4];
};

} // namespace rooftree
