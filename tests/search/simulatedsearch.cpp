// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulatedsearch.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace rooftree::test {

using measure::EvaluationStatus;
using search::MemoryMode;
using search::Selection;

namespace {

const std::vector<std::string>& moveNames()
{
    static const std::vector<std::string> names{ "parallel", "simd", "tile", "interchange", "unroll", "restrict",
        "hoist", "accumulate" };
    return names;
}

bool has(const std::vector<std::string>& list, const std::string& word)
{
    return std::find(list.begin(), list.end(), word) != list.end();
}

} // namespace

std::string SimulatedSearch::Kernel::structure() const
{
    return library + '|' + join(moves, ",");
}

std::string SimulatedSearch::Kernel::source() const
{
    std::string text = structure();
    for (const auto& [name, value] : values)
        text += ' ' + name + '=' + value;
    return text;
}

SimulatedSearch::SimulatedSearch(const Simulation& simulation)
    : m_simulation(simulation)
    , m_rng(simulation.seed)
{
    search::PolicyOptions options;
    options.proposers = simulation.proposers;
    options.memoryModes = { MemoryMode::None, MemoryMode::ParentLine, MemoryMode::Siblings, MemoryMode::Both };
    auto policy = search::makePolicy(simulation.policy, options);
    m_policy = std::move(policy).value();
    m_kernels.emplace_back();
    search::Node root;
    root.proposer = "root";
    root.technique = "reference";
    root.sourceHash = m_kernels.front().source();
    root.structureHash = m_kernels.front().structure();
    m_tree.finish(m_tree.add(root), EvaluationStatus::Passed, 0, "memory");
    m_tree.setChampion(m_tree.root());
}

double SimulatedSearch::chance(const std::string& what) const
{
    uint64_t state = m_simulation.seed;
    for (const char c : what)
        state = splitMix64(state ^ static_cast<unsigned char>(c));
    return Rng(state).uniform();
}

kernel::TuningSpace SimulatedSearch::spaceOf(const Kernel& kernel) const
{
    kernel::TuningSpace space;
    if (!m_simulation.tunables || (kernel.library.empty() && !has(kernel.moves, "tile")))
        return space;
    space.tunables = { { "TILE", { "8", "16", "32", "64", "128", "256" }, "8" },
        { "UNROLL", { "1", "2", "4", "8" }, "1" }, { "FLAGS", { "-O3", "-O3 -ffast-math", "-O2" }, "-O3" } };
    for (auto& tunable : space.tunables) {
        const auto value = kernel.values.find(tunable.name);
        tunable.current = value == kernel.values.end() ? tunable.values.front() : value->second;
    }
    return space;
}

// A move is wrong in a quarter of the structures, a value of a tunable in a tenth.
bool SimulatedSearch::passes(const Kernel& kernel) const
{
    for (const std::string& move : kernel.moves) {
        if (chance("wrong " + kernel.library + move) < 0.25)
            return false;
    }
    return kernel.values.empty() || chance("broken " + kernel.source()) >= 0.1;
}

double SimulatedSearch::valueOf(const Kernel& kernel) const
{
    double value = kernel.library.empty() ? 0 : 1 + 1.5 * chance("library " + kernel.library);
    for (const std::string& move : kernel.moves)
        value += (kernel.library.empty() ? 0.9 : 0.25) * (chance("gain " + kernel.library + move) - 0.4);
    const kernel::TuningSpace space = spaceOf(kernel);
    for (const auto& tunable : space.tunables) {
        const auto index =
            std::find(tunable.values.begin(), tunable.values.end(), tunable.current) - tunable.values.begin();
        const double ideal =
            chance("ideal " + kernel.structure() + tunable.name) * static_cast<double>(tunable.values.size() - 1);
        value += 0.4 - 0.15 * std::pow(static_cast<double>(index) - ideal, 2);
    }
    return value + 0.01 * chance("noise " + kernel.source());
}

std::optional<SimulatedSearch::Proposal> SimulatedSearch::proposeLibrary(const Selection& selection) const
{
    if (selection.parent != m_tree.root())
        return std::nullopt;
    for (const char* name : { "online", "blocked", "packed" }) {
        Kernel kernel;
        kernel.library = name;
        kernel.values = spaceOf(kernel).current();
        if (!m_tree.findBySource(kernel.source()).valid())
            return Proposal{ kernel, name, std::string("library:") + name, std::string("library kernel ") + name };
    }
    return std::nullopt;
}

std::optional<SimulatedSearch::Proposal> SimulatedSearch::proposeTransform(const Selection& selection) const
{
    const auto tried = m_tree.triedMoves(selection.parent, "transform");
    for (int i = 0; i < m_simulation.moves; ++i) {
        const std::string& move = moveNames()[static_cast<std::size_t>(i)];
        Kernel kernel = kernelOf(selection.parent);
        if (tried.contains(move) || has(kernel.moves, move))
            continue;
        kernel.moves.push_back(move);
        std::sort(kernel.moves.begin(), kernel.moves.end());
        if (kernel.values.empty())
            kernel.values = spaceOf(kernel).current();
        if (!m_tree.findBySource(kernel.source()).valid())
            return Proposal{ kernel, move, move, "apply " + move };
    }
    return std::nullopt;
}

