// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/search/tree.h"

#include <algorithm>
#include <cmath>

namespace rooftree::search {
namespace {

std::string stateText(const Node& node)
{
    switch (node.state) {
    case NodeState::Running:
        return "RUNNING";
    case NodeState::Lost:
        return "LOST";
    case NodeState::Done:
        break;
    }
    std::string text(measure::statusName(node.status));
    if (node.hasValue)
        text += ' ' + formatRatio(std::exp(node.value));
    return text;
}

// A title is one line whatever a proposer writes.
std::string oneLine(std::string text)
{
    text = sanitizedUtf8(text);
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return text;
}

std::string lineText(const Tree& tree, const Node& node)
{
    std::string line = std::to_string(node.id.value);
    for (const std::string* word : { &node.proposer, &node.technique }) {
        if (!word->empty())
            line += ' ' + oneLine(*word);
    }
    if (!node.title.empty())
        line += ": " + oneLine(node.title);
    line += ' ' + stateText(node);
    if (tree.champion() == node.id)
        line += " *";
    if (node.pinned)
        line += " pinned";
    if (node.pruned)
        line += " pruned";
    for (std::size_t i = 1; i < node.parents.size(); ++i)
        line += " +" + std::to_string(node.parents[i].value);
    return line;
}

} // namespace

std::string treeText(const Tree& tree)
{
    std::string text;
    std::vector<NodeId> open;
    if (tree.size() > 0)
        open.push_back(tree.root());
    while (!open.empty()) {
        const Node& node = tree.node(open.back());
        open.pop_back();
        text.append(static_cast<std::size_t>(node.depth) * 2, ' ');
        text += lineText(tree, node) + '\n';
        open.insert(open.end(), node.children.rbegin(), node.children.rend());
    }
    return text;
}

} // namespace rooftree::search
