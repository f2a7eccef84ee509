// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/synth/transform/move.h"

#include <set>

namespace rooftree::synth::transform {

// Unroll-and-jam: F iterations of a loop go side by side through its body.
//
//   for i                                for (i0 = 0; i0 < m; i0 += F)
//       float acc = 0;                       if (i0 + F <= m) {
//       for p                                    float acc[F];
//           acc += a[i][p] * b[p];               for ii: acc[ii] = 0;
//       c[i] = acc;                              for p
//                                                    for ii: acc[ii] += a[i0 + ii][p] * b[p];
//                                                for ii: c[i0 + ii] = acc[ii];
//                                            } else the loop as it was, for the rest
//
// The body falls into runs of straight statements, each of which gets a lane loop over ii, and into loops and
// conditions that do not depend on i, which stay. A local that is used in more than one run becomes an array with an
// element per lane; one that can be computed again ("const float* row = x + i * n") is repeated in every run instead.
// Right when the iterations are independent.
class JamWriter {
public:
    enum class Kind {
        Lanes, // innermost and vectorised
        Rows, // around what is vectorised, unrolled
    };
    JamWriter(const Context& context, const Loop& loop, Kind kind);

    bool possible(); // plans; false when the body has something that cannot go side by side
    int keptLoops() const { return m_keptLoops; } // loops into which lanes went: what makes it worth while
    std::string apply(); // the changed source; after possible()

private:
    struct Item {
        enum class Form { Run, For, If, Verbatim } form = Form::Run;
        std::vector<const Node*> nodes;
        std::vector<Item> then;
        std::vector<Item> otherwise;
    };
    void findDependent();
    bool depends(const Node& expression) const;
    bool replicable(const Node& declaration) const;
    bool uniform(const Node& declaration) const;
    bool changeless(const Node& declaration) const;
    bool keepsFor(const Node& node) const;
    std::vector<Item> plan(const std::vector<const Node*>& statements);
    void planOne(const Node& node, std::vector<Item>& items, bool& open);
    bool jumpsAreContained(const std::vector<Item>& items, bool insideKeptLoop) const;
    void findExpanded(const std::vector<Item>& items);
    bool expandable() const;
    bool shadowed() const;

    void write(const std::vector<Item>& items, const std::string& indent, std::string& out) const;
    void writeRun(const Item& item, const std::string& indent, std::string& out) const;
    void writeFor(const Item& item, const std::string& indent, std::string& out) const;
    void writeIf(const Item& item, const std::string& indent, std::string& out) const;
    void writeExpandedDeclarations(const Item& item, const std::string& indent, std::string& out) const;
    std::string statementText(const Node& node, const std::string& indent) const;
    std::string declarationText(const Node& node, const std::string& indent) const;
    std::string repeated(const std::string& body, const std::string& indent) const;
    std::string withLanes(Range range) const;
    bool usedIn(int symbol, Range range) const;
    std::string leadText(const Node& node, const std::string& indent, bool keepsVector) const;
    std::string runPragma(const Item& item) const;
    std::string strip(const std::string& indent) const;

    const Context& m_context;
    const Analysis& m_analysis;
    const Loop& m_loop;
    Kind m_kind;
    std::set<int> m_dependent; // locals that differ from lane to lane
    std::set<int> m_writtenArrays;
    std::vector<const Node*> m_replicated; // declarations, in source order
    std::vector<int> m_expanded;
    Uses m_uses; // of the body
    std::vector<Item> m_items;
    int m_keptLoops = 0;
    bool m_bad = false;
    std::string m_strip; // i0
    std::string m_lane; // ii
    std::string m_factor; // ROWS_I
};

} // namespace rooftree::synth::transform
