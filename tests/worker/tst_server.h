// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace rooftree::worker::test {

// The program rooftree-worker itself, over its standard input and output.
class TestServer : public QObject {
    Q_OBJECT
private slots:
    void servesAnEngine();
    void answersWhatItCannotUnderstand();
    void cancelAndShutdown();
    void closedInputEndsEverything();
};

} // namespace rooftree::worker::test
