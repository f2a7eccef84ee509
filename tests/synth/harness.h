// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/files.h"
#include "core/base/rng.h"
#include "core/kernel/candidate.h"
#include "core/spec/operator.h"
#include "core/synth/proposer.h"

#include <string>
#include <utility>
#include <vector>

// Builds kernels of the form extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) and runs
// them on random data. a is m x k or m x n, b is k x n, c is m x n; all three have room for 4096 elements.
class Harness {
public:
    Harness();
    // What c holds after calls with several sizes; empty when it does not compile, and then log() tells why.
    std::vector<float> run(const std::string& source);
    const std::string& log() const { return m_log; }
    static bool agree(const std::vector<float>& a, const std::vector<float>& b);

private:
    rooftree::TemporaryDir m_dir;
    std::string m_log;
    int m_count = 0;
};

rooftree::spec::Operator testOperator();
rooftree::kernel::Candidate testCandidate(const std::string& source);
rooftree::synth::ProposalRequest testRequest(const std::string& source, uint64_t seed = 1);

// Texts that are no sources, or that would take a parser to its limits, with names.
std::vector<std::pair<const char*, std::string>> brokenSources();

// Sources to start from.
namespace source {
extern const char* matmul;
extern const char* matmulIkj;
extern const char* batched; // nests of four loops with a perfect outer part
extern const char* softmax;
extern const char* normalise;
extern const char* histogram;
extern const char* convolution; // conditions inside the reduction
extern const char* attention; // helper function and a shared vector
extern const char* scan; // a recurrence
extern const char* elementwise;
}
