// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/synth/transform/analysis.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

// Subscripts as polynomials over symbols: i * n + j is {[i,n]: 1, [j]: 1}. Pure functions.
namespace rooftree::synth::transform {

struct Polynomial {
    std::map<std::vector<int>, int64_t>
        terms; // sorted symbols of the monomial -> coefficient; the empty one is the constant
    std::set<int> hidden; // symbols inside parts that are no polynomial: x[i], i / 2
    bool exact = true; // false: there are such parts

    bool mentions(int symbol) const;
    bool isZero() const { return terms.empty() && exact; }
    // The factor of a symbol, when it occurs linearly; zero when it does not occur at all.
    Polynomial coefficient(int symbol) const;
    bool isConstant() const { return exact && (terms.empty() || (terms.size() == 1 && terms.begin()->first.empty())); }
    int64_t constant() const;
};
Polynomial operator+(const Polynomial& a, const Polynomial& b);
Polynomial operator-(const Polynomial& a, const Polynomial& b);
Polynomial operator*(const Polynomial& a, const Polynomial& b);

// Which symbols are ever written after their declaration; constants of a function may be looked through.
std::set<int> writtenSymbols(const Analysis& analysis);

// Reads subscripts; looks through locals that never change ("const int64_t i = i0 + ii"). One per analysis.
class AffineReader {
public:
    explicit AffineReader(const Analysis& analysis);
    Polynomial read(const Node& node) const
    {
        m_steps = 0;
        return read(node, 0);
    }

    // What a subscript or pointer use touches: the array that it ends in, and the position.
    struct Access {
        int array = -1;
        std::vector<Polynomial> subscripts; // several for real multi-dimensional arrays
        bool known = false;
    };
    Access place(const Use& use) const;
    // Where a pointer argument points: the array, or the container that "v.data()" and "v.begin()" belong to; -1 when not followed.
    Access pointer(const Node& argument) const;
    bool changes(int symbol) const { return m_written.contains(symbol); }

private:
    Polynomial read(const Node& node, int depth) const;
    Polynomial hidden(const Node& node, int depth) const;
    Polynomial readConstant(const Node& name, int depth) const;
    // pointer = base + offset, followed to a pointer that is not a changeless local.
    bool resolve(const Node& pointer, int& array, Polynomial& offset, int depth) const;

    const Analysis& m_analysis;
    std::set<int> m_written;
    std::map<int, const Node*>
        m_starts; // counters of loops that do not begin at 0: the counter stands for what is added
    std::set<int> m_counters;
    mutable int m_steps = 0; // looking through locals may double the work at each: bounded
};

} // namespace rooftree::synth::transform
