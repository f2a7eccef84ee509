// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/treeloader.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace rooftree::store {

namespace {

// What happened to a node after it was added; applied when all nodes are there, in the order in which it happened, because
// sums of doubles depend on their order.
struct Finish {
    int64_t sequence = 0;
    NodeId node;
    bool lost = false;
    measure::EvaluationStatus status = measure::EvaluationStatus::Passed;
    double value = 0;
    std::string bound;
};

std::vector<NodeId> parentsOf(std::string_view list)
{
    std::vector<NodeId> parents;
    const auto* end = list.data() + list.size();
    for (const auto* at = list.data(); at < end;) {
        NodeId parent;
        const auto [stop, error] = std::from_chars(at, end, parent.value);
        if (error != std::errc())
            parent = NodeId{};
        parents.push_back(parent);
        at = std::find(stop, end, ',');
        at += at < end ? 1 : 0;
    }
    return parents;
}

Error damaged(const Database& database, int64_t node)
{
    return { ErrorCode::Parse,
        "'" + database.path() + "' is damaged: node " + std::to_string(node)
            + " does not fit into the tree. Rebuild its tables or restore it from a backup." };
}

class TreeLoader {
public:
    explicit TreeLoader(Database& database)
        : m_database(database)
    {
    }

    Result<search::Tree> run()
    {
        Query query(m_database,
            "SELECT id, parents, proposer, technique, title, move_key, source_hash, structure_hash, island, state, "
            "status, value, "
            "bound, finished, pinned, pruned, visits, exhausted FROM node ORDER BY id");
        while (query.next()) {
            if (!readRow(query))
                return damaged(m_database, query.integer(0));
        }
        if (auto status = query.status(); !status)
            return status.error();
        finishAll();
        const auto champion = m_database.integer("SELECT coalesce(max(champion), -1) FROM session");
        if (!champion)
            return champion.error();
        if (m_tree.contains(NodeId{ *champion }))
            m_tree.setChampion(NodeId{ *champion });
        return std::move(m_tree);
    }

private:
    bool readRow(const Query& row)
    {
        search::Node node;
        node.parents = parentsOf(row.text(1));
        node.proposer = row.text(2);
        node.technique = row.text(3);
        node.title = row.text(4);
        node.moveKey = row.text(5);
        node.sourceHash = row.text(6);
        node.structureHash = row.text(7);
        node.island = static_cast<int>(row.integer(8));
        const NodeId id{ row.integer(0) };
        if (id.value != m_tree.size() || m_tree.add(std::move(node)) != id)
            return false;
        return readState(row, id) && readMarks(row, id);
    }

    bool readState(const Query& row, NodeId id)
    {
        const auto state = row.integer(9);
        if (state == 0)
            return true;
        Finish finish{ row.integer(13), id, state == 2 };
        if (!finish.lost) {
            const auto status = measure::statusFromName(row.text(10));
            if (!status)
                return false;
            finish.status = *status;
            finish.value = row.isNull(11) ? std::numeric_limits<double>::quiet_NaN() : row.real(11);
            finish.bound = row.text(12);
        }
        m_finishes.push_back(std::move(finish));
        return true;
    }

    bool readMarks(const Query& row, NodeId id)
    {
        if (row.integer(14) != 0)
            m_tree.setPinned(id, true);
        if (row.integer(15) != 0)
            m_tree.setPruned(id, true);
        // A visit is an expansion, so there are fewer of them than events.
        const auto visits = row.integer(16);
        if (visits < 0 || visits > maxVisits)
            return false;
        for (int64_t i = 0; i < visits; ++i)
            m_tree.addVisit(id);
        auto exhausted = row.text(17);
        while (!exhausted.empty()) {
            const auto end = std::min(exhausted.find('\n'), exhausted.size() - 1);
            m_tree.markExhausted(id, std::string(exhausted.substr(0, end)));
            exhausted.remove_prefix(end + 1);
        }
        return true;
    }

    void finishAll()
    {
        std::sort(m_finishes.begin(), m_finishes.end(),
            [](const Finish& a, const Finish& b) { return a.sequence < b.sequence; });
        for (auto& finish : m_finishes) {
            if (finish.lost)
                m_tree.lose(finish.node);
            else
                m_tree.finish(finish.node, finish.status, finish.value, std::move(finish.bound));
        }
    }

    static constexpr int64_t maxVisits = 10'000'000;

    Database& m_database;
    search::Tree m_tree;
    std::vector<Finish> m_finishes;
};

} // namespace

Result<search::Tree> loadTree(Database& database)
{
    return TreeLoader(database).run();
}

} // namespace rooftree::store
