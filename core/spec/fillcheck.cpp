// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/spec/operatorcheck.h"

#include <cmath>
#include <limits>

namespace rooftree::spec {

namespace {

struct Range {
    double lo = 0;
    double hi = 0;
};

Range rangeOf(DType dtype)
{
    switch (dtype) {
    case DType::Int8:
        return { -128, 127 };
    case DType::UInt8:
        return { 0, 255 };
    case DType::Int16:
        return { -32768, 32767 };
    case DType::Int32:
        return { -2147483648.0, 2147483647.0 };
    case DType::Int64:
        return { -0x1.0p62, 0x1.0p62 };
    case DType::Float32:
        return { -3.0e38, 3.0e38 };
    case DType::Float64:
        return { -1.0e308, 1.0e308 };
    }
    return {};
}

using Found = std::optional<std::string>;

Found checkFits(const Tensor& tensor, double lo, double hi)
{
    const auto range = rangeOf(tensor.dtype);
    if (lo >= range.lo && hi <= range.hi)
        return std::nullopt;
    return "Input '" + tensor.name + "': the values of its fill do not fit into " + std::string(dtypeName(tensor.dtype))
        + ". Use a larger dtype or smaller bounds.";
}

// lo and hi: both there, in order, and within the dtype.
Found checkBounds(const Tensor& tensor, const Axes& axes, bool mayBeEqual)
{
    const auto& fill = tensor.fill;
    if (fill.lo.empty() || fill.hi.empty())
        return "Input '" + tensor.name + "': this fill needs both lo and hi. Add them.";
    const auto lo = fill.lo.evaluate(axes);
    const auto hi = fill.hi.evaluate(axes);
    if (!lo || !hi)
        return "Input '" + tensor.name + "': " + (lo ? hi : lo).error().text + " Correct the fill.";
    if (*lo > *hi || (!mayBeEqual && *lo == *hi)) {
        return "Input '" + tensor.name + "': lo is not below hi for " + caseName({ axes, Role::Tune })
            + ". Exchange them or change the case.";
    }
    return checkFits(tensor, *lo, *hi);
}

Found checkOf(const Tensor& tensor, const Axes& axes, double smallest, double beyond)
{
    if (tensor.fill.of.empty())
        return "Input '" + tensor.name + "': this fill needs 'of'. Add of = \"...\" with an axis or an expression.";
    const auto of = tensor.fill.of.evaluate(axes);
    if (!of)
        return "Input '" + tensor.name + "': " + of.error().text + " Correct the fill.";
    if (*of < smallest || *of != std::floor(*of)) {
        return "Input '" + tensor.name + "': 'of' must be a whole number, at least "
            + std::to_string(static_cast<int>(smallest)) + ", for " + caseName({ axes, Role::Tune }) + ". Correct it.";
    }
    return checkFits(tensor, 0, *of - beyond);
}

Found checkKindForDtype(const Tensor& tensor)
{
    const auto kind = tensor.fill.kind;
    const bool floating = isFloat(tensor.dtype);
    const bool needsInteger = kind == FillKind::Indices || kind == FillKind::Offsets || kind == FillKind::Permutation;
    const bool needsFloat = kind == FillKind::Normal || kind == FillKind::Uniform;
    if (floating && needsInteger)
        return "Input '" + tensor.name + "': this fill makes positions and needs an integer dtype. Use int64 or int32.";
    if (!floating && needsFloat) {
        return "Input '" + tensor.name
            + "' has an integer dtype, but its fill makes fractions. "
              "Use kind = \"integers\", \"indices\", \"mask\" or another integer fill.";
    }
    return std::nullopt;
}

Found checkPositions(const Tensor& tensor, const Axes& axes)
{
    const auto count = elementCount(tensor, axes);
    if (!count)
        return count.error().text;
    if (tensor.shape.size() != 1)
        return "Input '" + tensor.name + "': this fill needs exactly one dimension. Change the shape or the fill.";
    if (tensor.fill.kind == FillKind::Permutation)
        return checkFits(tensor, 0, static_cast<double>(*count) - 1);
    if (*count < 2)
        return "Input '" + tensor.name + "': offsets need at least two elements. Use a shape such as \"rows + 1\".";
    return checkOf(tensor, axes, 0, 0);
}

} // namespace

std::optional<std::string> findFillProblem(const Tensor& tensor, const Axes& axes)
{
    if (auto problem = checkKindForDtype(tensor))
        return problem;
    const auto& fill = tensor.fill;
    switch (fill.kind) {
    case FillKind::Normal:
        if (!std::isfinite(fill.mean) || !std::isfinite(fill.std) || fill.std < 0)
            return "Input '" + tensor.name + "': mean and std must be finite, and std not negative. Correct them.";
        return checkFits(tensor, fill.mean - 10 * fill.std, fill.mean + 10 * fill.std);
    case FillKind::Mask:
        if (!(fill.p >= 0 && fill.p <= 1))
            return "Input '" + tensor.name + "': p is a probability. Use a number from 0 to 1.";
        return std::nullopt;
    case FillKind::Constant: {
        const auto value = fill.lo.evaluate(axes);
        if (fill.lo.empty() || !value)
            return "Input '" + tensor.name + "': a constant fill needs a value. Add value = ... to it.";
        if (!isFloat(tensor.dtype) && *value != std::floor(*value))
            return "Input '" + tensor.name + "' has an integer dtype. Use a whole number as its value.";
        return checkFits(tensor, *value, *value);
    }
    case FillKind::Uniform:
    case FillKind::Sorted:
        return checkBounds(tensor, axes, false);
    case FillKind::Integers:
        return checkBounds(tensor, axes, true);
    case FillKind::Indices:
        return checkOf(tensor, axes, 1, 1);
    case FillKind::Offsets:
    case FillKind::Permutation:
        return checkPositions(tensor, axes);
    }
    return std::nullopt;
}

} // namespace rooftree::spec
