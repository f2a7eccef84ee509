// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/spec/operator.h"
#include "core/synth/transform/analysis.h"
#include "core/synth/transform/dependence.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

// A move is one kind of change to a source. Adding one: a file in moves/ and a line in movelist.cpp.
namespace rooftree::synth::transform {

// What a move may look at. Lives for one proposal.
struct Context {
    const Analysis& analysis;
    const DependenceTester& dependence;
    const spec::Operator& op;
    std::string bound; // of the parent: "memory", "compute", ...; empty: unknown
    int threads = 1;
    bool clang = false; // clang++ can build candidates
    // The analysis of a changed source, for moves in several steps; nothing when it does not compile.
    std::function<std::unique_ptr<Analysis>(const std::string&)> analyse;
};

// One place where a move can be made.
struct Site {
    std::string key; // "interchange:matmul/i/j": the same for the same place of an edited source
    std::string title; // "swap the loops over i and j (line 7)"
    double weight = 1; // how promising, 1 is ordinary
    int loop = -1; // index into Analysis::loops, when it is about a loop
    int variant = 0;
};

struct Move {
    const char* name;
    const char* technique;
    const char* description;
    std::vector<Site> (*sites)(const Context& context);
    // The changed source; nothing when it turns out not to be possible there.
    std::optional<std::string> (*apply)(const Context& context, const Site& site);
};

// The registration list.
const std::vector<Move>& moves();

// "the loop over i (line 7)"
std::string loopTitle(const Analysis& analysis, const Loop& loop);
std::string siteKey(const std::string& move, const Loop& loop, const std::string& variant = {});
// An OpenMP construct around the loop needs its nest as it is: collapse, tile, unroll.
bool nestIsPinned(const Analysis& analysis, const Loop& loop);
// This loop or one around it runs in a parallel region already.
bool insideParallel(const Analysis& analysis, const Loop& loop);
bool hasParallelInside(const Analysis& analysis, const Loop& loop);
// "reduction(+: sum, count) reduction(max: largest)", with the blank before it; empty without reductions.
std::string reductionClauses(const Analysis& analysis, const std::vector<Reduction>& reductions);
int indexOf(const Analysis& analysis, const Loop& loop);
// The depth of the deepest nest below and with this loop: 1 for an innermost one.
int heightOf(const Analysis& analysis, const Loop& loop);
// A short loop with a constant bound around straight code: a vector in disguise.
bool isLaneLoop(const Analysis& analysis, const Node& node);
bool containsLoop(const Node& node);
// A loop over what is left when strips or lanes do not fit: rarely worth a change.
bool isRest(const Analysis& analysis, const Loop& loop);
std::string upperCase(std::string_view text);
// "#define NAME value // rooftree: tune {values}\n"
std::string tunableLine(const std::string& name, int value, const std::vector<int>& values);
// Removes the pragma lines of a loop that the test picks.
void removePragmas(const Loop& loop, const std::function<bool(const std::string&)>& test, Edits& edits);

// Puts lines before and behind a loop, in braces when it is the only statement of something. Without indentation, each
// with its line end.
void surround(
    const Analysis& analysis, const Loop& loop, const std::string& before, const std::string& behind, Edits& edits);
// The body of a loop for a place of another indentation: " {...}" or a line of its own, pragmas included, with the line
// end.
std::string bodyText(const Analysis& analysis, const Loop& loop, const std::string& indent);
// "for (...)"
std::string headerText(const Analysis& analysis, const Loop& loop);
bool simplePlace(const Node& subscript); // can be written twice: no calls, no assignments
std::string elementType(const Analysis& analysis, const Use& use);

} // namespace rooftree::synth::transform
