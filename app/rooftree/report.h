// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/measure/duel.h"
#include "core/measure/evaluation.h"

#include <map>
#include <string>

namespace rooftree::app {

using Speedups = std::map<std::string, measure::Interval>;

std::string intervalText(const measure::Interval& interval); // "12.3x [12.1, 12.5]"
std::string speedupText(const Speedups& speedups); // "12.3x [12.1, 12.5] over naive, 1.02x [...] over vendor"
std::string evaluationText(const measure::Evaluation& evaluation); // stages, cases, certificate: several lines
std::string duelText(const measure::DuelResult& result); // one line and one per case

// True when the stream is a terminal that can redraw a line; NO_COLOR and TERM=dumb are respected by callers through
// this.
bool isTerminal(int fd);

// Progress on standard error: one line that is redrawn on a terminal, else plain lines at most every 10 s.
class StatusLine {
public:
    StatusLine();
    ~StatusLine();
    void show(const std::string& text);
    // Prints a line that stays, above the status line.
    void say(const std::string& text);
    void clear();

private:
    bool m_terminal;
    bool m_drawn = false;
    int64_t m_lastPlainNs = 0;
};

} // namespace rooftree::app
