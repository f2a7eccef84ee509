// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/spec/operatorcheck.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace rooftree::spec {

namespace {

constexpr std::size_t maxCount = 64; // of axes, inputs and outputs
constexpr std::size_t maxCases = 1024;
constexpr double maxElementsOfCase = 0x1.0p33;

std::string indexed(const char* list, std::size_t index)
{
    return list + ("[" + std::to_string(index)) + "]";
}

const std::set<std::string>& reservedNames()
{
    static const std::set<std::string> names{ "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor",
        "bool", "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return",
        "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit", "continue",
        "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern",
        "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new",
        "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "register",
        "reinterpret_cast", "requires", "restrict", "return", "short", "signed", "sizeof", "static", "static_assert",
        "static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef",
        "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor",
        "xor_eq",
        // Not keywords, but taken in the sources that are made from an operator.
        "real", "main", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "size_t", "std" };
    return names;
}

// The first name of the expression that is no axis.
std::optional<std::string> unknownName(const Expression& expression, const Operator& op)
{
    std::vector<std::string> axes;
    for (const auto& axis : op.axes)
        axes.push_back(axis.name);
    for (const auto& name : expression.names()) {
        if (std::find(axes.begin(), axes.end(), name) != axes.end())
            continue;
        const auto nearest = nearestName(name, axes);
        return "\"" + expression.text() + "\" uses '" + name + "', which is not an axis. "
            + (nearest ? "Did you mean '" + *nearest + "'?"
                       : "Declare it in axes, or use one of: " + join(axes, ", ") + ".");
    }
    return std::nullopt;
}

std::optional<Problem> checkNames(const Operator& op)
{
    if (const auto problem = findNameProblem(op.name))
        return Problem{ "name", *problem };
    std::set<std::string> seen;
    const auto check = [&seen](const std::string& name, const std::string& place) -> std::optional<Problem> {
        if (const auto problem = findNameProblem(name))
            return Problem{ place, *problem };
        if (!seen.insert(name).second)
            return Problem{ place,
                "The name '" + name + "' is used twice. Give every axis and tensor a name of its own." };
        return std::nullopt;
    };
    for (const auto& axis : op.axes) {
        if (auto problem = check(axis.name, "axes." + axis.name))
            return problem;
    }
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        if (auto problem = check(op.inputs[i].name, indexed("inputs", i)))
            return problem;
    }
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
        if (auto problem = check(op.outputs[i].name, indexed("outputs", i)))
            return problem;
    }
    return std::nullopt;
}

std::optional<Problem> checkCounts(const Operator& op)
{
    if (op.outputs.empty())
        return Problem{ "outputs", "The operator has no outputs. Add an [[outputs]] table." };
    if (op.axes.size() > maxCount || op.inputs.size() > maxCount || op.outputs.size() > maxCount)
        return Problem{ "name", "More than 64 axes, inputs or outputs. Split the operator into smaller ones." };
    if (op.cases.size() > maxCases)
        return Problem{ "cases", "More than 1024 cases. Keep the ones that matter." };
    const bool tunes =
        std::any_of(op.cases.begin(), op.cases.end(), [](const Case& which) { return which.role == Role::Tune; });
    if (!tunes)
        return Problem{ "cases", "There is no case to tune on. Add a [[cases]] table without role = \"held-out\"." };
    return std::nullopt;
}

std::optional<Problem> checkExpressions(const Operator& op)
{
    const auto checkTensor = [&op](const Tensor& tensor, const std::string& place) -> std::optional<Problem> {
        for (const auto& extent : tensor.shape) {
            if (extent.empty())
                return Problem{ place + ".shape",
                    "An extent of the shape is empty. Write an axis, a number or an expression." };
            if (const auto problem = unknownName(extent, op))
                return Problem{ place + ".shape", *problem };
        }
        for (const auto* bound : { &tensor.fill.lo, &tensor.fill.hi, &tensor.fill.of }) {
            if (const auto problem = unknownName(*bound, op))
                return Problem{ place + ".fill", *problem };
        }
        return std::nullopt;
    };
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        if (auto problem = checkTensor(op.inputs[i], indexed("inputs", i)))
            return problem;
    }
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
        if (auto problem = checkTensor(op.outputs[i], indexed("outputs", i)))
            return problem;
    }
    if (const auto problem = unknownName(op.flops, op))
        return Problem{ "cost.flops", *problem };
    if (const auto problem = unknownName(op.bytes, op))
        return Problem{ "cost.bytes", *problem };
    return std::nullopt;
}

