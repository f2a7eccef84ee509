// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/admission.h"
#include "core/worker/encode.h"
#include "core/worker/judge.h"
#include "core/worker/verifier.h"

#include <algorithm>

namespace rooftree::worker {

namespace {

constexpr uint64_t seed = 1;
constexpr uint64_t otherSeed = 2;
constexpr std::size_t hugeBytes = 64 << 20;
constexpr double hugeFlops = 3e8;

bool huge(const spec::Operator& op, const spec::Case& which)
{
    std::size_t bytes = 0;
    for (const auto* tensors : { &op.inputs, &op.outputs }) {
        if (const auto each = tensorBytes(*tensors, which.axes, ElementWidth::Native)) {
            for (const std::size_t size : *each)
                bytes += size;
        }
    }
    const auto flops = op.flops.evaluate(which.axes);
    return bytes > hugeBytes || (flops && *flops > hugeFlops);
}

// The same operator with the cases that the controls are tried on: those that are not huge, else the smallest one.
spec::Operator withTriedCases(const spec::Operator& op)
{
    spec::Operator tried = op;
    std::erase_if(tried.cases, [&](const spec::Case& which) { return huge(op, which); });
    if (tried.cases.empty() && !op.cases.empty())
        tried.cases.push_back(op.cases[casesBySize(op).front()]);
    return tried;
}

bool hasFloats(const spec::Operator& op)
{
    const auto floating = [](const spec::Tensor& tensor) { return spec::isFloat(tensor.dtype); };
    return std::any_of(op.inputs.begin(), op.inputs.end(), floating)
        || std::any_of(op.outputs.begin(), op.outputs.end(), floating);
}

std::string refusal(const spec::Operator& op, const Control& control)
{
    if (control.name == "reference")
        return "The operator " + op.name + " is refused: its check rejects its own reference (" + control.note
            + "). Loosen rtol and atol.";
    if (control.name == "naive")
        return "The operator " + op.name + " is refused: its naive kernel does not pass (" + control.note
            + "). Mend the source or loosen the tolerance.";
    return "The operator " + op.name + " is refused: its tolerance accepts the control \"" + control.name + "\" ("
        + control.note + "). Tighten rtol and atol in [check], or choose fills that make wrong outputs visible.";
}

} // namespace

struct Admission::Trial {
    const char* name;
    bool mustPass = false;
    bool applicable = true;
    bool accepted = false;
    std::string text; // what the check said
};

Result<std::vector<Admission::Trial>> Admission::tryCase(
    const spec::Operator& op, const spec::Case& which, JobContext& context)
{
    auto inputs = m_store.inputs(op, which, seed);
    auto truth = inputs ? m_store.truth(op, which, seed, context) : Result<TruthPointer>(inputs.error());
    auto replay = truth ? m_store.truth(op, which, otherSeed, context) : truth;
    if (!replay)
        return replay.error();
    const auto honest = encoded(op, **truth, Precision::Native);
    std::vector<Trial> trials;
    const auto attempt = [&](const char* name, bool mustPass, const EncodedOutputs& outputs, bool applicable = true) {
        const auto correctness = judgeOutputs(op, views(outputs), **truth);
        const bool accepted = correctness.wrong == 0;
        trials.push_back({ name, mustPass, applicable, accepted,
            accepted ? "all elements are within the tolerance" : describeWrong(correctness) });
    };
    attempt("reference", true, honest);
    attempt("zeros", false, constantOutputs(op, honest, 0));
    attempt("ones", false, constantOutputs(op, honest, 1));
    constexpr int notANumber = 0xFF;
    constexpr int pattern = 0xA5;
    attempt("poison", false, poisonedOutputs(honest, notANumber));
    if (!trials.back().accepted) {
        trials.pop_back();
        attempt("poison", false, poisonedOutputs(honest, pattern));
    }
    attempt("replay", false, encoded(op, **replay, Precision::Native));
    const auto rotated = rotatedOutputs(op, honest);
    attempt("permuted", false, rotated, rotated != honest);
    if (hasFloats(op)) {
        auto lowered = m_store.runReference(op, which, **inputs, RealForm::Lowered, context);
        if (!lowered)
            return lowered.error();
        attempt("lower-precision", false, encoded(op, *lowered, Precision::Lowered));
    } else {
        trials.push_back({ "lower-precision", false, false, false, {} });
    }
    return trials;
}

Result<Control> Admission::tryNaive(const spec::Operator& op, JobContext& context)
{
    Control control{ "naive", true, false, true, {} };
    kernel::Candidate candidate;
    candidate.entry = op.name;
    candidate.files.push_back({ "naive.cpp", op.naiveSource });
    auto built = m_builder.build({ candidate, Purpose::Baseline, Limits{} }, context);
    if (!built)
        return built.error();
    control.note = built->reason;
    if (!built->object)
        return control;
    const Subject subject{ op, built->object, seed, Limits{}, largestCaseBytes(op) };
    auto verified = Verifier(m_machine, m_store).verify(subject, context);
    if (!verified)
        return verified.error();
    control.passed = verified->status == measure::EvaluationStatus::Passed;
    control.note = control.passed ? "right in " + std::to_string(verified->cases.size()) + " cases" : verified->reason;
    return control;
}

Result<AdmissionReport> Admission::examine(const spec::Operator& op, JobContext& context)
{
    const auto tried = withTriedCases(op);
    auto naive = tryNaive(tried, context);
    if (!naive)
        return naive.error();
    AdmissionReport report;
    for (const char* name :
        { "reference", "naive", "zeros", "ones", "poison", "replay", "lower-precision", "permuted" }) {
        const bool mustPass = report.controls.size() < 2;
        report.controls.push_back({ name, mustPass, false, false, "in no case does it differ from the right output" });
    }
    if (!hasFloats(op))
        report.controls[6].note = "the operator has no floating tensor";
    report.controls[1] = std::move(naive).value();
    std::size_t done = 0;
    for (const auto& which : tried.cases) {
        context.report("verify", static_cast<double>(done++) / static_cast<double>(tried.cases.size()), "admission");
        auto trials = tryCase(tried, which, context);
        if (!trials)
            return trials.error();
        // A control passes when every case accepts it: one that rejects is enough to catch such a candidate.
        for (const auto& trial : *trials) {
            auto& control = *std::find_if(
                report.controls.begin(), report.controls.end(), [&](const Control& c) { return c.name == trial.name; });
            const bool first = !control.applicable;
            if (!trial.applicable)
                continue;
            control.applicable = true;
            if (first || (control.passed && !trial.accepted))
                control.note = "case " + spec::caseName(which) + ": " + trial.text;
            control.passed = (first || control.passed) && trial.accepted;
        }
    }
    report.admitted = true;
    for (const auto& control : report.controls) {
        if (!control.ok() && report.admitted) {
            report.admitted = false;
            report.reason = refusal(op, control);
        }
    }
    return report;
}

} // namespace rooftree::worker
