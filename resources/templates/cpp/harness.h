// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: MIT-0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

// What the test and the benchmark share: inputs from a seed, buffers that notice stray writes, the comparison.
namespace harness {

// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
class Random {
public:
    Random(uint64_t seed, uint64_t tensor)
        : m_state(seed * 0x9e3779b97f4a7c15u + tensor * 0xd1b54a32d192ed03u)
    {
    }
    uint64_t next()
    {
        uint64_t x = m_state += 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return x ^ (x >> 31);
    }
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    double normal() { return std::sqrt(-2.0 * std::log(1.0 - uniform())) * std::cos(6.283185307179586 * uniform()); }
    // 0 .. n-1
    int64_t below(int64_t n) { return n > 1 ? static_cast<int64_t>(next() % static_cast<uint64_t>(n)) : 0; }

private:
    uint64_t m_state;
};

template <typename T> T converted(double value)
{
    if constexpr (std::is_integral_v<T>) {
        value = std::nearbyint(value);
        if (!(value > static_cast<double>(std::numeric_limits<T>::min())))
            return std::numeric_limits<T>::min();
        if (value >= static_cast<double>(std::numeric_limits<T>::max()))
            return std::numeric_limits<T>::max();
    }
    return static_cast<T>(value);
}

// An array between two guards.
template <typename T> class Buffer {
public:
    explicit Buffer(int64_t count)
        : m_count(static_cast<std::size_t>(count))
        , m_bytes((m_count * sizeof(T)) + 2 * guardBytes, guard)
    {
    }
    T* data() { return reinterpret_cast<T*>(m_bytes.data() + guardBytes); }
    const T* data() const { return reinterpret_cast<const T*>(m_bytes.data() + guardBytes); }
    std::size_t size() const { return m_count; }
    T& operator[](std::size_t i) { return data()[i]; }
    const T& operator[](std::size_t i) const { return data()[i]; }

    // NaN in floating arrays: what the kernel leaves out is seen.
    void poison()
    {
        if constexpr (std::is_floating_point_v<T>)
            std::fill_n(data(), m_count, std::numeric_limits<T>::quiet_NaN());
        else
            std::memset(data(), 0xa5, m_count * sizeof(T));
    }
    bool guardsIntact() const
    {
        const auto isGuard = [](unsigned char byte) { return byte == guard; };
        return std::all_of(m_bytes.begin(), m_bytes.begin() + guardBytes, isGuard)
            && std::all_of(m_bytes.end() - guardBytes, m_bytes.end(), isGuard);
    }
    bool operator==(const Buffer& other) const { return m_bytes == other.m_bytes; }

private:
    static constexpr std::ptrdiff_t guardBytes = 256;
    static constexpr unsigned char guard = 0xc3;
    std::size_t m_count;
    std::vector<unsigned char> m_bytes;
};

template <typename T> void fillNormal(Buffer<T>& into, Random random, double mean, double deviation)
{
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i] = converted<T>(mean + deviation * random.normal());
}

template <typename T> void fillUniform(Buffer<T>& into, Random random, double lo, double hi)
{
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i] = converted<T>(lo + (hi - lo) * random.uniform());
}

// lo .. hi, both included
template <typename T> void fillIntegers(Buffer<T>& into, Random random, double lo, double hi)
{
    const auto lowest = static_cast<int64_t>(lo);
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i] = static_cast<T>(lowest + random.below(static_cast<int64_t>(hi) - lowest + 1));
}

// 0 .. of-1, with duplicates beside each other
template <typename T> void fillIndices(Buffer<T>& into, Random random, int64_t of)
{
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i] = i % 16 == 15 ? into[i - 1] : static_cast<T>(random.below(of));
}

// Ascending from 0 to 'of', both included, with equal neighbours
template <typename T> void fillOffsets(Buffer<T>& into, Random random, int64_t of)
{
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i] = i % 8 == 6 ? into[i - 1] : static_cast<T>(random.below(of + 1));
    if (into.size() > 0)
        into[0] = 0;
    if (into.size() > 1)
        into[into.size() - 1] = static_cast<T>(of);
    std::sort(into.data(), into.data() + into.size());
}

template <typename T> void fillMask(Buffer<T>& into, Random random, double p)
{
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i] = static_cast<T>(random.uniform() < p ? 1 : 0);
}

