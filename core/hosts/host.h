// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/worker/protocol.h"

#include <QObject>

#include <functional>
#include <vector>

namespace rooftree::hosts {

// What happened to a job that gave no answer.
enum class Absence {
    Lost, // its worker died twice, or the job was canceled: nothing is known about the candidate
    Environment, // the machine cannot do it (no compiler, disk full): not the candidate's fault
};

template <typename T> struct Answer {
    std::optional<T> value;
    Absence absence = Absence::Lost;
    Error error; // without value
};

template <typename T> using Callback = std::function<void(Answer<T>)>;

// A place where candidates are judged. Lives in the thread of its owner (the engine's, or a program's main thread); no
// method blocks; every callback comes back through the event loop of that thread, exactly once, unless the host is
// destroyed before.
class Host : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    // Starts the worker and says hello. Called once, before anything else.
    virtual void start(Callback<worker::Hello> done) = 0;
    // Later jobs mean this operator.
    virtual void setOperator(const spec::Operator& op, Callback<Nothing> done) = 0;
    virtual void admit(const spec::Operator& op, Callback<worker::AdmissionReport> done) = 0;
    // Jobs run in the order in which they are given; request.job must be unique.
    virtual void evaluate(const worker::EvaluateRequest& request, Callback<measure::Evaluation> done) = 0;
    virtual void duel(const worker::DuelRequest& request, Callback<measure::DuelResult> done) = 0;
    virtual void cancelAll() = 0;
    // True when everything that is submitted runs at most once at a time on the machine of this program (a CPU target),
    // so that proposals must keep out of timings.
    virtual bool sharesThisMachine() const = 0;

signals:
    void progress(const rooftree::worker::Progress& progress);
    // A sentence about the worker itself: "worker died (signal 9), restarted".
    void trouble(const QString& text);
};

} // namespace rooftree::hosts