std::optional<std::string> checkCaseAxes(const Operator& op, const Axes& axes)
{
    std::vector<std::string> names;
    for (const auto& axis : op.axes) {
        names.push_back(axis.name);
        const auto size = axes.find(axis.name);
        if (size == axes.end())
            return "The case gives no value for axis '" + axis.name + "'. Add " + axis.name + " = ... to its axes.";
        if (size->second <= 0)
            return "Axis '" + axis.name + "' is " + std::to_string(size->second)
                + " in this case. Give it a positive value.";
        if (axis.constant != 0 && size->second != axis.constant)
            return "Axis '" + axis.name + "' is the constant " + std::to_string(axis.constant)
                + ". Leave it out of the case.";
    }
    for (const auto& [name, size] : axes) {
        if (std::find(names.begin(), names.end(), name) != names.end())
            continue;
        const auto nearest = nearestName(name, names);
        return "The case names '" + name + "', which is not an axis. "
            + (nearest ? "Did you mean '" + *nearest + "'?" : "The axes are: " + join(names, ", ") + ".");
    }
    return std::nullopt;
}

std::optional<Problem> checkCost(const Operator& op, const Axes& axes)
{
    for (const auto* cost : { &op.flops, &op.bytes }) {
        const std::string place = cost == &op.flops ? "cost.flops" : "cost.bytes";
        const auto value = cost->evaluate(axes);
        if (!value)
            return Problem{ place, value.error().text + " Correct it for " + caseName({ axes, Role::Tune }) + "." };
        if (*value < 0)
            return Problem{ place,
                "The cost \"" + cost->text() + "\" is negative for " + caseName({ axes, Role::Tune })
                    + ". Correct it." };
    }
    return std::nullopt;
}

std::optional<Problem> checkCase(const Operator& op, std::size_t index)
{
    const auto& axes = op.cases[index].axes;
    const auto place = indexed("cases", index);
    if (const auto problem = checkCaseAxes(op, axes))
        return Problem{ place, *problem };
    double total = 0;
    for (const auto* tensors : { &op.inputs, &op.outputs }) {
        for (const auto& tensor : *tensors) {
            const auto count = elementCount(tensor, axes);
            if (!count)
                return Problem{ place, count.error().text + " Change the case or the shape." };
            total += static_cast<double>(*count);
        }
    }
    if (total > maxElementsOfCase)
        return Problem{ place, "The tensors of this case have more than 2^33 elements in all. Use smaller sizes." };
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        if (const auto problem = findFillProblem(op.inputs[i], axes))
            return Problem{ indexed("inputs", i) + ".fill", *problem };
    }
    return checkCost(op, axes);
}

std::optional<Problem> checkSources(const Operator& op)
{
    if (!(op.check.rtol >= 0) || !(op.check.atol >= 0) || !std::isfinite(op.check.rtol)
        || !std::isfinite(op.check.atol))
        return Problem{ "check", "rtol and atol must be numbers that are not negative. Correct them." };
    if (replaceIdentifier(op.referenceSource, op.name, "") == op.referenceSource) {
        return Problem{ "reference",
            "The reference does not define '" + op.name + "'. Give it the entry: " + signature(op, SignatureForm::Real)
                + "." };
    }
    if (op.vendorSource.empty() != op.vendorName.empty())
        return Problem{ "vendor", "A vendor baseline needs both a name and a file. Add the other one." };
    if (op.naiveSource.empty()) {
        return Problem{ "reference",
            "The operator mixes floating dtypes, so its naive form cannot be made from the reference. "
            "Add a [naive] table with a file in the operator's dtypes." };
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> findNameProblem(const std::string& name)
{
    const bool identifier =
        !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::all_of(name.begin(), name.end(), isIdentifierChar);
    const auto shown = "The name '" + elided(sanitizedUtf8(name), 80) + "' ";
    if (!identifier)
        return shown + "is not a C identifier. Use letters, digits and '_', and do not begin with a digit.";
    if (name.size() > 64)
        return shown + "is longer than 64 characters. Shorten it.";
    if (reservedNames().contains(name))
        return shown + "is a C++ keyword or a name that the sources use already. Choose another one.";
    return std::nullopt;
}

std::optional<Problem> findProblem(const Operator& op)
{
    for (auto* check : { checkNames, checkCounts, checkExpressions, checkSources }) {
        if (auto problem = check(op))
            return problem;
    }
    for (std::size_t i = 0; i < op.cases.size(); ++i) {
        if (auto problem = checkCase(op, i))
            return problem;
    }
    return std::nullopt;
}

} // namespace rooftree::spec
