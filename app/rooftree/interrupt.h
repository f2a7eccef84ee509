// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QSocketNotifier>

#include <memory>

namespace rooftree::app {

// SIGINT, SIGTERM and SIGHUP as events of the main thread. One object at a time. SIGPIPE is ignored.
class Interrupt : public QObject {
    Q_OBJECT

public:
    explicit Interrupt(QObject* parent = nullptr);
    ~Interrupt() override;
    int count() const { return m_count; }

signals:
    void interrupted(int times);

private:
    std::unique_ptr<QSocketNotifier> m_notifier;
    int m_count = 0;
};

} // namespace rooftree::app
