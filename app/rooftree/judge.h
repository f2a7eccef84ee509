// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hosts/workerhost.h"
#include "interrupt.h"

#include <QEventLoop>

#include <functional>
#include <optional>

namespace rooftree::app {

// A local worker with an operator, asked one thing at a time: the commands that judge kernels wait for each answer
// here. An interrupt cancels what runs and gives an Error with Judge::interruptedText. Main thread.
class Judge {
public:
    static constexpr const char* interruptedText = "Interrupted.";

    Judge();
    Result<worker::Hello> start();
    Status setOperator(const spec::Operator& op);
    Result<worker::AdmissionReport> admit(const spec::Operator& op);
    Result<measure::Evaluation> evaluate(worker::EvaluateRequest request);
    Result<measure::DuelResult> duel(worker::DuelRequest request);

    // Measures naive and vendor as far as they can be; reasons for a missing one are added to notes.
    Result<std::map<std::string, measure::Evaluation>> baselines(
        const spec::Operator& op, uint64_t seed, measure::CacheMode cache, std::vector<std::string>& notes);

private:
    template <typename T> Result<T> await(const std::function<void(hosts::Callback<T>)>& begin);

    hosts::WorkerHost m_host;
    Interrupt m_interrupt;
};

// 130 for an interrupt, else by the error's code.
int exitCodeOf(const Error& error);

} // namespace rooftree::app
