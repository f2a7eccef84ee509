// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace rooftree::worker::test {

class TestParts : public QObject {
    Q_OBJECT
private slots:
    void fillsDependOnTheSeedAlone();
    void fillsHaveTheirShape_data();
    void fillsHaveTheirShape();
    void normalNumbersAreNormal();
    void layoutEndsAtGuardPages();
    void canariesTellWhere();
    void memoryFilesKeepTheirPromises();
    void diskCacheForgetsWhatIsDamaged();
    void flagsThatReachOutAreRefused();
    void kernelsOfManyArgumentsAreCalled();
    void linesAreBounded();
    void sharedCacheMakesOnce();
    void gateLetsTimingsRunAlone();
    void truthsSurviveTheDisk();
    void loweredPrecisionLosesBits();
};

} // namespace rooftree::worker::test
