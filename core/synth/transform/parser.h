// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/kernel/candidate.h"
#include "core/synth/transform/analysis.h"

#include <memory>

namespace rooftree::synth::transform {

// libclang behind values. System headers are precompiled once per set of includes, which makes a parse some 10 ms.
// One thread at a time.
class Parser {
public:
    Parser();
    ~Parser();
    Parser(const Parser&) = delete;
    Parser& operator=(const Parser&) = delete;

    // A source that does not compile gives an analysis with errors and without functions. Only the main file is
    // analysed.
    Result<std::unique_ptr<Analysis>> parse(const kernel::Candidate& candidate);
    // Whether it compiles with OpenMP 5.1's rules: the pragmas are looked at too.
    bool compiles(const kernel::Candidate& candidate);

    static constexpr std::size_t maxSourceBytes = 256 << 10;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace rooftree::synth::transform
