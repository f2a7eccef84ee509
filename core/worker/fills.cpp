// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/fills.h"
#include "core/base/rng.h"
#include "core/worker/normalquantile.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <thread>

namespace rooftree::worker {

namespace {

// The i-th random number of a tensor.
class Counter {
public:
    Counter(uint64_t seed, std::size_t tensorNumber)
        : m_key(splitMix64(seed) ^ splitMix64(~static_cast<uint64_t>(tensorNumber)))
    {
    }
    uint64_t at(uint64_t i) const { return splitMix64(m_key + i * 0x9e3779b97f4a7c15ULL); }
    double uniformAt(uint64_t i) const { return static_cast<double>(at(i) >> 11) * 0x1.0p-53; }
    uint64_t belowAt(uint64_t i, uint64_t n) const
    {
        return static_cast<uint64_t>((static_cast<unsigned __int128>(at(i)) * n) >> 64);
    }

private:
    uint64_t m_key;
};

template <typename T> T converted(double value)
{
    if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(value);
    } else {
        const double rounded = std::nearbyint(value);
        if (!(rounded > static_cast<double>(std::numeric_limits<T>::min())))
            return std::numeric_limits<T>::min();
        if (rounded >= static_cast<double>(std::numeric_limits<T>::max()))
            return std::numeric_limits<T>::max();
        return static_cast<T>(rounded);
    }
}

void inParallel(std::size_t count, const std::function<void(std::size_t, std::size_t)>& part)
{
    constexpr std::size_t worthAThread = 1 << 16;
    const std::size_t threads =
        std::min<std::size_t>(std::max(1u, std::thread::hardware_concurrency()), count / worthAThread + 1);
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < threads; ++i)
        others.emplace_back(part, count * i / threads, count * (i + 1) / threads);
    part(0, count / threads);
    for (auto& thread : others)
        thread.join();
}

// Random steps from 0 to 'total': the running sums of n weights, scaled. Every 8th weight is 0 when 'withEmpty'.
std::vector<double> runningShares(std::size_t n, const Counter& random, bool withEmpty)
{
    constexpr uint64_t largestWeight = 1 << 20;
    std::vector<double> shares(n);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const bool empty = withEmpty && i % 8 == 5;
        sum += empty ? 0.0 : static_cast<double>(random.belowAt(i, largestWeight) + 1);
        shares[i] = sum;
    }
    for (auto& share : shares)
        share /= std::max(sum, 1.0);
    return shares;
}

template <typename T> void fillOffsets(std::span<T> into, const Counter& random, int64_t of)
{
    if (into.empty())
        return;
    into[0] = 0;
    const auto shares = runningShares(into.size() - 1, random, true);
    for (std::size_t i = 1; i < into.size(); ++i)
        into[i] = static_cast<T>(std::floor(shares[i - 1] * static_cast<double>(of)));
    if (into.size() > 1)
        into.back() = static_cast<T>(of);
}

template <typename T> void fillSorted(std::span<T> into, const Counter& random, double lo, double hi)
{
    const auto shares = runningShares(into.size() + 1, random, false);
    for (std::size_t i = 0; i < into.size(); ++i) {
        if constexpr (std::is_floating_point_v<T>) {
            into[i] = static_cast<T>(lo + (hi - lo) * shares[i]);
            if (i > 0 && into[i] <= into[i - 1])
                into[i] = std::nextafter(into[i - 1], std::numeric_limits<T>::infinity());
        } else {
            const double room = std::max(0.0, hi - lo - static_cast<double>(into.size()) + 1);
            const double distinct = room > 0 ? static_cast<double>(i) : 0.0;
            into[i] = converted<T>(std::floor(lo + (room > 0 ? room : hi - lo) * shares[i]) + distinct);
        }
    }
}

template <typename T> void fillPermutation(std::span<T> into, const Counter& random)
{
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i] = static_cast<T>(i);
    for (std::size_t i = into.size(); i > 1; --i)
        std::swap(into[i - 1], into[random.belowAt(i, i)]);
}

struct Bounds {
    double lo = 0;
    double hi = 0;
    int64_t of = 0;
};

