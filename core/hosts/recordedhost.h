// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hosts/host.h"
#include "core/store/sessionfile.h"

#include <functional>
#include <map>

namespace rooftree::hosts {

// Answers from functions instead of a machine: null workers for benchmarks and tests. Answers come through the event
// loop, in order.
class FunctionHost : public Host {
    Q_OBJECT

public:
    struct Functions {
        worker::Hello hello;
        std::function<Answer<measure::Evaluation>(const worker::EvaluateRequest&)> evaluate;
        std::function<Answer<measure::DuelResult>(const worker::DuelRequest&)> duel;
    };
    explicit FunctionHost(Functions functions, QObject* parent = nullptr);

    void start(Callback<worker::Hello> done) override;
    void setOperator(const spec::Operator& op, Callback<Nothing> done) override;
    void admit(const spec::Operator& op, Callback<worker::AdmissionReport> done) override;
    void evaluate(const worker::EvaluateRequest& request, Callback<measure::Evaluation> done) override;
    void duel(const worker::DuelRequest& request, Callback<measure::DuelResult> done) override;
    void cancelAll() override { }
    bool sharesThisMachine() const override { return false; }

private:
    Functions m_functions;
};

// What a session recorded, by the hash of the source: a whole search runs again without a device. A node that was evaluated several
// times gives its evaluations in that order, then the last one again. A source that the session does not know is lost with a reason.
Result<FunctionHost::Functions> replayFunctions(const store::SessionFile& session);

} // namespace rooftree::hosts