template <typename T> void fillConstant(Buffer<T>& into, double value)
{
    std::fill_n(into.data(), into.size(), converted<T>(value));
}

// Ascending in lo .. hi, no two equal as far as the type allows
template <typename T> void fillSorted(Buffer<T>& into, Random random, double lo, double hi)
{
    const double step = (hi - lo) / static_cast<double>(std::max<std::size_t>(1, into.size()));
    for (std::size_t i = 0; i < into.size(); ++i) {
        const double share = std::is_integral_v<T> && step < 2 ? 0 : random.uniform();
        const double value = lo + step * (static_cast<double>(i) + share);
        into[i] = converted<T>(std::is_integral_v<T> ? std::floor(value) : value);
        if constexpr (std::is_floating_point_v<T>)
            if (i > 0 && into[i] <= into[i - 1])
                into[i] = std::nextafter(into[i - 1], std::numeric_limits<T>::infinity());
    }
}

template <typename T> void fillPermutation(Buffer<T>& into, Random random)
{
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i] = static_cast<T>(i);
    for (std::size_t i = into.size(); i > 1; --i)
        std::swap(into[i - 1], into[static_cast<std::size_t>(random.below(static_cast<int64_t>(i)))]);
}

// For the reference, which computes in double precision; integers stay as they are.
template <typename T> auto widened(const Buffer<T>& from)
{
    using Wide = std::conditional_t<std::is_floating_point_v<T>, double, T>;
    return std::vector<Wide>(from.data(), from.data() + from.size());
}

template <typename T> auto magnitudes(const Buffer<T>& from)
{
    auto out = widened(from);
    if constexpr (std::is_floating_point_v<T>)
        for (auto& x : out)
            x = std::fabs(x);
    return out;
}

struct Tolerance {
    bool bitwise;
    double rtol;
    double atol;
};

// The largest finite magnitude of the truth, for every element.
inline std::vector<double> largestMagnitude(const std::vector<double>& truth)
{
    double largest = 1e-30;
    for (const double x : truth)
        if (std::isfinite(x))
            largest = std::max(largest, std::fabs(x));
    return std::vector<double>(truth.size(), largest);
}

// Right is what is within atol * scale + rtol * |truth|; NaN and infinities must be where the truth has them. Every test is stated so that
// a NaN of the kernel fails it.
template <typename T>
bool isRight(T got, double truth, double scale, const Tolerance& tolerance)
{
    const T rounded = static_cast<T>(truth);
    if (std::isnan(rounded))
        return std::isnan(got);
    if (tolerance.bitwise)
        return std::memcmp(&got, &rounded, sizeof got) == 0;
    if (got == rounded)
        return true;
    const double error = std::fabs(static_cast<double>(got) - truth);
    return std::isfinite(got) && std::isfinite(rounded) && error <= tolerance.atol * scale + tolerance.rtol * std::fabs(truth);
}

template <typename T>
bool checkFloats(const char* name, const Buffer<T>& got, const std::vector<double>& truth, const std::vector<double>& scale,
    const Tolerance& tolerance)
{
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (isRight(got[i], truth[i], scale[i], tolerance))
            continue;
        if (wrong++ == 0)
            std::printf("    %s[%zu] is %.9g and should be %.17g\n", name, i, static_cast<double>(got[i]), truth[i]);
    }
    if (wrong > 0)
        std::printf("    %zu of %zu elements of %s are wrong\n", wrong, got.size(), name);
    return wrong == 0;
}

template <typename T> bool checkIntegers(const char* name, const Buffer<T>& got, const std::vector<T>& truth)
{
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
        if (got[i] != truth[i] && wrong++ == 0)
            std::printf("    %s[%zu] is %lld and should be %lld\n", name, i, static_cast<long long>(got[i]),
                static_cast<long long>(truth[i]));
    if (wrong > 0)
        std::printf("    %zu of %zu elements of %s are wrong\n", wrong, got.size(), name);
    return wrong == 0;
}

template <typename T> bool checkGuards(const char* name, const Buffer<T>& buffer)
{
    if (!buffer.guardsIntact())
        std::printf("    the kernel wrote outside of %s\n", name);
    return buffer.guardsIntact();
}

template <typename T> bool checkUnchanged(const char* name, const Buffer<T>& now, const Buffer<T>& before)
{
    const bool same = now == before;
    if (!same)
        std::printf("    the kernel changed its input %s\n", name);
    return same;
}

} // namespace harness
