// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporter/testcode.h"
#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace rooftree::exporter {

namespace {

constexpr int seedCount = 3;
constexpr double mostTestCost = 2e8; // flops or bytes of a test shape: the reference then takes a fraction of a second
constexpr int64_t mostTestElements = 4'000'000;
constexpr double mostBenchBytes = 2e9;

bool needsRange(spec::FillKind kind)
{
    return kind == spec::FillKind::Uniform || kind == spec::FillKind::Integers || kind == spec::FillKind::Sorted
        || kind == spec::FillKind::Constant;
}

bool needsCount(spec::FillKind kind)
{
    return kind == spec::FillKind::Indices || kind == spec::FillKind::Offsets;
}

// Names of tensors and axes are prefixed everywhere, so that none of them meets another name of the program.
std::string caseMembers(const spec::Operator& op)
{
    std::string out;
    for (const auto& axis : op.axes)
        out += "    int64_t axis_" + axis.name + ";\n";
    for (const auto* tensors : { &op.inputs, &op.outputs })
        for (const auto& tensor : *tensors)
            out += "    int64_t elements_" + tensor.name + ";\n";
    for (const auto& tensor : op.inputs) {
        if (needsRange(tensor.fill.kind))
            out += "    double lo_" + tensor.name + ";\n    double hi_" + tensor.name + ";\n";
        if (needsCount(tensor.fill.kind))
            out += "    int64_t of_" + tensor.name + ";\n";
    }
    out.pop_back();
    return out;
}

Result<std::string> fillBounds(const spec::Tensor& tensor, const spec::Axes& axes)
{
    std::string out;
    if (needsRange(tensor.fill.kind)) {
        const auto lo = tensor.fill.lo.evaluate(axes);
        const auto hi = tensor.fill.hi.evaluate(axes);
        if (!lo || !hi)
            return lo ? hi.error() : lo.error();
        out += ", " + cppNumber(*lo) + ", " + cppNumber(*hi);
    }
    if (needsCount(tensor.fill.kind)) {
        const auto of = tensor.fill.of.evaluate(axes);
        if (!of)
            return of.error();
        out += ", " + std::to_string(std::llround(*of));
    }
    return out;
}

Result<std::string> caseRow(const spec::Operator& op, const spec::Case& which)
{
    std::string row = "    { \"" + spec::caseName(which) + "\"";
    for (const auto& axis : op.axes) {
        const auto it = which.axes.find(axis.name);
        row += ", " + std::to_string(it == which.axes.end() ? axis.constant : it->second);
    }
    for (const auto* tensors : { &op.inputs, &op.outputs }) {
        for (const auto& tensor : *tensors) {
            const auto count = spec::elementCount(tensor, which.axes);
            if (!count)
                return count.error();
            row += ", " + std::to_string(*count);
        }
    }
    for (const auto& tensor : op.inputs) {
        const auto bounds = fillBounds(tensor, which.axes);
        if (!bounds)
            return bounds;
        row += *bounds;
    }
    return row + " },";
}

Result<std::string> caseRows(const spec::Operator& op, const std::vector<spec::Case>& cases)
{
    std::vector<std::string> rows;
    for (const auto& which : cases) {
        auto row = caseRow(op, which);
        if (!row)
            return row;
        rows.push_back(std::move(row).value());
    }
    return join(rows, "\n");
}

double costOf(const spec::Operator& op, const spec::Case& which)
{
    const auto flops = op.flops.evaluate(which.axes);
    const auto bytes = op.bytes.evaluate(which.axes);
    return std::max(flops ? *flops : 0, bytes ? *bytes : 0);
}

// Neither the reference's time nor its arrays of doubles may grow large.
bool fitsTest(const spec::Operator& op, const spec::Case& which)
{
    int64_t elements = 0;
    for (const auto* tensors : { &op.inputs, &op.outputs }) {
        for (const auto& tensor : *tensors) {
            const auto count = spec::elementCount(tensor, which.axes);
            elements += count ? *count : 0;
        }
    }
    return costOf(op, which) <= mostTestCost && elements <= mostTestElements;
}

std::vector<spec::Case> testCases(const spec::Operator& op)
{
    auto cases = op.cases;
    std::stable_sort(cases.begin(), cases.end(),
        [&](const spec::Case& a, const spec::Case& b) { return costOf(op, a) < costOf(op, b); });
    std::vector<spec::Case> fitting;
    std::copy_if(cases.begin(), cases.end(), std::back_inserter(fitting),
        [&](const spec::Case& which) { return fitsTest(op, which); });
    if (fitting.empty() && !cases.empty())
        fitting.push_back(cases.front()); // at least one, whatever it costs
    return fitting;
}

std::vector<spec::Case> benchCases(const spec::Operator& op)
{
    std::vector<spec::Case> cases;
    for (const auto& which : op.cases) {
        const auto bytes = op.bytes.evaluate(which.axes);
        if (which.role == spec::Role::Tune && bytes && *bytes < mostBenchBytes)
            cases.push_back(which);
    }
    return cases.empty() ? testCases(op) : cases;
}

std::string fillCall(const spec::Tensor& tensor, std::size_t number)
{
    const std::string in = "in_" + tensor.name;
    const std::string random = "harness::Random(seed, " + std::to_string(number) + ")";
    const std::string range = "shape.lo_" + tensor.name + ", shape.hi_" + tensor.name;
    const std::string of = "shape.of_" + tensor.name;
    const auto call = [&](const std::string& name, const std::string& more) {
        return "    harness::fill" + name + "(" + in + ", " + random + (more.empty() ? "" : ", ") + more + ");\n";
    };
    switch (tensor.fill.kind) {
    case spec::FillKind::Normal:
        return call("Normal", cppNumber(tensor.fill.mean) + ", " + cppNumber(tensor.fill.std));
    case spec::FillKind::Uniform:
        return call("Uniform", range);
    case spec::FillKind::Integers:
        return call("Integers", range);
    case spec::FillKind::Indices:
        return call("Indices", of);
    case spec::FillKind::Offsets:
        return call("Offsets", of);
    case spec::FillKind::Mask:
        return call("Mask", cppNumber(tensor.fill.p));
    case spec::FillKind::Constant:
        return "    harness::fillConstant(" + in + ", shape.lo_" + tensor.name + ");\n";
    case spec::FillKind::Sorted:
        return call("Sorted", range);
    case spec::FillKind::Permutation:
        return call("Permutation", {});
    }
    return {};
}

std::string buffers(const spec::Operator& op)
{
    std::string out;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        const auto& tensor = op.inputs[i];
        out += "    harness::Buffer<" + std::string(spec::cType(tensor.dtype)) + "> in_" + tensor.name
            + "(shape.elements_" + tensor.name + ");\n" + fillCall(tensor, i);
    }
    for (const auto& tensor : op.outputs)
        out += "    harness::Buffer<" + std::string(spec::cType(tensor.dtype)) + "> out_" + tensor.name
            + "(shape.elements_" + tensor.name + ");\n    out_" + tensor.name + ".poison();\n";
    return out;
}

