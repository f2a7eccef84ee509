// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporter/readme.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/exporter/casetable.h"
#include "core/exporter/kernelsources.h"
#include "core/exporter/testcode.h"

namespace rooftree::exporter {

namespace {

std::string tensorList(const spec::Operator& op)
{
    std::vector<std::string> lines;
    const auto add = [&](const spec::Tensor& tensor, const char* role) {
        std::vector<std::string> shape;
        for (const auto& size : tensor.shape)
            shape.push_back(size.text());
        lines.push_back("- `" + tensor.name + "`: " + role + ", " + std::string(spec::dtypeName(tensor.dtype)) + " ["
            + join(shape, ", ") + "]");
    };
    for (const auto& tensor : op.inputs)
        add(tensor, "input");
    for (const auto& tensor : op.outputs)
        add(tensor, "output");
    return join(lines, "\n");
}

std::string speedText(const ExportRequest& request)
{
    std::vector<std::string> lines;
    for (const auto& [name, speedup] : request.speedups)
        lines.push_back("- " + speedupText(speedup) + " over `" + name + "`"
            + (name == "vendor" && !request.op.vendorName.empty() ? " (" + oneLine(request.op.vendorName) + ")" : ""));
    if (lines.empty())
        lines.emplace_back("No baseline was timed beside it.");
    return "Measured on " + deviceText(request.device) + ", with " + oneLine(recordedCompiler(request))
        + ". Speed-ups are geometric means over the shapes below, with the interval that the timings give.\n\n"
        + join(lines, "\n");
}

std::string regressionText(const ExportRequest& request)
{
    std::vector<std::string> lines;
    for (const auto& timed : timedCases(request))
        if (isRegression(timed))
            lines.push_back("- " + spec::caseName({ timed.result->axes, timed.result->role }) + ": "
                + speedupText(timed.speedups.at("naive")));
    if (!lines.empty())
        return "**Slower than the plain source** on these shapes; nothing switches over to it there:\n\n"
            + join(lines, "\n");
    if (!request.baselines.contains("naive"))
        return "The plain source was not timed shape by shape, so slower shapes are not known.";
    return "On none of these shapes is it slower than the plain source.";
}

std::string checkText(const ExportRequest& request)
{
    const auto& evaluation = request.evaluation;
    std::string text;
    if (!evaluation.passed())
        text = "**Not verified**: its evaluation ended as " + std::string(measure::statusName(evaluation.status)) + " ("
            + oneLine(evaluation.reason) + "). It was exported because that was asked for.\n\n";
    else
        text = "It passed the check of its operator on all " + std::to_string(evaluation.cases.size())
            + " shapes, compared element by element with a reference in double precision.\n\n";
    for (const auto& suspicion : evaluation.suspicions)
        text += "**Suspicious**: " + oneLine(suspicion) + "\n\n";
    return text + "The test in `tests/` repeats that without Rooftree, on the operator's smaller and odd shapes.";
}

std::string originText(const ExportRequest& request)
{
    std::string text = "Made by Rooftree (proposer `" + oneLine(request.proposer) + "`, policy `"
        + oneLine(request.policy) + "`) on " + isoUtc(request.createdMs) + " as node "
        + std::to_string(request.node.value) + " of session `" + oneLine(request.session) + "`.";
    if (request.humanEdits)
        text += " A person edited it on the way.";
    return text;
}

} // namespace

std::string deviceText(const target::Device& device)
{
    return oneLine(device.name) + ", " + std::to_string(device.threads)
        + (device.threads == 1 ? " thread" : " threads");
}

std::string caseTable(const ExportRequest& request)
{
    std::vector<std::string> names;
    for (const auto& [name, baseline] : request.baselines)
        names.push_back(name);
    std::string text = "| shape | median | 95 % interval | n |";
    std::string rule = "|---|---|---|---|";
    for (const auto& name : names) {
        text += " over " + name + " |";
        rule += "---|";
    }
    text += "\n" + rule;
    for (const auto& timed : timedCases(request)) {
        const auto& timing = *timed.result->timing;
        text += "\n| " + spec::caseName({ timed.result->axes, timed.result->role }) + " | " + formatNs(timing.medianNs)
            + " | " + formatNs(timing.loNs) + " .. " + formatNs(timing.hiNs) + " | "
            + std::to_string(timing.samplesNs.size()) + " |";
        for (const auto& name : names) {
            const auto it = timed.speedups.find(name);
            text += (it == timed.speedups.end() ? " -" : " " + speedupText(it->second)) + " |";
        }
    }
    return text;
}

Values readmeValues(const ExportRequest& request, const std::string& slug)
{
    const auto& op = request.op;
    return { { "NAME", op.name }, { "SLUG", slug }, { "DESCRIPTION", oneLine(op.description) },
        { "DECLARATION", spec::signature(op).substr(sizeof "extern \"C\" " - 1) }, { "TENSOR_LIST", tensorList(op) },
        { "SPEED_TEXT", speedText(request) }, { "CASE_TABLE", caseTable(request) },
        { "REGRESSION_TEXT", regressionText(request) }, { "CHECK_TEXT", checkText(request) },
        { "ORIGIN_TEXT", originText(request) }, { "COMPILER", oneLine(recordedCompiler(request)) },
        { "RECORDED_FLAGS", oneLine(recordedFlags(request.candidate)) }, { "LICENSE", oneLine(request.license) } };
}

} // namespace rooftree::exporter
