// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/judge.h"
#include "core/measure/compare.h"

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>

namespace rooftree::worker {

namespace {

std::string number(double value)
{
    std::ostringstream out;
    out << std::setprecision(9) << value;
    return out.str();
}

double workOf(const spec::Operator& op, const spec::Axes& axes)
{
    double work = 0;
    for (const auto* cost : { &op.flops, &op.bytes }) {
        const auto value = cost->evaluate(axes);
        work += value ? *value : 0;
    }
    for (const auto* tensors : { &op.inputs, &op.outputs }) {
        for (const auto& tensor : *tensors) {
            const auto count = spec::elementCount(tensor, axes);
            work += count ? static_cast<double>(*count) : 0;
        }
    }
    return work;
}

} // namespace

measure::Correctness judgeOutputs(
    const spec::Operator& op, const std::vector<std::span<const std::byte>>& outputs, const CaseTruth& truth)
{
    measure::Correctness correctness;
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
        measure::OutputView view;
        view.tensor = &op.outputs[i];
        view.got = outputs[i];
        view.truth = truth.floating[i];
        view.integerTruth = truth.integers[i];
        if (i < truth.condition.size())
            view.condition = truth.condition[i];
        measure::compareOutput(view, op.check, correctness);
    }
    return correctness;
}

std::vector<std::span<const std::byte>> outputViews(const OutputBuffers& outputs, std::size_t count)
{
    std::vector<std::span<const std::byte>> views;
    for (std::size_t i = 0; i < count; ++i)
        views.push_back(outputs.output(i));
    return views;
}

std::string describeWrong(const measure::Correctness& correctness)
{
    std::string text =
        std::to_string(correctness.wrong) + " of " + std::to_string(correctness.elements) + " elements are wrong";
    if (const auto& first = correctness.first)
        text += "; the first is " + first->tensor + "[" + std::to_string(first->index) + "]: expected "
            + number(first->expected) + ", got " + number(first->got);
    return text + ".";
}

std::vector<std::size_t> casesBySize(const spec::Operator& op)
{
    std::vector<double> work;
    for (const auto& which : op.cases)
        work.push_back(workOf(op, which.axes));
    std::vector<std::size_t> order(op.cases.size());
    std::iota(order.begin(), order.end(), std::size_t{ 0 });
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return work[a] < work[b]; });
    return order;
}

} // namespace rooftree::worker