// NAME(<inputs>x.data(), <outputs>y.data(), shape.axis_rows)
std::string callOf(
    const spec::Operator& op, const std::string& symbol, const std::string& inputs, const std::string& outputs)
{
    std::vector<std::string> arguments;
    for (const auto& tensor : op.inputs)
        arguments.push_back(inputs + tensor.name + ".data()");
    for (const auto& tensor : op.outputs)
        arguments.push_back(outputs + tensor.name + ".data()");
    for (const auto& axis : op.axes)
        arguments.push_back("shape.axis_" + axis.name);
    return symbol + "(" + join(arguments, ", ") + ")";
}

// The reference on a form of the inputs ("widened", "magnitudes"), its arrays under a prefix.
std::string referenceRun(
    const spec::Operator& op, const std::string& symbol, const std::string& form, const std::string& prefix)
{
    std::string out;
    for (const auto& tensor : op.inputs)
        out += "    const auto " + prefix + "in_" + tensor.name + " = harness::" + form + "(in_" + tensor.name + ");\n";
    for (const auto& tensor : op.outputs)
        out += "    std::vector<" + std::string(spec::isFloat(tensor.dtype) ? "double" : spec::cType(tensor.dtype))
            + "> " + prefix + "out_" + tensor.name + "(out_" + tensor.name + ".size());\n";
    return out + "    " + callOf(op, symbol, prefix + "in_", prefix + "out_") + ";\n";
}

std::string scaleOf(const spec::Operator& op, const spec::Tensor& tensor)
{
    switch (op.check.scale) {
    case spec::Scale::Condition:
        return "scale_out_" + tensor.name;
    case spec::Scale::Max:
        return "harness::largestMagnitude(true_out_" + tensor.name + ")";
    case spec::Scale::One:
        break;
    }
    return "std::vector<double>(out_" + tensor.name + ".size(), 1.0)";
}

