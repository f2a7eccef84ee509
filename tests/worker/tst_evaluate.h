// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace rooftree::worker::test {

class TestEvaluate : public QObject {
    Q_OBJECT
private slots:
    void goodKernelPassesEveryRung();
    void timesHaveTheirSamples();
    void fasterThanPhysicsIsNotBelieved();
    void heldOutCasesAreTimedOnRequest();
    void coldCallsAreTakenOneByOne();
    void slowCandidateIsGivenUp();
    void sourcesWithSeveralFilesWork();
    void secondBuildComesFromTheCache();
    void damagedCacheEntryIsBuiltAgain();
    void flagsAreTheCandidatesOwn();
    void compilerMustBeKnown();
    void missingCompilerIsNotTheCandidatesFault();
    void openMpUsesTheGivenThreads();
    void clangBuildsToo();
    void differentBitsAreNotedNotPunished();
    void skippingTimedCallsIsCaught();
    void integerOperatorsAreCompared();
    void canceledJobEndsSoon();
    void manyJobsAtOnce();
    void duelOfAKernelWithItself();
    void duelFindsTheFasterOne();
    void duelNeedsWorkingKernels();
};

} // namespace rooftree::worker::test
