// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.h"

#include "core/base/json.h"
#include "core/engine/championship.h"
#include "core/engine/preparation.h"
#include "core/engine/searchloop.h"

#include <spdlog/spdlog.h>

#include <cmath>

namespace rooftree::engine {

namespace {

constexpr int throttleMs = 80; // updates are merged for this long

// 26 characters that sort by time: 48 bits of milliseconds and 80 random ones, in Crockford's base 32 (a ULID).
std::string newSessionId(int64_t wallMs)
{
    static constexpr char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    Rng rng(static_cast<uint64_t>(wallMs) ^ static_cast<uint64_t>(Clock::system().monotonicNs()) << 20);
    std::string id(26, '0');
    for (int i = 9; i >= 0; --i, wallMs >>= 5)
        id[static_cast<std::size_t>(i)] = digits[wallMs & 31];
    for (std::size_t i = 10; i < id.size(); ++i)
        id[i] = digits[rng.below(32)];
    return id;
}

const target::Toolchain* usableToolchain(const worker::Hello& hello, const std::string& language)
{
    for (const auto& toolchain : hello.toolchains) {
        if (toolchain.language == language && toolchain.usable())
            return &toolchain;
    }
    return nullptr;
}

std::string environmentLine(const worker::Hello& hello)
{
    const auto& device = hello.devices.front();
    return device.name + ", " + std::to_string(device.threads) + " threads, sandbox level "
        + std::to_string(hello.sandboxLevel);
}

} // namespace

Engine::Engine(EngineOptions options)
    : m_options(std::move(options))
    , m_journal(*m_options.clock)
    , m_expander(m_journal, m_options.makeProposer)
{
    m_throttle.setSingleShot(true);
    m_throttle.setInterval(throttleMs);
    m_throttle.setParent(this); // moves to the engine's thread with it
    m_deadline.setSingleShot(true);
    m_deadline.setParent(this);
    m_expander.setParent(this);
    connect(&m_throttle, &QTimer::timeout, this, &Engine::publish);
    connect(&m_deadline, &QTimer::timeout, this, [this] { m_loop->advance(); });
}

Engine::~Engine() = default;

void Engine::start()
{
    m_startedNs = m_options.clock->monotonicNs();
    openSession();
    if (m_ended)
        return;
    m_host = m_options.makeHost();
    connect(m_host.get(), &hosts::Host::trouble, this, [this](const QString& text) {
        m_journal.notice(text.toStdString());
        touch();
    });
    connect(m_host.get(), &hosts::Host::progress, this, [this](const worker::Progress& progress) {
        const std::string what = m_loop ? m_loop->describe(progress.job) : std::string();
        m_status.activity = what.empty() ? progress.stage : what + ": " + progress.stage;
        touch();
    });
    m_host->start([this](const hosts::Answer<worker::Hello>& answer) {
        if (!answer.value)
            return end(answer.error);
        takeUp(*answer.value);
    });
}

void Engine::openSession()
{
    const auto mode = m_options.create ? store::OpenMode::Create : store::OpenMode::ReadWrite;
    auto file = store::SessionFile::open(m_options.path, mode);
    if (!file)
        return end(file.error());
    m_journal.setFile(std::move(*file));
    if (m_options.create)
        return;
    // The policy of the session learns from what happened, as it did when it happened.
    if (const auto session = m_journal.file().session())
        m_status.budget = session->budget;
    m_journal.state().setOutcomeListener([this](const search::Outcome& outcome) {
        if (!m_policy || m_policy->name() != m_journal.state().policy()) {
            auto policy = newPolicy(m_journal.state().policy());
            if (!policy)
                return;
            m_policy = std::move(*policy);
        }
        m_policy->update(m_journal.state().tree(), outcome);
    });
    if (const auto loaded = m_journal.load(); !loaded)
        end(loaded.error());
}

void Engine::takeUp(const worker::Hello& hello)
{
    const std::string language = m_options.create ? m_options.create->language : m_journal.state().session().language;
    if (hello.devices.empty() || !usableToolchain(hello, language)) {
        const std::string why =
            hello.missing.empty() ? std::string("no toolchain for it was found") : hello.missing.front();
        return end(Error{ ErrorCode::Environment,
            "Kernels in " + language + " cannot be built here: " + why + ". Run `rooftree doctor`.", {} });
    }
    const auto& device = hello.devices.front();
    if (m_options.create) {
        const auto& setup = *m_options.create;
        store::SessionCreated created;
        created.session = newSessionId(m_options.clock->wallMs());
        created.version = ROOFTREE_VERSION;
        created.op = setup.op;
        created.device = device;
        created.toolchains = hello.toolchains;
        created.language = setup.language;
        created.policy = setup.policy;
        created.proposers = setup.proposers;
        if (created.proposers.empty()) {
            for (const auto& info : synth::proposers())
                created.proposers.push_back(info.name);
        }
        created.seed = setup.seed;
        created.jobs = setup.jobs;
        created.budget = m_options.budget.value_or(search::Budget{});
        created.cache = setup.cache == measure::CacheMode::Cold ? "cold" : "warm";
        if (!m_journal.record(created))
            return end(*m_journal.fault());
    } else if (m_journal.state().session().device.name != device.name) {
        m_journal.notice("This session was begun on " + m_journal.state().session().device.name
            + "; its times do not compare with those of " + device.name + ".");
    }
    std::vector<store::EventBody> events;
    for (const NodeId node : m_journal.state().runningNodes())
        events.emplace_back(store::NodeLost{ node, "the program ended before its result came" });
    for (const ExpansionId expansion : m_journal.state().openExpansions())
        events.emplace_back(store::ExpansionEnded{ expansion, "lost", {}, "the program ended" });
    events.emplace_back(
        store::RunStarted{ m_options.budget.value_or(m_journal.state().budget()), environmentLine(hello) });
    if (!m_journal.record(events))
        return end(*m_journal.fault());
    m_expander.setUp(device, hello.toolchains, m_host->sharesThisMachine());
    m_preparation = std::make_unique<Preparation>(m_journal, *m_host, m_options.admit);
    m_preparation->run([this](Phase phase) { setPhase(phase); },
        [this](const Status& status) {
            if (!status)
                return end(status.error());
            beginSearch();
        });
}

Result<std::unique_ptr<search::Policy>> Engine::newPolicy(const std::string& name) const
{
    search::PolicyOptions options;
    options.proposers = m_journal.state().session().proposers;
    for (const auto& info : synth::proposers())
        options.weights[info.name] = info.weight;
    // Memory is for proposers that read it; the local ones do not.
    options.memoryModes = { search::MemoryMode::None, search::MemoryMode::ParentLine, search::MemoryMode::Siblings,
        search::MemoryMode::Both };
    return search::makePolicy(name, options);
}

void Engine::beginSearch()
{
    if (!m_policy || m_policy->name() != m_journal.state().policy()) {
        auto policy = newPolicy(m_journal.state().policy());
        if (!policy)
            return end(policy.error());
        m_policy = std::move(*policy);
    }
    m_journal.state().setOutcomeListener(
        [this](const search::Outcome& outcome) { m_policy->update(m_journal.state().tree(), outcome); });
    m_championship = std::make_unique<Championship>(m_journal, *m_host);
    SearchLoop::Hooks hooks;
    hooks.limit = [this](int64_t inFlight) {
        auto now = spent();
        now.evaluations += inFlight;
        return search::reachedLimit(m_journal.state().budget(), now);
    };
    hooks.stopped = [this](const std::string& reason) { stopSearching(reason); };
    hooks.drained = [this] { beginMeasuring(); };
    hooks.fault = [this](const Error& error) { end(error); };
    hooks.changed = [this] { touch(); };
    m_loop = std::make_unique<SearchLoop>(m_journal, *m_host, m_expander, *m_championship, std::move(hooks));
    m_loop->setPolicy(m_policy.get());
    setPhase(Phase::Searching);
    armDeadline();
    if (m_options.create && m_options.create->start)
        m_loop->insert(m_journal.state().tree().root(), *m_options.create->start, "the kernel that was given");
    m_loop->advance();
}

void Engine::armDeadline()
{
    const int64_t limit = m_journal.state().budget().timeMs;
    if (limit > 0)
        m_deadline.start(static_cast<int>(std::clamp<int64_t>(limit - spent().timeMs + 1, 0, 1'000'000'000)));
    else
        m_deadline.stop();
}

void Engine::stopSearching(const std::string& reason)
{
    if (m_status.stoppedBy.empty())
        m_status.stoppedBy = reason;
    setPhase(Phase::Draining);
}

void Engine::beginMeasuring()
{
    if (m_status.phase == Phase::Measuring || m_ended)
        return;
    if (!m_options.measureChampion)
        return end(std::nullopt);
    setPhase(Phase::Measuring);
    m_championship->finalize(
        [this](const Status& status) { end(status ? std::nullopt : std::optional(status.error())); });
}

void Engine::end(std::optional<Error> error)
{
    if (m_ended)
        return;
    const search::Spent total = spent();
    m_ended = true;
    m_deadline.stop();
    if (m_loop)
        m_loop->halt();
    if (error) {
        spdlog::info("{} {}", error->text, error->detail); // whoever listens shows it
        m_status.stoppedBy = "error: " + error->text;
    }
    if (m_journal.hasFile() && m_journal.state().hasSession() && !m_journal.fault())
        m_journal.record(store::RunStopped{ m_status.stoppedBy, total.timeMs - m_journal.state().activeMs() });
    m_status.error = std::move(error);
    m_status.phase = Phase::Stopped;
    m_throttle.stop();
    publish();
    // What is in flight may still call back; the objects go when the engine goes.
    QMetaObject::invokeMethod(
        this, [this] { emit finished(); }, Qt::QueuedConnection);
}

void Engine::post(Command command)
{
    QMetaObject::invokeMethod(
        this, [this, command = std::move(command)] { execute(command); }, Qt::QueuedConnection);
}

void Engine::steer(const std::string& action, NodeId node, const std::string& text)
{
    if (node.valid() && !m_journal.state().tree().contains(node))
        return m_journal.notice("There is no node " + std::to_string(node.value) + ".");
    m_journal.record(store::Steered{ action, node, text });
}

void Engine::changeBudget(const search::Budget& budget)
{
    steer("budget", {}, toLine(search::toJson(budget)));
    armDeadline();
}

void Engine::changePolicy(const std::string& name)
{
    auto policy = newPolicy(name);
    if (!policy)
        return m_journal.notice(policy.error().text);
    m_policy = std::move(*policy);
    m_loop->setPolicy(m_policy.get());
    steer("policy", {}, name);
}

void Engine::execute(const Command& command)
{
    if (m_ended)
        return;
    if (std::holds_alternative<Abort>(command)) {
        m_status.stoppedBy = "user";
        if (m_host)
            m_host->cancelAll();
        return end(std::nullopt);
    }
    if (!m_loop) { // before the search has begun there is nothing to steer; stopping is possible at any time
        if (std::holds_alternative<Stop>(command)) {
            m_status.stoppedBy = "user";
            end(std::nullopt);
        }
        return;
    }
    struct Visitor {
        Engine& e;
        void operator()(const Pause&) const
        {
            e.m_loop->pause(true);
            e.setPhase(Phase::Paused);
        }
        void operator()(const Continue&) const
        {
            e.setPhase(Phase::Searching);
            e.m_loop->pause(false);
        }
        void operator()(const Step&) const { e.m_loop->step(); }
        void operator()(const Stop&) const
        {
            e.stopSearching("user");
            e.m_loop->stop();
        }
        void operator()(const Abort&) const { }
        void operator()(const Pin& c) const { e.steer(c.on ? "pin" : "unpin", c.node, {}); }
        void operator()(const Prune& c) const { e.steer(c.on ? "prune" : "restore", c.node, {}); }
        void operator()(const Hint& c) const { e.steer("hint", c.node, c.text); }
        void operator()(const Note& c) const { e.steer("note", c.node, c.text); }
        void operator()(const Insert& c) const { e.m_loop->insert(c.parent, c.candidate, c.title); }
        void operator()(const Reevaluate& c) const { e.m_loop->reevaluate(c.node); }
        void operator()(const SetBudget& c) const { e.changeBudget(c.budget); }
        void operator()(const SetPolicy& c) const { e.changePolicy(c.policy); }
    };
    std::visit(Visitor{ *this }, command);
    touch();
    if (m_journal.fault())
        return end(m_journal.fault());
    if (!m_ended)
        m_loop->advance();
}

int64_t Engine::activeMs() const
{
    return (m_options.clock->monotonicNs() - m_startedNs) / 1'000'000;
}

search::Spent Engine::spent() const
{
    const auto& state = m_journal.state();
    search::Spent now;
    now.evaluations = state.evaluations();
    now.timeMs = state.activeMs() + (m_ended ? 0 : activeMs());
    now.sinceChampion = state.sinceChampion();
    if (state.tree().size() > 0) {
        const auto& champion = state.tree().node(state.championOrRoot());
        now.bestSpeedup = std::exp(champion.value);
        now.rooflineFraction = state.rooflineFraction(champion.id);
    }
    return now;
}

void Engine::setPhase(Phase phase)
{
    m_status.phase = phase;
    m_status.activity.clear();
    touch();
}

void Engine::touch()
{
    if (!m_ended && !m_throttle.isActive())
        m_throttle.start();
}

void Engine::publish()
{
    const auto& state = m_journal.state();
    m_status.budget = state.budget();
    m_status.spent = spent();
    m_status.running = m_loop ? m_loop->inFlight() : 0;
    m_status.failed = state.failed();
    m_status.nodes = state.tree().size();
    m_status.champion = state.tree().size() > 0 ? state.championOrRoot() : NodeId{};
    m_status.championSpeedup = state.speedups(m_status.champion);
    m_status.split = state.split();
    auto update = std::make_shared<EngineUpdate>();
    update->number = ++m_updates;
    update->events = m_journal.takeEvents();
    update->notices = m_journal.takeNotices();
    update->status = m_status;
    emit updated(update);
}

} // namespace rooftree::engine
