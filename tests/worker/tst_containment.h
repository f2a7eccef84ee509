// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace rooftree::worker::test {

// What a hostile or broken candidate costs: that candidate only. After each of them a good kernel is judged right and no process is left.
class TestContainment : public QObject {
    Q_OBJECT
private slots:
    void candidateCostsItselfOnly_data();
    void candidateCostsItselfOnly();
    void compilerCostsThatCandidateOnly_data();
    void compilerCostsThatCandidateOnly();
    void chattyCandidateIsCutShort();
};

} // namespace rooftree::worker::test
