// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/synth/proposer.h"

#include <filesystem>
#include <map>
#include <optional>

namespace rooftree::synth::library {

// Hand-written kernels from resources/kernels/cpp/<operator>/<variant>.cpp, offered at the root, one after the other by
// name. An operator without a folder gets those of its family that take the same parameters; verification tells whether
// they compute it.
class LibraryProposer : public Proposer {
public:
    LibraryProposer();
    explicit LibraryProposer(std::filesystem::path kernels);
    std::string name() const override { return "library"; }
    Result<std::vector<Proposal>> propose(const ProposalRequest& request) override;

private:
    struct Kernel {
        std::string variant; // "packed"; "matmul-packed" when it is a relative's
        std::string ownEntry; // the name that it has in the file
        std::filesystem::path file;
    };
    std::vector<Kernel> kernelsFor(const spec::Operator& op);
    std::vector<Kernel> inFolder(const std::string& name, const std::string& prefix) const;

    std::filesystem::path m_dir;
    std::map<std::string, std::vector<Kernel>> m_found; // by the operator's hash
};

} // namespace rooftree::synth::library
