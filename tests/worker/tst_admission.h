// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace rooftree::worker::test {

class TestAdmission : public QObject {
    Q_OBJECT
private slots:
    void soundOperatorIsAdmitted();
    void looseToleranceIsRefused_data();
    void looseToleranceIsRefused();
    void unreachableToleranceIsRefused();
    void constantInputsAreRefused();
    void brokenReferenceIsRefused_data();
    void brokenReferenceIsRefused();
    void integerOperatorHasNoPrecisionToLower();
};

} // namespace rooftree::worker::test
