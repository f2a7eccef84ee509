// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

// Outputs are judged in blocks that fit the first-level cache. Each block is copied once, so that a candidate which
// still writes to its output cannot show two values to two tests, and goes through a pass without branches that the
// compiler turns into vector code. It answers one question: is everything finite, within the tolerance, and no worse
// than what was seen before? Only a block that is not "plain" in this sense is looked at element by element; with
// honest kernels that is a handful of blocks.
namespace rooftree::measure {

namespace {

constexpr std::size_t blockSize = 1024;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t linearBuckets = 3; // 0, 1 and 2 ulps have buckets of their own

std::size_t ulpBucket(uint64_t ulps)
{
    return ulps == 0 ? 0 : 1 + static_cast<std::size_t>(std::bit_width(ulps - 1));
}

template <typename T> using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

// Sign and magnitude to two's complement: neighbours differ by one, and both zeros are 0.
template <typename T> Bits<T> orderedKey(Bits<T> bits)
{
    const auto negative = bits >> (8 * sizeof(T) - 1); // all ones or nothing
    return (bits ^ (negative & std::numeric_limits<Bits<T>>::max())) - negative;
}

// Of numbers that are finite; fits, since no two keys are 2^32 (2^64) apart.
template <typename T> std::make_unsigned_t<Bits<T>> keyDistance(Bits<T> a, Bits<T> b)
{
    using Unsigned = std::make_unsigned_t<Bits<T>>;
    const auto wide = static_cast<Unsigned>(a) - static_cast<Unsigned>(b);
    return a >= b ? wide : Unsigned{ 0 } - wide;
}

void noteElement(const ElementError& element, bool ok, Correctness& into)
{
    if (!ok) {
        ++into.wrong;
        if (!into.first)
            into.first = element;
    }
    if (element.overTolerance > (into.worst ? into.worst->overTolerance : 0))
        into.worst = element;
}

template <typename T> struct Block {
    std::size_t size = 0;
    int64_t offset = 0; // of the first element in the tensor
    const double* truth = nullptr;
    T got[blockSize];
    T rounded[blockSize]; // the truth in the tensor's dtype
    double truthSize[blockSize];
    double error[blockSize];
    double tolerance[blockSize];
};

// The largest errors so far; an element that exceeds one of them needs to be looked at.
struct Worst {
    double abs = 0;
    double rel = 0;
    double overTolerance = 0;
};

// Sixteen bytes: every x86-64 and Arm machine has them. Written out, and with arithmetic instead of comparisons,
// because the compiler gives up on comparisons, which must treat NaN as they do.
using Doubles = double __attribute__((vector_size(16)));
using Masks = int64_t __attribute__((vector_size(16)));
constexpr std::size_t lanes = 2;
static_assert(blockSize % (2 * lanes) == 0);

Doubles loadDoubles(const double* from)
{
    Doubles out;
    std::memcpy(&out, from, sizeof out);
    return out;
}

template <typename T> bool isPlain(const Block<T>& block, const Worst& seen)
{
    Masks exceeded{}; // the sign bit is set when a difference "limit - error" is negative
    Doubles finite{}; // becomes NaN at the first NaN or infinity, and stays so
    for (std::size_t i = 0; i < block.size; i += lanes) {
        const Doubles error = loadDoubles(block.error + i);
        const Doubles size = loadDoubles(block.truthSize + i);
        const Doubles tolerance = loadDoubles(block.tolerance + i);
        finite += (error + tolerance) * 0.0;
        exceeded |= reinterpret_cast<Masks>(tolerance - error) | reinterpret_cast<Masks>(seen.abs - error)
            | reinterpret_cast<Masks>(seen.rel * size - error)
            | reinterpret_cast<Masks>(seen.overTolerance * tolerance - error);
    }
    return (exceeded[0] | exceeded[1]) >= 0 && finite[0] + finite[1] == 0;
}

// The largest finite magnitude. Magnitudes are ordered as their bits are.
double largestSize(std::span<const double> numbers)
{
    constexpr auto infinityBits = std::bit_cast<uint64_t>(infinity);
    uint64_t most[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= numbers.size(); i += 4)
        for (std::size_t lane = 0; lane < 4; ++lane) {
            const uint64_t size = std::bit_cast<uint64_t>(numbers[i + lane]) & ~(uint64_t{ 1 } << 63);
            most[lane] = std::max(most[lane], size < infinityBits ? size : 0);
        }
    double result = std::bit_cast<double>(*std::max_element(most, most + 4));
    for (; i < numbers.size(); ++i)
        if (std::isfinite(numbers[i]))
            result = std::max(result, std::abs(numbers[i]));
    return result;
}

template <typename T> class FloatJudge {
public:
    FloatJudge(const OutputView& output, const spec::Check& check, Correctness& into)
        : m_output(output)
        , m_check(check)
        , m_into(into)
        , m_seen{ into.maxAbs, into.maxRel, into.worst ? into.worst->overTolerance : 0 }
        , m_scale(check.scale == spec::Scale::One ? 1 : std::max(1e-30, largestSize(output.truth)))
    {
        m_into.ulpHistogram.resize(std::max(m_into.ulpHistogram.size(), ulpBucket(~0ULL) + 1));
    }

    void run(std::size_t elements)
    {
        for (std::size_t start = 0; start < elements; start += blockSize) {
            load(start, std::min(blockSize, elements - start));
            const bool sameBits = std::memcmp(m_block.got, m_block.rounded, m_block.size * sizeof(T)) == 0;
            const bool bitwiseMode = m_check.mode == spec::CheckMode::Bitwise;
            if (isPlain(m_block, m_seen) && (sameBits || !bitwiseMode)) {
                m_into.bitwise = m_into.bitwise && sameBits;
                countUlps(sameBits);
            } else {
                for (std::size_t i = 0; i < m_block.size; ++i)
                    judgeElement(i);
            }
        }
        m_into.maxAbs = m_seen.abs;
        m_into.maxRel = m_seen.rel;
        while (!m_into.ulpHistogram.empty() && m_into.ulpHistogram.back() == 0)
            m_into.ulpHistogram.pop_back();
    }

private:
    void load(std::size_t start, std::size_t size)
    {
        m_block.size = size;
        m_block.offset = static_cast<int64_t>(start);
        m_block.truth = m_output.truth.data() + start;
        std::memcpy(m_block.got, m_output.got.data() + start * sizeof(T), size * sizeof(T));
        for (std::size_t i = 0; i < size; ++i) {
            m_block.rounded[i] = static_cast<T>(m_block.truth[i]);
            m_block.error[i] = std::abs(static_cast<double>(m_block.got[i]) - m_block.truth[i]);
            m_block.truthSize[i] = std::abs(m_block.truth[i]);
        }
        const bool perElement =
            m_check.scale == spec::Scale::Condition && m_output.condition.size() == m_output.truth.size();
        const double* condition = perElement ? m_output.condition.data() + start : nullptr;
        for (std::size_t i = 0; i < size; ++i)
            m_block.tolerance[i] =
                m_check.atol * (perElement ? condition[i] : m_scale) + m_check.rtol * m_block.truthSize[i];
        if (size % lanes != 0) // the last vector's other half: an exact zero
            m_block.error[size] = m_block.truthSize[size] = m_block.tolerance[size] = 0;
    }

    // Only for plain blocks: everything is finite.
    void countUlps(bool sameBits)
    {
        using Unsigned = std::make_unsigned_t<Bits<T>>;
        auto& histogram = m_into.ulpHistogram;
        if (sameBits) {
            histogram[0] += static_cast<int64_t>(m_block.size);
            return;
        }
        Bits<T> got[blockSize];
        Bits<T> rounded[blockSize];
        std::memcpy(got, m_block.got, m_block.size * sizeof(T));
        std::memcpy(rounded, m_block.rounded, m_block.size * sizeof(T));
        Unsigned ulps[blockSize];
        Unsigned most = 0;
        for (std::size_t i = 0; i < m_block.size; ++i) {
            ulps[i] = keyDistance<T>(orderedKey<T>(got[i]), orderedKey<T>(rounded[i]));
            most = std::max(most, ulps[i]);
        }
        m_into.maxUlp = std::max(m_into.maxUlp, static_cast<double>(most));
        const std::size_t last = ulpBucket(most);
        if (last > 2 * linearBuckets) {
            for (std::size_t i = 0; i < m_block.size; ++i)
                ++histogram[ulpBucket(ulps[i])];
            return;
        }
        // Few buckets: counting "at most" for each limit in turn is vector code and quicker than scattered increments.
        int64_t below = 0;
        for (std::size_t bucket = 0; bucket <= last; ++bucket) {
            const Unsigned limit = bucket == 0 ? 0 : Unsigned{ 1 } << (bucket - 1);
            Unsigned count = 0;
            for (std::size_t i = 0; i < m_block.size; ++i)
                count += ulps[i] <= limit ? 1 : 0;
            histogram[bucket] += static_cast<int64_t>(count) - below;
            below = static_cast<int64_t>(count);
        }
    }

    void judgeElement(std::size_t i)
    {
        const T got = m_block.got[i];
        const T rounded = m_block.rounded[i];
        const bool bothNan = std::isnan(got) && std::isnan(rounded);
        const bool sameBits = bothNan || std::bit_cast<Bits<T>>(got) == std::bit_cast<Bits<T>>(rounded);
        const bool same = bothNan || got == rounded; // infinities and signed zeros too
        // A truth that overflows the dtype is an infinity there, and only that infinity is right.
        const bool finite = std::isfinite(got) && std::isfinite(rounded);
        const double error = finite ? std::abs(static_cast<double>(got) - m_block.truth[i]) : same ? 0 : infinity;
        const double ulps = countUlp(got, rounded, same, finite);
        m_into.bitwise = m_into.bitwise && sameBits;
        m_into.maxUlp = std::max(m_into.maxUlp, ulps);
        m_seen.abs = std::max(m_seen.abs, error);
        // Of a truth of zero no error is relative.
        if (const double size = std::abs(m_block.truth[i]); error == infinity || (error > 0 && size > 0))
            m_seen.rel = std::max(m_seen.rel, error == infinity ? infinity : error / size);

        if (m_check.mode == spec::CheckMode::Bitwise)
            note(i, sameBits, sameBits ? 0 : std::max(ulps, 1.0));
        else
            judgeTolerance(i, same, error);
    }

    void judgeTolerance(std::size_t i, bool same, double error)
    {
        const double tolerance = m_block.tolerance[i];
        const bool ok = same || (error <= tolerance && error < infinity);
        const double ratio = error == 0 ? 0 : tolerance > 0 ? error / tolerance : infinity;
        // Nothing is nearer than the rounded truth, however narrow the tolerance.
        note(i, ok, same ? std::min(ratio, 1.0) : ratio);
    }

    double countUlp(T got, T rounded, bool same, bool finite)
    {
        if (!finite && !same)
            return infinity; // has no place in the histogram
        const auto key = [](T number) { return orderedKey<T>(std::bit_cast<Bits<T>>(number)); };
        const uint64_t ulps = same ? 0 : keyDistance<T>(key(got), key(rounded));
        ++m_into.ulpHistogram[ulpBucket(ulps)];
        return static_cast<double>(ulps);
    }

    void note(std::size_t i, bool ok, double overTolerance)
    {
        const ElementError element{ m_output.tensor->name, m_block.offset + static_cast<int64_t>(i), m_block.truth[i],
            static_cast<double>(m_block.got[i]), overTolerance };
        noteElement(element, ok, m_into);
        m_seen.overTolerance = std::max(m_seen.overTolerance, overTolerance);
    }

    const OutputView& m_output;
    const spec::Check& m_check;
    Correctness& m_into;
    Worst m_seen;
    double m_scale;
    Block<T> m_block;
};

template <typename T> void judgeIntegers(const OutputView& output, std::size_t elements, Correctness& into)
{
    T got[blockSize];
    for (std::size_t start = 0; start < elements; start += blockSize) {
        const std::size_t size = std::min(blockSize, elements - start);
        const int64_t* truth = output.integerTruth.data() + start;
        std::memcpy(got, output.got.data() + start * sizeof(T), size * sizeof(T));
        int64_t different = 0;
        for (std::size_t i = 0; i < size; ++i)
            different |= static_cast<int64_t>(got[i]) ^ truth[i];
        if (different == 0)
            continue;
        for (std::size_t i = 0; i < size; ++i) {
            if (got[i] == truth[i])
                continue;
            const auto expected = static_cast<double>(truth[i]);
            const auto value = static_cast<double>(got[i]);
            const double error = std::max(1.0, std::abs(value - expected)); // 1: doubles merge large neighbours
            into.bitwise = false;
            into.maxAbs = std::max(into.maxAbs, error);
            if (expected != 0)
                into.maxRel = std::max(into.maxRel, error / std::abs(expected));
            noteElement({ output.tensor->name, static_cast<int64_t>(start + i), expected, value, error }, false, into);
        }
    }
}

// Elements that the candidate did not deliver, or that nobody asked for, are wrong.
void noteMissing(const OutputView& output, std::size_t delivered, std::size_t wanted, Correctness& into)
{
    if (delivered == wanted)
        return;
    const auto index = static_cast<int64_t>(std::min(delivered, wanted));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    noteElement({ output.tensor->name, index, nan, nan, infinity }, false, into);
    into.wrong += static_cast<int64_t>(std::max(delivered, wanted)) - index - 1;
    into.bitwise = false;
}

} // namespace

void compareOutput(const OutputView& output, const spec::Check& check, Correctness& into)
{
    const auto dtype = output.tensor->dtype;
    const std::size_t wanted = spec::isFloat(dtype) ? output.truth.size() : output.integerTruth.size();
    const std::size_t delivered = output.got.size() / spec::dtypeSize(dtype);
    const std::size_t elements = std::min(wanted, delivered);
    if (into.elements == 0)
        into.bitwise = true; // until an element says otherwise
    into.elements += static_cast<int64_t>(wanted);
    switch (dtype) {
    case spec::DType::Float32:
        FloatJudge<float>(output, check, into).run(elements);
        break;
    case spec::DType::Float64:
        FloatJudge<double>(output, check, into).run(elements);
        break;
    case spec::DType::Int64:
        judgeIntegers<int64_t>(output, elements, into);
        break;
    case spec::DType::Int32:
        judgeIntegers<int32_t>(output, elements, into);
        break;
    case spec::DType::Int16:
        judgeIntegers<int16_t>(output, elements, into);
        break;
    case spec::DType::Int8:
        judgeIntegers<int8_t>(output, elements, into);
        break;
    case spec::DType::UInt8:
        judgeIntegers<uint8_t>(output, elements, into);
        break;
    }
    noteMissing(output, delivered, wanted, into);
}

} // namespace rooftree::measure
