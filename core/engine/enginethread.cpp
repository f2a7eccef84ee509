// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/enginethread.h"

namespace rooftree::engine {

EngineThread::EngineThread(EngineOptions options, QObject* parent)
    : QObject(parent)
    , m_engine(new Engine(std::move(options)))
{
    qRegisterMetaType<EngineUpdatePtr>("rooftree::engine::EngineUpdatePtr");
    m_engine->moveToThread(&m_thread);
    connect(&m_thread, &QThread::started, m_engine, &Engine::start);
    connect(&m_thread, &QThread::finished, m_engine, &QObject::deleteLater);
    connect(m_engine, &Engine::updated, this, &EngineThread::updated);
    connect(m_engine, &Engine::finished, this, &EngineThread::finished);
}

EngineThread::~EngineThread()
{
    if (m_thread.isRunning()) {
        m_engine->post(Abort{});
        QMetaObject::invokeMethod(
            m_engine, [this] { m_thread.quit(); }, Qt::QueuedConnection);
        m_thread.wait();
    } else {
        delete m_engine;
    }
}

void EngineThread::start()
{
    m_thread.start();
}

void EngineThread::post(Command command)
{
    m_engine->post(std::move(command));
}

} // namespace rooftree::engine
