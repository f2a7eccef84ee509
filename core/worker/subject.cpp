// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/subject.h"

#include <algorithm>

namespace rooftree::worker {

int64_t largestCaseBytes(const spec::Operator& op)
{
    std::size_t largest = 0;
    for (const auto& which : op.cases) {
        std::size_t sum = 0;
        for (const auto* tensors : { &op.inputs, &op.outputs }) {
            if (const auto bytes = tensorBytes(*tensors, which.axes, ElementWidth::Native))
                sum += layoutOf(*bytes).fileBytes;
        }
        largest = std::max(largest, sum);
    }
    return static_cast<int64_t>(largest);
}

Result<StartedRunner> startRunner(const Machine& machine, const Subject& subject, const JobContext& context)
{
    auto options =
        machine.runnerOptions(subject.limits.memoryBytes, subject.limits.totalMs, subject.limits.outputBytes);
    options.bufferBytes = subject.bufferBytes;
    auto runner = Runner::start(options, context);
    if (!runner)
        return runner.error();
    auto outcome = (*runner)->load(subject.object->file, subject.op.name, context.limitMs(subject.limits.runMs));
    if (const auto fault = faultOf(outcome))
        return *fault;
    return StartedRunner{ std::move(runner).value(), std::move(outcome) };
}

Result<BoundCase> BoundCase::make(
    CaseStore& store, const Subject& subject, const spec::Case& which, JobContext& context)
{
    auto inputs = store.inputs(subject.op, which, subject.seed);
    if (!inputs)
        return inputs.error();
    auto truth = store.truth(subject.op, which, subject.seed, context);
    if (!truth)
        return truth.error();
    auto outputs = OutputBuffers::make(subject.op.outputs, which.axes, ElementWidth::Native);
    if (!outputs)
        return outputs.error();
    return BoundCase(
        subject.op, which, std::move(inputs).value(), std::move(truth).value(), std::move(outputs).value());
}

StepOutcome BoundCase::mapInto(Runner& runner, int64_t timeoutMs) const
{
    const CaseView view{ &m_inputs->file, &m_inputs->layout, &m_outputs.file(), &m_outputs.layout(),
        axisValues(*m_op, m_case.axes), tensorNames(*m_op) };
    return runner.map(view, timeoutMs);
}

} // namespace rooftree::worker
