// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/files.h"
#include "core/engine/enginethread.h"
#include "core/hosts/recordedhost.h"

#include <functional>
#include <map>
#include <optional>

// A whole search without a machine: kernels are texts "quality=Q", a scripted host times them by Q, and proposers write
// new ones.
namespace rooftree::test {

spec::Operator scaleOperator();
kernel::Candidate kernelOfQuality(double quality, const std::string& extra = {});

// Proposes kernels of rising quality; every fifth one does not compile. Ends after 'most' at one node.
class ScriptedProposer : public synth::Proposer {
public:
    explicit ScriptedProposer(int most = 1000)
        : m_most(most)
    {
    }
    std::string name() const override { return "scripted"; }
    Result<std::vector<synth::Proposal>> propose(const synth::ProposalRequest& request) override;

private:
    int m_most;
};

struct Script {
    // By default: time = 1 ms / quality, COMPILE_ERROR for "broken", lost for "lost".
    std::function<hosts::Answer<measure::Evaluation>(const worker::EvaluateRequest&)> evaluate;
    std::function<hosts::Answer<measure::DuelResult>(const worker::DuelRequest&)> duel;
};
hosts::FunctionHost::Functions scriptedHost(const Script& script = {});

engine::EngineOptions scriptedSearch(
    const std::filesystem::path& path, int64_t evaluations, const std::string& policy = "greedy");

// Runs an engine to its end in its own thread and collects what it said.
struct Finished {
    engine::SessionState state;
    engine::EngineStatus status;
    std::vector<std::string> notices;
    uint64_t updates = 0;
    bool numbersWithoutGaps = true;
};
Finished runEngine(engine::EngineOptions options,
    const std::function<void(engine::EngineThread&, const engine::EngineStatus&)>& onUpdate = {});

std::string sessionTree(const std::filesystem::path& path);

} // namespace rooftree::test
