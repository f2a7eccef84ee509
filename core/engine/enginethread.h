// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"

#include <QThread>

namespace rooftree::engine {

// An engine in a thread of its own. The object lives in the thread of its owner and passes the updates on to it.
class EngineThread : public QObject {
    Q_OBJECT

public:
    explicit EngineThread(EngineOptions options, QObject* parent = nullptr);
    ~EngineThread() override; // aborts what runs

    void start();
    void post(Command command);

signals:
    void updated(rooftree::engine::EngineUpdatePtr update);
    void finished();

private:
    QThread m_thread;
    Engine* m_engine;
};

} // namespace rooftree::engine
