// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/synth/transform/affine.h"
#include "core/synth/transform/analysis.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

// Which loops carry values from one iteration to the next. Not a proof: it keeps the obviously wrong out, verification
// does the rest.
namespace rooftree::synth::transform {

struct Reduction {
    int symbol = -1;
    std::string op; // as OpenMP writes it: "+", "*", "max", "min"
    std::string type; // "float"
};

struct Independence {
    std::string
        why; // not independent: the reason; empty when its iterations may run in any order, the reductions aside
    std::vector<Reduction> reductions; // scalars from outside
    std::vector<int> privates; // scalars from outside that every iteration sets before it reads them
    std::vector<int> firstPrivates; // containers from outside that it fills and reads: every thread needs its own
    std::vector<int> arrayReductions; // parameters that it adds to at places that are not its own: histograms
    bool ok() const { return why.empty(); }
    bool plain() const
    {
        return ok() && reductions.empty() && privates.empty() && firstPrivates.empty() && arrayReductions.empty();
    }
};

class DependenceTester {
public:
    explicit DependenceTester(const Analysis& analysis)
        : m_analysis(analysis)
        , m_affine(analysis)
    {
    }
    const Independence& test(const Loop& loop) const; // of this analysis; remembered
    const AffineReader& affine() const { return m_affine; }

    // How far one step of the loop moves through the arrays of its innermost accesses: counts of stride 1, stride 0 and
    // others.
    struct Strides {
        int unit = 0;
        int zero = 0;
        int other = 0;
        bool storesUnit = false;
        bool storesOther = false;
    };
    Strides strides(const Loop& loop) const;

    // What uses and calls write to, containers too.
    std::set<int> writtenArrays(const Uses& uses) const;

    // Nothing that the expression reads changes while the loop runs.
    bool invariant(const Node& expression, const Loop& loop) const;

private:
    Independence tested(const Loop& loop) const;
    void testScalars(const Loop& loop, const Uses& uses, Independence& out) const;
    struct Touch {
        AffineReader::Access access;
        bool write = false;
        bool adds = false; // += and the like
    };
    // All memory that the uses and calls touch; nothing when there is a write that is not followed.
    std::optional<std::vector<Touch>> touches(const Uses& uses) const;
    bool ownable(int symbol) const;
    void testArrays(const Loop& loop, const Uses& uses, Independence& out) const;
    std::string conflict(const Loop& loop, const AffineReader::Access& write, const AffineReader::Access& other) const;
    std::string conflictIn(const Loop& loop, const Polynomial& write, const Polynomial& other) const;
    bool staysInStrip(const Loop& loop, const Polynomial& difference) const;
    bool liesBehind(const Loop& loop, const Polynomial& difference) const;
    static bool sameInAnother(const Polynomial& factor, const Polynomial& difference);
    std::set<int> declaredIn(const Uses& uses) const;

    const Analysis& m_analysis;
    AffineReader m_affine;
    mutable std::map<const Loop*, Independence> m_tested;
};

// All writes of the symbol in the body have the form of one reduction, and nothing else reads it there.
std::optional<Reduction> reductionOf(const Analysis& analysis, const Node& body, int symbol);

} // namespace rooftree::synth::transform
