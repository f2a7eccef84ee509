// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "report.h"

#include "core/base/clock.h"
#include "core/base/text.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace rooftree::app {

namespace {

constexpr int64_t plainIntervalNs = 10'000'000'000;

std::size_t terminalColumns()
{
    winsize size{};
    return ::ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string_view stageWord(measure::StageStatus status)
{
    switch (status) {
    case measure::StageStatus::Passed:
        return "passed";
    case measure::StageStatus::Failed:
        return "failed";
    case measure::StageStatus::NotRun:
        return "not run";
    }
    return "not run";
}

std::string caseText(const measure::CaseResult& result)
{
    spec::Case which;
    which.axes = result.axes;
    std::string line = fmt::format(
        "  {:<34} {:<9} {}", spec::caseName(which), spec::roleName(result.role), measure::statusName(result.status));
    if (result.timing) {
        const auto& timing = *result.timing;
        line += fmt::format("  {} [{}, {}], {} samples", formatNs(timing.medianNs), formatNs(timing.loNs),
            formatNs(timing.hiNs), timing.samplesNs.size());
        if (result.floorNs > 0 && timing.medianNs > 0)
            line += fmt::format(", {:.0f} % of the roofline", 100 * result.floorNs / timing.medianNs);
    }
    if (result.correctness)
        line +=
            fmt::format("  max error {:.2g} abs, {:.3g} ulp", result.correctness->maxAbs, result.correctness->maxUlp);
    if (!result.reason.empty())
        line += "\n    " + result.reason;
    return line + "\n";
}

} // namespace

std::string intervalText(const measure::Interval& interval)
{
    return fmt::format("{} [{}, {}]", formatRatio(interval.value), formatRatio(interval.lo), formatRatio(interval.hi));
}

std::string speedupText(const Speedups& speedups)
{
    std::string text;
    for (const auto& [baseline, interval] : speedups)
        text += (text.empty() ? "" : ", ") + intervalText(interval) + " over " + baseline;
    return text.empty() ? "no baseline" : text;
}

std::string evaluationText(const measure::Evaluation& evaluation)
{
    std::string text = std::string(measure::statusName(evaluation.status))
        + (evaluation.reason.empty() ? "" : ": " + evaluation.reason) + "\n";
    for (const auto& stage : evaluation.stages) {
        text += fmt::format("  {:<10} {:<8} {:>9}\n", stage.name, stageWord(stage.status), formatNs(stage.ms * 1e6));
        if (stage.status == measure::StageStatus::Failed && !stage.log.empty())
            text += elided(stage.log, 4000) + "\n";
    }
    if (!evaluation.cases.empty())
        text += "cases\n";
    for (const auto& result : evaluation.cases)
        text += caseText(result);
    std::string rungs;
    for (const auto& rung : evaluation.certificate) {
        if (rung.status != measure::RungStatus::NotRun)
            rungs +=
                (rungs.empty() ? "" : ", ") + rung.name + (rung.status == measure::RungStatus::Fail ? " FAILED" : "");
    }
    if (!rungs.empty())
        text += "certificate: " + rungs + "\n";
    for (const auto& suspicion : evaluation.suspicions)
        text += "suspicious: " + suspicion + "\n";
    if (!evaluation.bound.empty())
        text += "bound: " + evaluation.bound
            + (evaluation.boundEvidence.empty() ? "" : " (" + evaluation.boundEvidence + ")") + "\n";
    return text;
}

std::string duelText(const measure::DuelResult& result)
{
    std::string text = fmt::format("{}: A is {} as fast as B ({} pairs, margin {:.0f} %)\n",
        measure::verdictName(result.verdict), intervalText(result.speedup), result.pairs, result.margin * 100);
    for (const auto& one : result.cases) {
        spec::Case which;
        which.axes = one.axes;
        text += fmt::format("  {:<34} {}\n", spec::caseName(which), intervalText(one.speedup));
    }
    return text;
}

bool isTerminal(int fd)
{
    const char* term = std::getenv("TERM");
    return ::isatty(fd) && term && std::strcmp(term, "dumb") != 0;
}

StatusLine::StatusLine()
    : m_terminal(isTerminal(2))
{
}

StatusLine::~StatusLine()
{
    clear();
}

void StatusLine::show(const std::string& text)
{
    if (m_terminal) {
        std::fprintf(stderr, "\r\x1b[K%s", text.substr(0, terminalColumns() - 1).c_str());
        std::fflush(stderr);
        m_drawn = true;
        return;
    }
    const int64_t now = Clock::system().monotonicNs();
    if (m_lastPlainNs != 0 && now - m_lastPlainNs < plainIntervalNs)
        return;
    m_lastPlainNs = now;
    std::fprintf(stderr, "%s\n", text.c_str());
}

void StatusLine::say(const std::string& text)
{
    clear();
    std::fprintf(stderr, "%s\n", text.c_str());
}

void StatusLine::clear()
{
    if (m_drawn)
        std::fprintf(stderr, "\r\x1b[K");
    m_drawn = false;
}

} // namespace rooftree::app
