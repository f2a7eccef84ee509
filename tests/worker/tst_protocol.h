// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace rooftree::worker::test {

class TestProtocol : public QObject {
    Q_OBJECT
private slots:
    void requestsSurviveTheWire();
    void reportsSurviveTheWire();
    void framesAreOneLineEach();
    void errorsKeepTheirKind();
    void malformedFramesAreRefused_data();
    void malformedFramesAreRefused();
    void malformedRequestsAreRefused_data();
    void malformedRequestsAreRefused();
};

} // namespace rooftree::worker::test
