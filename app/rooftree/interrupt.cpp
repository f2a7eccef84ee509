// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "interrupt.h"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace rooftree::app {

namespace {

int pipeEnds[2] = { -1, -1 };
constexpr int handledSignals[] = { SIGINT, SIGTERM, SIGHUP };

void tell(int)
{
    const char byte = 0;
    [[maybe_unused]] const auto ignored = ::write(pipeEnds[1], &byte, 1);
}

} // namespace

Interrupt::Interrupt(QObject* parent)
    : QObject(parent)
{
    if (::pipe2(pipeEnds, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    m_notifier = std::make_unique<QSocketNotifier>(pipeEnds[0], QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] {
        char buffer[16];
        for (ssize_t got = ::read(pipeEnds[0], buffer, sizeof buffer); got > 0; --got)
            emit interrupted(++m_count);
    });
    ::signal(SIGPIPE, SIG_IGN);
    for (const int number : handledSignals) {
        struct sigaction action { };
        action.sa_handler = tell;
        action.sa_flags = SA_RESTART;
        ::sigaction(number, &action, nullptr);
    }
}

Interrupt::~Interrupt()
{
    for (const int number : handledSignals)
        ::signal(number, SIG_DFL);
    m_notifier.reset();
    ::close(pipeEnds[0]);
    ::close(pipeEnds[1]);
}

} // namespace rooftree::app
