// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/bandit.h"

#include "core/search/structures.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rooftree::search {
namespace {

constexpr double fading = 0.97; // of the past, with each outcome: the last 33 or so count
constexpr double priorTries = 2; // an arm starts as if it had been tried this often ...
constexpr double priorReward = 0.3; // ... and had earned this each time, times its weight
constexpr double exploration = 0.3; // of UCB1
constexpr double barrenHalf = 16; // attempts without a reward that halve an arm's score at a structure
constexpr double anyArm = 0.05; // share of choices that are uniform over all arms
constexpr double memoryFree = 0.10; // share that goes to an arm without memory: the best kernel is often found there

const ConsideredArm& best(const std::vector<ConsideredArm>& arms)
{
    // The first of equals: proposers come in the order of preference.
    return *std::max_element(
        arms.begin(), arms.end(), [](const ConsideredArm& a, const ConsideredArm& b) { return a.score < b.score; });
}

} // namespace

Bandit::Bandit(const PolicyOptions& options)
    : m_memoryModes(options.memoryModes)
    , m_weights(options.weights)
{
    if (m_memoryModes.empty())
        m_memoryModes.push_back(MemoryMode::None);
}

bool Bandit::usesMemory(const std::string& proposer)
{
    static constexpr std::array<std::string_view, 4> local{ tuneProposer, libraryProposer, "transform", "human" };
    return std::find(local.begin(), local.end(), proposer) == local.end();
}

std::vector<ConsideredArm> Bandit::available(const std::vector<std::string>& proposers, NodeId head) const
{
    double allTries = 0;
    for (const auto& [key, arm] : m_arms)
        allTries += arm.tries + arm.running;
    std::vector<ConsideredArm> arms;
    for (const std::string& proposer : proposers) {
        if (!usesMemory(proposer)) {
            arms.push_back(scored({ proposer, MemoryMode::None }, head, allTries));
            continue;
        }
        for (const MemoryMode mode : m_memoryModes)
            arms.push_back(scored({ proposer, mode }, head, allTries));
    }
    return arms;
}

ConsideredArm Bandit::scored(const Key& key, NodeId head, double allTries) const
{
    const auto known = m_arms.find(key);
    const Arm arm = known == m_arms.end() ? Arm{} : known->second;
    const auto weight = m_weights.find(key.first);
    const double prior = weight == m_weights.end() ? 1 : std::max(weight->second, 0.0);
    const auto barren = m_barren.find({ head, key.first });
    const double fade = barren == m_barren.end() ? 1 : barrenHalf / (barrenHalf + barren->second);
    const double mean = (arm.earned + priorTries * std::min(priorReward * prior, 1.0)) / (arm.tries + priorTries);
    const double explore = exploration * std::sqrt(std::log(2 + allTries) / (1 + arm.tries + arm.running));
    return { key.first, key.second, fade * (mean + explore),
        { { "mean", mean }, { "explore", explore }, { "weight", prior }, { "fade", fade } } };
}

Bandit::Choice Bandit::choose(const std::vector<std::string>& proposers, NodeId head, Rng& rng)
{
    Choice choice;
    choice.arms = available(proposers, head);
    ConsideredArm arm = best(choice.arms);
    choice.reason = choice.arms.size() == 1 ? "is the one to use there" : "has the best prospects";
    // Always two draws, so that the number of arms does not move the draws that follow.
    const double floor = rng.uniform();
    const double pick = rng.uniform();
    std::vector<ConsideredArm> free;
    std::copy_if(choice.arms.begin(), choice.arms.end(), std::back_inserter(free), [](const ConsideredArm& candidate) {
        return candidate.memory == MemoryMode::None && usesMemory(candidate.proposer);
    });
    if (choice.arms.size() > 1 && floor < anyArm) {
        arm = choice.arms[static_cast<std::size_t>(pick * static_cast<double>(choice.arms.size()))];
        choice.reason = "was drawn at random, as one choice in twenty is";
    } else if (!free.empty() && free.size() < choice.arms.size() && floor < anyArm + memoryFree) {
        arm = best(free);
        choice.reason = "works without memory, as one choice in ten does";
    }
    choice.proposer = arm.proposer;
    choice.memory = arm.memory;
    m_arms[{ arm.proposer, arm.memory }].running += 1;
    return choice;
}

void Bandit::update(const std::string& proposer, MemoryMode memory, NodeId head, double reward, double weight)
{
    for (auto& [key, arm] : m_arms) {
        arm.tries *= fading;
        arm.earned *= fading;
        arm.running *= fading;
    }
    Arm& arm = m_arms[{ proposer, memory }];
    arm.tries += weight;
    arm.earned += weight * std::clamp(reward, 0.0, 1.0);
    arm.running = std::max(0.0, arm.running - 1);
    double& barren = m_barren[{ head, proposer }];
    barren = reward > 0 ? 0 : barren + weight;
}

} // namespace rooftree::search
