// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_fwd.h"
#include "core/hosts/host.h"

#include <QProcess>
#include <QStringList>

#include <map>
#include <memory>

namespace rooftree::hosts {

// A worker behind a pair of pipes: the local one, and later whatever a command line can start (ssh HOST
// rooftree-worker). A worker that dies is started again; the jobs that it had begun are sent once more and lost when it
// dies on them again.
class WorkerHost : public Host {
    Q_OBJECT

public:
    // command: program and arguments; empty: rooftree-worker beside the running program.
    explicit WorkerHost(QStringList command = {}, QObject* parent = nullptr);
    ~WorkerHost() override;

    void start(Callback<worker::Hello> done) override;
    void setOperator(const spec::Operator& op, Callback<Nothing> done) override;
    void admit(const spec::Operator& op, Callback<worker::AdmissionReport> done) override;
    void evaluate(const worker::EvaluateRequest& request, Callback<measure::Evaluation> done) override;
    void duel(const worker::DuelRequest& request, Callback<measure::DuelResult> done) override;
    void cancelAll() override;
    bool sharesThisMachine() const override { return true; }

    // Process id of the worker, 0 while none runs: for tests that kill it.
    qint64 workerPid() const;

private:
    struct Request;

    void launch();
    void send(
        const char* method, const Json& params, std::function<void(const Answer<std::string>&)> done, int64_t job = -1);
    void sendHello();
    void write(const Request& request);
    void readLines();
    void handleLine(const QByteArray& line);
    void handleProgress(const std::string& payload);
    void handleExit(const QString& how);
    void failAll(const Error& error);
    void settle(int64_t id, const Answer<std::string>& answer);

    QStringList m_command;
    std::unique_ptr<QProcess> m_process;
    QByteArray m_buffer;
    std::map<int64_t, Request> m_requests; // outstanding, by JSON-RPC id: the order of sending
    int64_t m_nextId = 1;
    std::string m_operatorJson; // sent again to a restarted worker
    Callback<worker::Hello> m_helloDone;
    int m_deathsInARow = 0;
    bool m_closing = false;
};

} // namespace rooftree::hosts