// Kinds whose elements do not depend on each other.
template <typename T>
void fillIndependent(const spec::Fill& fill, const Bounds& bounds, const Counter& random, std::span<T> into,
    std::size_t begin, std::size_t end)
{
    const auto each = [&](auto&& element) {
        for (std::size_t i = begin; i < end; ++i)
            into[i] = element(i);
    };
    const auto range = static_cast<uint64_t>(std::max(0.0, bounds.hi - bounds.lo)) + 1;
    const auto lowest = static_cast<int64_t>(bounds.lo);
    const auto of = static_cast<uint64_t>(std::max<int64_t>(1, bounds.of));
    switch (fill.kind) {
    case spec::FillKind::Normal:
        return each([&](std::size_t i) { return converted<T>(fill.mean + fill.std * normalQuantile(random.at(i))); });
    case spec::FillKind::Uniform:
        return each(
            [&](std::size_t i) { return converted<T>(bounds.lo + (bounds.hi - bounds.lo) * random.uniformAt(i)); });
    case spec::FillKind::Integers:
        return each(
            [&](std::size_t i) { return static_cast<T>(lowest + static_cast<int64_t>(random.belowAt(i, range))); });
    case spec::FillKind::Indices: // every 16th repeats its neighbour: duplicates close to each other are certain
        return each([&](std::size_t i) { return static_cast<T>(random.belowAt(i % 16 == 15 ? i - 1 : i, of)); });
    case spec::FillKind::Mask:
        return each([&](std::size_t i) { return static_cast<T>(random.uniformAt(i) < fill.p ? 1 : 0); });
    default:
        return each([&](std::size_t) { return converted<T>(bounds.lo); });
    }
}

template <typename T>
void fillTyped(const spec::Fill& fill, const Bounds& bounds, const Counter& random, std::span<T> into)
{
    switch (fill.kind) {
    case spec::FillKind::Offsets:
        return fillOffsets(into, random, bounds.of);
    case spec::FillKind::Sorted:
        return fillSorted(into, random, bounds.lo, bounds.hi);
    case spec::FillKind::Permutation:
        return fillPermutation(into, random);
    default:
        return inParallel(into.size(),
            [&](std::size_t begin, std::size_t end) { fillIndependent(fill, bounds, random, into, begin, end); });
    }
}

template <typename T> std::span<T> elements(std::span<std::byte> bytes)
{
    return { reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T) };
}

Result<Bounds> boundsOf(const spec::Fill& fill, const spec::Axes& axes)
{
    auto lo = fill.lo.evaluate(axes);
    auto hi = lo ? fill.hi.evaluate(axes) : lo;
    auto of = hi ? fill.of.evaluate(axes) : hi;
    if (!of)
        return of.error();
    return Bounds{ *lo, *hi, static_cast<int64_t>(*of) };
}

} // namespace

Status fillTensor(const spec::Tensor& tensor, const spec::Axes& axes, uint64_t seed, std::size_t tensorNumber,
    std::span<std::byte> into)
{
    auto bounds = boundsOf(tensor.fill, axes);
    if (!bounds)
        return Error{ bounds.error().code, "Cannot fill " + tensor.name + ": " + bounds.error().text,
            bounds.error().detail };
    const Counter random(seed, tensorNumber);
    switch (tensor.dtype) {
    case spec::DType::Float32:
        fillTyped(tensor.fill, *bounds, random, elements<float>(into));
        break;
    case spec::DType::Float64:
        fillTyped(tensor.fill, *bounds, random, elements<double>(into));
        break;
    case spec::DType::Int64:
        fillTyped(tensor.fill, *bounds, random, elements<int64_t>(into));
        break;
    case spec::DType::Int32:
        fillTyped(tensor.fill, *bounds, random, elements<int32_t>(into));
        break;
    case spec::DType::Int16:
        fillTyped(tensor.fill, *bounds, random, elements<int16_t>(into));
        break;
    case spec::DType::Int8:
        fillTyped(tensor.fill, *bounds, random, elements<int8_t>(into));
        break;
    case spec::DType::UInt8:
        fillTyped(tensor.fill, *bounds, random, elements<uint8_t>(into));
        break;
    }
    return success();
}

} // namespace rooftree::worker
