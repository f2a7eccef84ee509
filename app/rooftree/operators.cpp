// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "core/base/json.h"
#include "core/spec/catalogue.h"
#include "core/spec/operatorreader.h"
#include "judge.h"

#include <cstdio>
#include <fmt/format.h>

namespace rooftree::app {

namespace {

// Catalogue entries that cannot be read are named and counted, never passed over.
std::vector<Result<spec::Operator>> wholeCatalogue()
{
    std::vector<Result<spec::Operator>> all;
    for (const auto& name : spec::catalogueNames())
        all.push_back(spec::findOperator(name));
    return all;
}

Json reportJson(const std::string& name, const worker::AdmissionReport& report)
{
    Json document = worker::toJson(report);
    document["operator"] = name;
    return document;
}

void printReport(const std::string& name, const worker::AdmissionReport& report)
{
    std::printf("%-20s %s%s\n", name.c_str(), report.admitted ? "admitted" : "REFUSED: ", report.reason.c_str());
    for (const auto& control : report.controls) {
        const char* verdict = !control.applicable ? "not applicable" : control.passed ? "accepted" : "rejected";
        const char* wanted = control.mustPass ? "accepted" : "rejected";
        const std::string mark = control.ok() ? "" : fmt::format("  <- must be {}", wanted);
        std::printf("  %-18s %s%s%s\n", control.name.c_str(), verdict, mark.c_str(),
            control.note.empty() ? "" : ("  (" + control.note + ")").c_str());
    }
    std::fflush(stdout);
}

} // namespace

int listOperators(bool json)
{
    Json document{ { "schema", 1 }, { "operators", Json::array() } };
    int broken = 0;
    for (const auto& op : wholeCatalogue()) {
        if (!op) {
            ++broken;
            std::fprintf(stderr, "%s\n", op.error().text.c_str());
            continue;
        }
        if (json)
            document["operators"].push_back({ { "name", op->name }, { "family", op->family },
                { "description", op->description }, { "vendor", op->vendorName } });
        else
            std::printf("%-20s %-16s %s\n", op->name.c_str(), op->family.c_str(), op->description.c_str());
    }
    if (json)
        std::printf("%s\n", document.dump(2).c_str());
    return broken > 0 ? 3 : 0;
}

int showOperator(const std::string& name, bool json)
{
    const auto op = spec::findOperator(name);
    if (!op)
        return fail(op.error(), json);
    if (json) {
        Json document = spec::toJson(*op);
        document["schema"] = 1;
        std::printf("%s\n", document.dump(2).c_str());
        return 0;
    }
    std::printf("%s (%s): %s\n\n%s\n\n", op->name.c_str(), op->family.c_str(), op->description.c_str(),
        spec::signature(*op).c_str());
    std::printf("flops   %s\nbytes   %s\ncheck   %s, rtol %g, atol %g\nvendor  %s\n", op->flops.text().c_str(),
        op->bytes.text().c_str(), op->check.mode == spec::CheckMode::Bitwise ? "bitwise" : "tolerance", op->check.rtol,
        op->check.atol, op->vendorName.empty() ? "none" : op->vendorName.c_str());
    for (const auto& one : op->cases)
        std::printf("case    %-40s %s\n", spec::caseName(one).c_str(), std::string(spec::roleName(one.role)).c_str());
    std::printf("\n%s", op->naiveSource.c_str());
    return 0;
}

int checkOperators(const std::vector<std::string>& names, bool json)
{
    Judge judge;
    if (const auto hello = judge.start(); !hello)
        return fail(hello.error(), json);
    Json document{ { "schema", 1 }, { "operators", Json::array() } };
    int refused = 0;
    for (const auto& name : names.empty() ? spec::catalogueNames() : names) {
        const auto op = spec::findOperator(name);
        if (!op)
            return fail(op.error(), json);
        const auto report = judge.admit(*op);
        if (!report) {
            fail(report.error(), json);
            return exitCodeOf(report.error());
        }
        refused += report->admitted ? 0 : 1;
        if (json)
            document["operators"].push_back(reportJson(op->name, *report));
        else
            printReport(op->name, *report);
    }
    if (json)
        std::printf("%s\n", document.dump(2).c_str());
    return refused > 0 ? 1 : 0;
}

} // namespace rooftree::app
