// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernel/candidate.h"
#include "core/spec/expression.h"

#include <map>
#include <string>
#include <vector>

namespace rooftree::kernel {

// Tunables are ordinary source lines:
//   #define TILE 64   // rooftree: tune {16, 32, 64, 128}
//   // rooftree: require TILE * UNROLL <= 512
//   // rooftree: flags {"-O3 -march=native", "-O3 -march=native -ffast-math"}      the first one is the value
//   // rooftree: compiler {"g++", "clang++"}                                       the first one is the value
// In Python, for later languages: BLOCK = 128   # rooftree: tune {64, 128, 256}
struct Tunable {
    std::string name; // the macro or variable; "flags" and "compiler" for these two
    std::vector<std::string>
        values; // as written, without quotes; sorted for flags and compiler so that the order carries no meaning
    std::string current;
    std::size_t file = 0; // index into Candidate::files
    std::size_t line = 0; // from 0
};

// name -> value, one for every tunable.
using Configuration = std::map<std::string, std::string>;

struct TuningSpace {
    std::vector<Tunable> tunables;
    std::vector<spec::Expression> requirements;
    Configuration current() const;
    // True when every requirement holds; non-numeric values take part as the index of the value.
    bool allows(const Configuration& configuration) const;
    double size() const; // product of the value counts, before requirements
};

// An Error names file, line and remedy: a value that is not in its list is added silently, an empty list or an unknown
// name in a requirement is an error. No tunables at all gives an empty space.
Result<TuningSpace> readTunables(const Candidate& candidate);

// The candidate with these values written into their lines; names that it does not have are ignored.
Candidate withConfiguration(const Candidate& candidate, const Configuration& configuration);

// Hash of the source with the tunables' values blanked: candidates that differ by retuning only share it.
std::string structureHash(const Candidate& candidate);

// What the source asks of the compiler: the "flags" and "compiler" lines, else the defaults
// "-O3 -march=native" and "g++".
struct BuildOptions {
    std::string compiler;
    std::vector<std::string> flags;
};
BuildOptions buildOptions(const Candidate& candidate);

} // namespace rooftree::kernel