std::optional<SimulatedSearch::Proposal> SimulatedSearch::proposeTune(const Selection& selection, Rng rng) const
{
    Kernel kernel = kernelOf(selection.parent);
    std::vector<search::TunedPoint> history;
    std::vector<kernel::Configuration> pending;
    for (const NodeId id : m_tree.withStructure(kernel.structure())) {
        const search::Node& node = m_tree.node(id);
        if (node.state == search::NodeState::Running)
            pending.push_back(kernelOf(id).values);
        else
            history.push_back({ kernelOf(id).values, node.hasValue ? std::optional(-node.value) : std::nullopt });
    }
    const auto choice = search::nextConfiguration(spaceOf(kernel), history, pending, rng);
    if (!choice)
        return std::nullopt;
    kernel.values = choice->configuration;
    std::string title;
    for (const auto& [name, value] : kernel.values)
        title += (title.empty() ? "" : " ") + name + '=' + value;
    return Proposal{ kernel, title, "retune", title + " by " + choice->strategy };
}

// Like a language model: any move, sometimes one that is already there, so that it repeats itself.
std::optional<SimulatedSearch::Proposal> SimulatedSearch::proposeModel(const Selection& selection, Rng rng) const
{
    const std::string& move = moveNames()[static_cast<std::size_t>(rng.below(moveNames().size()))];
    Kernel kernel = kernelOf(selection.parent);
    if (selection.second.valid())
        kernel.moves.insert(
            kernel.moves.end(), kernelOf(selection.second).moves.begin(), kernelOf(selection.second).moves.end());
    kernel.moves.push_back(move);
    std::sort(kernel.moves.begin(), kernel.moves.end());
    kernel.moves.erase(std::unique(kernel.moves.begin(), kernel.moves.end()), kernel.moves.end());
    return Proposal{ kernel, move, move, "idea: " + move };
}

std::optional<SimulatedSearch::Proposal> SimulatedSearch::propose(const Selection& selection, Rng rng)
{
    if (selection.proposer == "library")
        return proposeLibrary(selection);
    if (selection.proposer == "transform")
        return proposeTransform(selection);
    return selection.proposer == "tune" ? proposeTune(selection, rng) : proposeModel(selection, rng);
}

bool SimulatedSearch::begin()
{
    const auto selection = m_policy->select(m_tree, m_rng);
    if (!selection)
        return false;
    m_selections.push_back(*selection);
    m_tree.beginExpansion(selection->parent);
    Running running{ *selection, {} };
    const auto proposal = propose(*selection, Rng(m_simulation.seed + 7919 * m_selections.size()));
    if (!proposal) {
        m_tree.markExhausted(selection->parent, selection->proposer);
    } else if (const NodeId known = m_tree.findBySource(proposal->kernel.source()); known.valid()) {
        running.child = known;
    } else {
        search::Node node;
        node.parents = { selection->parent };
        if (selection->second.valid())
            node.parents.push_back(selection->second);
        node.proposer = selection->proposer;
        node.technique = proposal->technique;
        node.title = proposal->title;
        node.moveKey = proposal->moveKey;
        node.sourceHash = proposal->kernel.source();
        node.structureHash = proposal->kernel.structure();
        node.island = selection->island;
        running.child = m_tree.add(node);
        m_kernels.push_back(proposal->kernel);
    }
    m_running.push_back(running);
    return true;
}

bool SimulatedSearch::commit()
{
    if (m_running.empty())
        return false;
    const Running running = m_running.front();
    m_running.pop_front();
    search::Outcome outcome{ running.selection, running.child };
    outcome.parentValue = m_tree.node(running.selection.parent).value;
    outcome.bestBefore = best();
    if (running.child.valid())
        outcome.duplicate = m_tree.node(running.child).state != search::NodeState::Running;
    if (running.child.valid() && !outcome.duplicate) {
        const Kernel& kernel = kernelOf(running.child);
        outcome.passed = passes(kernel);
        outcome.childValue = outcome.passed ? valueOf(kernel) : 0;
        const bool compiles = chance("compiles " + kernel.source()) < 0.5;
        const auto failure = compiles ? EvaluationStatus::IncorrectNumerical : EvaluationStatus::CompileError;
        m_tree.finish(running.child, outcome.passed ? EvaluationStatus::Passed : failure, outcome.childValue,
            chance("bound " + kernel.structure()) < 0.5 ? "memory" : "compute");
        if (outcome.passed && outcome.childValue > outcome.bestBefore)
            m_tree.setChampion(running.child);
        ++m_evaluated;
    }
    m_tree.endExpansion(running.selection.parent);
    m_tree.addVisit(running.selection.parent);
    m_policy->update(m_tree, outcome);
    return true;
}

void SimulatedSearch::run()
{
    while (m_evaluated < m_simulation.evaluations) {
        while (static_cast<int>(m_running.size()) < m_simulation.jobs && begin()) { }
        if (!commit()) {
            m_exhausted = true;
            return;
        }
    }
    while (commit()) { }
}

int SimulatedSearch::nodesBy(const std::string& proposer) const
{
    return static_cast<int>(std::count_if(m_tree.nodes().begin(), m_tree.nodes().end(),
        [&](const search::Node& node) { return node.proposer == proposer; }));
}

} // namespace rooftree::test
