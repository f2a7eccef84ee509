// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/enginethread.h"
#include "interrupt.h"
#include "report.h"

#include <QObject>

namespace rooftree::app {

// Runs an engine to its end with live progress, and prints what came of it. Ctrl-C once stops gracefully, twice aborts.
// Main thread.
class SearchRunner : public QObject {
    Q_OBJECT

public:
    SearchRunner(engine::EngineOptions options, bool json);
    int run();

private:
    void take(const engine::EngineUpdatePtr& update);
    void announce(const store::Event& event);
    void announceBaseline(const store::BaselineMeasured& baseline);
    std::string statusText() const;
    std::string summaryText() const;
    std::string timeText() const;
    void printJson() const;

    std::filesystem::path m_path;
    bool m_json;
    bool m_resumed; // then the events of earlier runs come first, and are not announced
    engine::EngineThread m_engine;
    engine::SessionState m_state;
    engine::EngineStatus m_status;
    Interrupt m_interrupt;
    StatusLine m_line;
    int m_runs = 0;
};

} // namespace rooftree::app
