// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernel/candidate.h"
#include "core/target/device.h"
#include "core/worker/diskcache.h"
#include "core/worker/jobcontext.h"
#include "core/worker/memoryfile.h"
#include "core/worker/protocol.h"

#include <memory>

namespace rooftree::worker {

// A loadable object: sealed, so that what runs is what was hashed.
struct Object {
    MemoryFile file;
    std::string hash; // SHA-256
    std::string log; // warnings of the compiler
    std::string compiler; // "g++ 12.2.0"
    std::string flags;
};

// What a build came to. A source that does not compile is a result, not an Error.
struct BuildOutcome {
    std::shared_ptr<const Object> object; // null when it failed
    measure::EvaluationStatus status = measure::EvaluationStatus::Passed; // CompileError or Timeout
    std::string reason; // one sentence
    std::string log;
    std::string compiler;
    std::string flags;
};

struct BuildRequest {
    const kernel::Candidate& candidate;
    Purpose purpose = Purpose::Candidate;
    Limits limits;
};

// Compiles candidates to shared objects, with a cache by content. Blocks; safe from any thread.
class Builder {
public:
    Builder(std::vector<target::Toolchain> toolchains, const std::filesystem::path& cacheDir);
    // An Error is a fault of this machine: no compiler, no disk space.
    Result<BuildOutcome> build(const BuildRequest& request, const JobContext& context) const;

private:
    struct Plan;
    static Plan planFor(
        const BuildRequest& request, const target::Toolchain& toolchain, const std::vector<std::string>& flags);
    Result<BuildOutcome> compile(const Plan& plan, const JobContext& context) const;
    Result<BuildOutcome> compileIn(const std::filesystem::path& dir, const Plan& plan, const JobContext& context) const;
    std::optional<Result<BuildOutcome>> fromCache(const Plan& plan) const;

    std::vector<target::Toolchain> m_toolchains;
    DiskCache m_disk;
};

} // namespace rooftree::worker
