// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"
#include "core/engine/command.h"
#include "core/engine/expander.h"
#include "core/engine/update.h"
#include "core/hosts/host.h"
#include "core/search/policy.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace rooftree::engine {

class Preparation;
class SearchLoop;
class Championship;

// A new search.
struct SearchSetup {
    spec::Operator op;
    std::string language = "cpp";
    std::string policy = "mcts";
    std::vector<std::string> proposers; // empty: all
    uint64_t seed = 1;
    int jobs = 4; // expansions in flight; part of what makes a search repeatable
    measure::CacheMode cache = measure::CacheMode::Warm;
    std::optional<kernel::Candidate> start; // a person's kernel, tried first
};

struct EngineOptions {
    std::filesystem::path path; // of the session file
    std::optional<SearchSetup> create; // empty: go on with the session that is there
    std::optional<search::Budget> budget; // empty: as the session has it
    std::function<std::unique_ptr<hosts::Host>()> makeHost; // called in the engine thread
    MakeProposer makeProposer = synth::makeProposer;
    bool admit = true; // try out the operator first
    bool measureChampion = true; // at the end, in fresh processes
    const Clock* clock = &Clock::system();
};

// One search: owns session file, tree and policy; proposers, host and timers are events for it, so it never blocks. All
// methods but post() belong to the thread it lives in; updates are values and may go anywhere.
class Engine : public QObject {
    Q_OBJECT

public:
    explicit Engine(EngineOptions options);
    ~Engine() override;

    void start();
    // Safe from any thread.
    void post(Command command);

signals:
    void updated(rooftree::engine::EngineUpdatePtr update);
    // After the last update; nothing comes after it.
    void finished();

private:
    void openSession();
    void takeUp(const worker::Hello& hello);
    void beginSearch();
    void beginMeasuring();
    void stopSearching(const std::string& reason);
    void end(std::optional<Error> error);
    void execute(const Command& command);
    void steer(const std::string& action, NodeId node, const std::string& text);
    void changeBudget(const search::Budget& budget);
    void changePolicy(const std::string& name);
    Result<std::unique_ptr<search::Policy>> newPolicy(const std::string& name) const;
    void armDeadline();
    search::Spent spent() const;
    int64_t activeMs() const;
    void setPhase(Phase phase);
    void touch();
    void publish();

    EngineOptions m_options;
    Journal m_journal;
    std::unique_ptr<hosts::Host> m_host;
    Expander m_expander;
    std::unique_ptr<search::Policy> m_policy;
    std::unique_ptr<Preparation> m_preparation;
    std::unique_ptr<Championship> m_championship;
    std::unique_ptr<SearchLoop> m_loop;
    QTimer m_throttle;
    QTimer m_deadline;
    EngineStatus m_status;
    int64_t m_startedNs = 0;
    uint64_t m_updates = 0;
    bool m_ended = false;
};

} // namespace rooftree::engine
