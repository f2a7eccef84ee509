// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "searchrunner.h"

#include "commands.h"
#include "core/base/json.h"
#include "core/base/text.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

namespace rooftree::app {

SearchRunner::SearchRunner(engine::EngineOptions options, bool json)
    : m_path(options.path)
    , m_json(json)
    , m_resumed(!options.create)
    , m_engine(std::move(options))
{
}

int SearchRunner::run()
{
    QEventLoop loop;
    connect(&m_engine, &engine::EngineThread::updated, this, &SearchRunner::take);
    connect(&m_engine, &engine::EngineThread::finished, &loop, &QEventLoop::quit);
    connect(&m_interrupt, &Interrupt::interrupted, this, [this](int times) {
        if (times == 1) {
            m_line.say("Stopping: running evaluations end, everything is kept. Interrupt again to abort.");
            m_engine.post(engine::Stop{});
        } else {
            m_engine.post(engine::Abort{});
        }
    });
    m_engine.start();
    loop.exec();
    m_line.clear();
    if (m_status.error)
        return fail(*m_status.error, m_json);
    if (m_json)
        printJson();
    else
        std::fputs(summaryText().c_str(), stdout);
    if (m_interrupt.count() > 0)
        return 130;
    return m_status.champion.valid() && m_status.champion != m_state.tree().root() ? 0 : 1;
}

void SearchRunner::take(const engine::EngineUpdatePtr& update)
{
    for (const auto& event : update->events) {
        m_state.apply(event->body);
        announce(*event);
    }
    for (const auto& notice : update->notices)
        m_line.say(notice);
    m_status = update->status;
    if (m_status.phase != engine::Phase::Stopped)
        m_line.show(statusText());
}

void SearchRunner::announce(const store::Event& event)
{
    if (std::holds_alternative<store::RunStarted>(event.body)) {
        const auto& session = m_state.session();
        std::string proposers = join(session.proposers, ", ");
        m_line.say(fmt::format("{} on {} in {}: policy {}, proposers {}, seed {}, {} in flight, {} caches\nsession {}",
            session.op.name, session.device.name, session.language, m_state.policy(), proposers, session.seed,
            session.jobs, session.cache, m_path.string()));
        ++m_runs;
    }
    if (m_resumed && m_runs == 0)
        return;
    if (const auto* baseline = std::get_if<store::BaselineMeasured>(&event.body))
        announceBaseline(*baseline);
    if (const auto* duel = std::get_if<store::DuelFought>(&event.body);
        duel && duel->newChampion && duel->candidate != m_state.tree().root()) {
        const auto& node = m_state.tree().node(duel->candidate);
        m_line.say(fmt::format("[{:>4}] node {} is champion: {} ({})", m_state.evaluations(), node.id.value,
            speedupText(m_state.speedups(node.id)), node.title));
    }
}

void SearchRunner::announceBaseline(const store::BaselineMeasured& baseline)
{
    m_line.say(
        fmt::format("baseline {}{}: {}", baseline.name, baseline.library.empty() ? "" : " (" + baseline.library + ")",
            formatNs(measure::geomeanNs(baseline.evaluation))));
}

std::string SearchRunner::statusText() const
{
    std::string text(engine::phaseName(m_status.phase));
    text += fmt::format("  {}s", m_status.spent.timeMs / 1000);
    if (m_status.budget.timeMs > 0)
        text += fmt::format("/{}s", m_status.budget.timeMs / 1000);
    text += fmt::format("  {}", m_status.spent.evaluations);
    if (m_status.budget.evaluations > 0)
        text += fmt::format("/{}", m_status.budget.evaluations);
    text += fmt::format(" evaluations, {} failed, {} running", m_status.failed, m_status.running);
    for (const auto& [baseline, interval] : m_status.championSpeedup)
        text += fmt::format("  {} {}", formatRatio(interval.value), baseline);
    if (!m_status.activity.empty())
        text += "  " + m_status.activity;
    return text;
}

std::string SearchRunner::timeText() const
{
    const auto& split = m_status.split;
    return fmt::format("propose {}, build {}, verify {}, time {}, duels {}", formatNs(split.proposeMs * 1e6),
        formatNs(split.buildMs * 1e6), formatNs(split.verifyMs * 1e6), formatNs(split.timeMs * 1e6),
        formatNs(split.duelMs * 1e6));
}

std::string SearchRunner::summaryText() const
{
    std::string text = "\n";
    const bool found = m_status.champion.valid() && m_status.champion != m_state.tree().root();
    if (!found)
        text += "No kernel was found that is faster than the operator's own.\n";
    if (found) {
        const auto& node = m_state.tree().node(m_status.champion);
        text += fmt::format("champion     node {} by {}: {}\n", node.id.value, node.proposer, node.title);
        text += fmt::format("time         {}\n", formatNs(m_state.geomeanNs(node.id)));
        for (const auto& [baseline, interval] : m_state.speedups(node.id))
            text += fmt::format("over {:<8}{}\n", baseline, intervalText(interval));
        text += fmt::format(
            "roofline     {:.0f} % of what this machine can do at best\n", 100 * m_state.rooflineFraction(node.id));
    }
    text += fmt::format("search       {} evaluations, {} failed, {} nodes, stopped by {}\n", m_state.evaluations(),
        m_state.failed(), m_state.tree().size(), m_status.stoppedBy);
    text += "time went to " + timeText() + "\n";
    text += "session      " + m_path.string() + "\n";
    text += found ? "next         rooftree show " + m_path.string() + " --best\n"
                  : "next         rooftree resume " + m_path.string() + " --time 5m\n";
    return text;
}

static Json intervalJson(const measure::Interval& interval)
{
    return { { "value", interval.value }, { "lo", interval.lo }, { "hi", interval.hi } };
}

void SearchRunner::printJson() const
{
    Json champion = nullptr;
    if (m_status.champion.valid()) {
        const auto& node = m_state.tree().node(m_status.champion);
        Json speedup = Json::object();
        for (const auto& [baseline, interval] : m_state.speedups(node.id))
            speedup[baseline] = intervalJson(interval);
        champion = { { "node", node.id.value }, { "status", measure::statusName(node.status) },
            { "proposer", node.proposer }, { "title", node.title }, { "speedup", speedup },
            { "roofline_fraction", m_state.rooflineFraction(node.id) }, { "time_ns", m_state.geomeanNs(node.id) } };
    }
    const auto& split = m_status.split;
    const Json document{ { "schema", 1 }, { "session", m_path.string() }, { "evaluations", m_state.evaluations() },
        { "failed", m_state.failed() }, { "stopped_by", m_status.stoppedBy }, { "search_ms", m_status.spent.timeMs },
        { "time_split_ms",
            { { "propose", split.proposeMs }, { "build", split.buildMs }, { "verify", split.verifyMs },
                { "time", split.timeMs }, { "duel", split.duelMs } } },
        { "champion", champion } };
    std::printf("%s\n", document.dump(2).c_str());
}

} // namespace rooftree::app
