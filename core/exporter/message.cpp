// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporter/message.h"
#include "core/base/text.h"
#include "core/exporter/casetable.h"
#include "core/exporter/readme.h"

namespace rooftree::exporter {

namespace {

std::string title(const ExportRequest& request)
{
    std::string text = "Add " + request.op.name + " kernel for " + oneLine(request.device.name);
    if (const auto baseline = headlineBaseline(request))
        text += " (" + formatRatio(request.speedups.at(*baseline).value) + " over " + *baseline + ")";
    return text;
}

} // namespace

std::string commitMessage(const ExportRequest& request, bool verified)
{
    std::string text =
        title(request) + "\n\nMeasured on " + deviceText(request.device) + ":\n\n" + caseTable(request) + "\n";
    for (const auto& timed : timedCases(request))
        if (isRegression(timed))
            text += "\nSlower than the plain source: " + spec::caseName({ timed.result->axes, timed.result->role });
    if (!request.evaluation.passed() || !request.evaluation.suspicions.empty())
        text +=
            "\nNot verified: its evaluation is " + std::string(measure::statusName(request.evaluation.status)) + ".\n";
    text += verified ? "\nIts test passed before this commit.\n" : "\nIts test was not run before this commit.\n";
    text += "\nRooftree-Session: " + oneLine(request.session) + "\nRooftree-Node: " + std::to_string(request.node.value)
        + "\n";
    for (const auto& [name, speedup] : request.speedups)
        text +=
            "Rooftree-Speedup: " + speedupText(speedup) + " over " + name + " (" + deviceText(request.device) + ")\n";
    return text;
}

std::string defaultBranch(const ExportRequest& request)
{
    std::string slug;
    for (const char c : request.session.substr(0, 60)) {
        const bool upper = c >= 'A' && c <= 'Z';
        const char lower = upper ? static_cast<char>(c - 'A' + 'a') : c;
        const bool plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
        if (plain || (!slug.empty() && slug.back() != '-'))
            slug += plain ? lower : '-';
    }
    while (!slug.empty() && slug.back() == '-')
        slug.pop_back();
    return "rooftree/" + (slug.empty() ? "session" : slug) + "/" + std::to_string(request.node.value);
}

} // namespace rooftree::exporter
