// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/projector.h"

#include <cmath>

namespace rooftree::store {

namespace {

enum NodeStateColumn : int64_t { doneState = 1, lostState = 2 };

std::string parentList(const std::vector<NodeId>& parents)
{
    std::string list;
    for (const auto parent : parents)
        list += (list.empty() ? "" : ",") + std::to_string(parent.value);
    return list;
}

// SQLite turns NaN into NULL, which the columns do not take.
double finite(double value)
{
    return std::isfinite(value) ? value : 0;
}

} // namespace

Status Projector::apply(const Event& event)
{
    m_sequence = event.sequence;
    m_wallMs = event.wallMs;
    return std::visit([this](const auto& body) { return on(body); }, event.body);
}

Status Projector::on(const SessionCreated& event)
{
    return m_database.run("INSERT OR REPLACE INTO session VALUES(1, ?, ?, ?, ?, ?, ?, ?, -1)", m_sequence,
        event.session, m_wallMs, event.op.name, event.device.name, event.language, event.policy);
}

Status Projector::on(const BaselineMeasured& event)
{
    return m_database.run("INSERT OR REPLACE INTO baseline VALUES(?, ?, ?, ?, ?)", event.name, m_sequence,
        event.library, measure::statusName(event.evaluation.status), finite(measure::geomeanNs(event.evaluation)));
}

Status Projector::on(const ExpansionSelected& event)
{
    const auto& selection = event.selection;
    return m_database.run(
        "INSERT OR REPLACE INTO decision(expansion, seq, parent, proposer, memory, island) VALUES(?, ?, ?, ?, ?, ?)",
        event.expansion.value, m_sequence, selection.parent.value, selection.proposer,
        search::memoryModeName(selection.memory), static_cast<int64_t>(selection.island));
}

Status Projector::on(const NodeAdded& event)
{
    return m_database.run(
        "INSERT OR REPLACE INTO node(id, seq, parents, expansion, proposer, technique, title, move_key, source_hash, "
        "structure_hash, island, state) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
        "coalesce((SELECT island FROM decision WHERE expansion = ?4), 0), 0)",
        event.node.value, m_sequence, parentList(event.parents), event.expansion.value, event.proposer, event.technique,
        event.title, event.moveKey, event.sourceHash, event.structureHash);
}

Status Projector::on(const NodeEvaluated& event)
{
    const auto& evaluation = event.evaluation;
    // SQLite keeps a NaN as NULL: no value.
    const double value = event.value && std::isfinite(*event.value) ? *event.value : std::nan("");
    auto status = m_database.run(
        "UPDATE node SET state = ?, status = ?, value = ?, bound = ?, finished = ? WHERE id = ?", int64_t{ doneState },
        measure::statusName(evaluation.status), value, evaluation.bound, m_sequence, event.node.value);
    if (!status)
        return status;
    status = m_database.run("INSERT OR REPLACE INTO evaluation VALUES(?, ?, ?, ?, ?, ?, ?)", event.node.value,
        m_sequence, measure::statusName(evaluation.status), evaluation.reason, evaluation.bound, evaluation.compiler,
        evaluation.flags);
    return status ? replaceDetails(event) : status;
}

// The latest evaluation replaces what an earlier one said.
Status Projector::replaceDetails(const NodeEvaluated& event)
{
    const auto node = event.node.value;
    for (const auto* sql : { "DELETE FROM stage WHERE node = ?", "DELETE FROM metric WHERE node = ?",
             "DELETE FROM speedup WHERE node = ? AND duel = 0" }) {
        if (auto status = m_database.run(sql, node); !status)
            return status;
    }
    int64_t position = 0;
    for (const auto& stage : event.evaluation.stages) {
        auto status = m_database.run("INSERT INTO stage VALUES(?, ?, ?, ?, ?)", node, position++, stage.name,
            static_cast<int64_t>(stage.status), finite(stage.ms));
        if (!status)
            return status;
    }
    const std::map<std::string, double> metrics{ { "geomean_ns", measure::geomeanNs(event.evaluation) },
        { "roofline_fraction", event.evaluation.rooflineFraction } };
    for (const auto& [name, value] : metrics) {
        if (auto status = m_database.run("INSERT INTO metric VALUES(?, ?, ?)", node, name, finite(value)); !status)
            return status;
    }
    for (const auto& [baseline, interval] : event.speedup) {
        if (auto status = putSpeedup(event.node, baseline, 0, interval); !status)
            return status;
    }
    return success();
}

Status Projector::putSpeedup(NodeId node, const std::string& baseline, int64_t duel, const measure::Interval& speedup)
{
    return m_database.run("INSERT OR REPLACE INTO speedup VALUES(?, ?, ?, ?, ?, ?)", node.value, baseline, duel,
        finite(speedup.value), finite(speedup.lo), finite(speedup.hi));
}

Status Projector::on(const NodeLost& event)
{
    return m_database.run("UPDATE node SET state = ?, value = NULL, finished = ? WHERE id = ?", int64_t{ lostState },
        m_sequence, event.node.value);
}

Status Projector::on(const ExpansionEnded& event)
{
    // The second end of an expansion, and one that was never selected, are no visits.
    auto status =
        m_database.run("UPDATE node SET visits = visits + 1, exhausted = CASE WHEN ?2 = 'exhausted' AND instr(char(10) "
                       "|| exhausted, char(10) || "
                       "(SELECT proposer FROM decision WHERE expansion = ?1) || char(10)) = 0 THEN exhausted || "
                       "(SELECT proposer FROM decision WHERE expansion = ?1) || char(10) ELSE exhausted END "
                       "WHERE id = (SELECT parent FROM decision WHERE expansion = ?1 AND outcome IS NULL)",
            event.expansion.value, event.outcome);
    if (!status)
        return status;
    return m_database.run(
        "UPDATE decision SET outcome = ?, child = ?, text = ? WHERE expansion = ? AND outcome IS NULL", event.outcome,
        event.child.value, event.text, event.expansion.value);
}

Status Projector::on(const DuelFought& event)
{
    if (!event.newChampion)
        return success();
    return m_database.run("UPDATE session SET champion = ?", event.candidate.value);
}

Status Projector::on(const ChampionMeasured& event)
{
    return putSpeedup(event.node, event.baseline, 1, event.result.speedup);
}

Status Projector::on(const Steered& event)
{
    auto status = m_database.run(
        "INSERT INTO steer VALUES(?, ?, ?, ?, ?)", m_sequence, m_wallMs, event.action, event.node.value, event.text);
    if (!status)
        return status;
    if (event.action == "pin" || event.action == "unpin")
        return m_database.run(
            "UPDATE node SET pinned = ? WHERE id = ?", int64_t{ event.action == "pin" }, event.node.value);
    if (event.action == "prune" || event.action == "restore")
        return m_database.run(
            "UPDATE node SET pruned = ? WHERE id = ?", int64_t{ event.action == "prune" }, event.node.value);
    if (event.action == "policy")
        return m_database.run("UPDATE session SET policy = ?", event.text);
    return success();
}

} // namespace rooftree::store