std::string verdicts(const spec::Operator& op)
{
    std::string out = "    bool ok = true;\n";
    for (const auto& tensor : op.inputs)
        out += "    ok &= harness::checkUnchanged(\"" + tensor.name + "\", in_" + tensor.name + ", before_"
            + tensor.name + ");\n";
    for (const auto& tensor : op.outputs) {
        const std::string names = "(\"" + tensor.name + "\", out_" + tensor.name;
        out += "    ok &= harness::checkGuards" + names + ");\n";
        if (spec::isFloat(tensor.dtype))
            out += "    ok &= harness::checkFloats" + names + ", true_out_" + tensor.name + ", " + scaleOf(op, tensor)
                + ", tolerance);\n";
        else
            out += "    ok &= harness::checkIntegers" + names + ", true_out_" + tensor.name + ");\n";
    }
    return out + "    return ok;";
}

std::string judgeBody(const spec::Operator& op, const std::string& slug)
{
    const bool conditioned = op.check.mode == spec::CheckMode::Tolerance && op.check.scale == spec::Scale::Condition;
    std::string out = buffers(op);
    for (const auto& tensor : op.inputs)
        out += "    const auto before_" + tensor.name + " = in_" + tensor.name + ";\n";
    out += "    " + callOf(op, op.name, "in_", "out_") + ";\n";
    out += referenceRun(op, slug + "_reference", "widened", "true_");
    if (conditioned)
        out += referenceRun(op, slug + "_reference", "magnitudes", "scale_");
    return out + verdicts(op);
}

std::string toleranceText(const spec::Check& check)
{
    if (check.mode == spec::CheckMode::Bitwise)
        return "none, every bit of the rounded reference";
    const std::string scale = check.scale == spec::Scale::Max ? " * (largest magnitude of the output)"
        : check.scale == spec::Scale::Condition               ? " * (the reference on the magnitudes of the inputs)"
                                                              : "";
    return "|error| <= " + cppNumber(check.atol) + scale + " + " + cppNumber(check.rtol) + " * |truth|";
}

} // namespace

std::string declarationAs(const spec::Operator& op, const std::string& symbol, spec::SignatureForm form)
{
    auto text = spec::signature(op, form);
    const auto at = text.find(op.name + "(");
    if (at != std::string::npos)
        text.replace(at, op.name.size(), symbol);
    return form == spec::SignatureForm::Real ? replaceIdentifier(text, "real", "double") : text;
}

Result<Values> testValues(const spec::Operator& op, const std::string& slug)
{
    const auto cases = testCases(op);
    auto rows = caseRows(op, cases);
    if (!rows)
        return rows.error();
    const bool bitwise = op.check.mode == spec::CheckMode::Bitwise;
    return Values{ { "NAME", op.name }, { "SLUG", slug }, { "CASE_MEMBERS", caseMembers(op) }, { "CASE_ROWS", *rows },
        { "CASE_COUNT", std::to_string(cases.size()) }, { "SEED_COUNT", std::to_string(seedCount) },
        { "TOLERANCE_TEXT", toleranceText(op.check) },
        { "TOLERANCE",
            std::string(bitwise ? "true" : "false") + ", " + cppNumber(op.check.rtol) + ", "
                + cppNumber(op.check.atol) },
        { "REFERENCE_DECLARATION", declarationAs(op, slug + "_reference", spec::SignatureForm::Real) },
        { "JUDGE_BODY", judgeBody(op, slug) } };
}

Result<Values> benchValues(const spec::Operator& op, const std::string& slug)
{
    auto rows = caseRows(op, benchCases(op));
    if (!rows)
        return rows.error();
    const auto lambda = [&](const std::string& symbol) { return "[&] { " + callOf(op, symbol, "in_", "out_") + "; }"; };
    return Values{ { "NAME", op.name }, { "SLUG", slug }, { "CASE_MEMBERS", caseMembers(op) }, { "CASE_ROWS", *rows },
        { "NAIVE_DECLARATION", declarationAs(op, slug + "_naive", spec::SignatureForm::Native) },
        { "BENCH_BODY",
            buffers(op) + "    compare(shape.label, " + lambda(op.name) + ",\n        " + lambda(slug + "_naive")
                + ");" } };
}

} // namespace rooftree::exporter
