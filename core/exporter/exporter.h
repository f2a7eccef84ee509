// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/kernel/candidate.h"
#include "core/measure/evaluation.h"
#include "core/spec/operator.h"
#include "core/target/device.h"

#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

// What leaves Rooftree: a kernel with its test, benchmark and provenance, as files and as a commit. Any thread.
namespace rooftree::exporter {

// Everything that an export says. Values only: neither clock nor machine is asked again, so the same request gives the same bytes.
struct ExportRequest {
    spec::Operator op;
    kernel::Candidate candidate;
    measure::Evaluation evaluation; // of the candidate
    std::map<std::string, measure::Interval> speedups; // over each baseline: "naive", "vendor"
    std::map<std::string, measure::Evaluation>
        baselines; // where known: the table of cases and the regressions come from these
    std::string session; // its name, no path
    NodeId node;
    std::vector<NodeId> parents;
    std::string proposer;
    std::string policy;
    int64_t createdMs = 0; // when the node was made
    target::Device device;
    bool humanEdits = false;
    std::string license = "MIT-0"; // SPDX id of the kernel; the files around it are MIT-0
    bool allowUnverified = false; // also a candidate that is not PASSED or has suspicions; the export then says so
    bool strip = false; // leave the "rooftree:" lines out
};

struct ExportFile {
    std::string path; // relative to the repository
    std::string content;
};

// One shape of export. 'make' is pure but for reading the templates in the resources.
struct PresetInfo {
    std::string name;
    std::string description;
    Result<std::vector<ExportFile>> (*make)(const ExportRequest& request);
};
const std::vector<PresetInfo>& presets();
Result<PresetInfo> findPreset(const std::string& name); // NotFound suggests the nearest

struct CommitOptions {
    std::string branch; // empty: rooftree/<session>/<node>
    bool verify = true; // false: the commit says that its tests were not run
    bool allowDirty = false; // although changes of the same files are staged
    const std::atomic<bool>* cancel = nullptr;
};

struct CommitResult {
    std::string branch;
    std::string commit; // full hash; what the branch has when nothing changed
    bool changed = true; // false: the repository had the same bytes already, there is no new commit
    bool verified = false;
    std::string testLog; // of the exported tests
    std::string nextCommand; // shows the commit
};

// Builds and tests the files in a temporary folder, then commits them on their branch from a temporary worktree. Neither the current
// branch nor the index, the work tree or the configuration of the repository is touched, and nothing is pushed. Blocks, for as long
// as the exported project takes to build and test.
Result<CommitResult> exportToRepository(const std::filesystem::path& repository, const std::vector<ExportFile>& files,
    const ExportRequest& request, const CommitOptions& options);

// Configures, builds and tests an exported project, without and with this machine's instruction set. The log, or an Error (Failed) with
// the log as its detail.
Result<std::string> testExport(
    const std::vector<ExportFile>& files, const ExportRequest& request, const std::atomic<bool>* cancel = nullptr);

} // namespace rooftree::exporter
