// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// The "rooftree:" comments of one source text, found without understanding the language around them. Pure; any thread.
namespace rooftree::kernel {

enum class DirectiveKind { Tune, Require, Flags, Compiler };

//   #define TILE 64   // rooftree: tune {16, 32, 64}
//           name value                 list = "{16, 32, 64}"
struct Directive {
    DirectiveKind kind = DirectiveKind::Tune;
    std::size_t line = 0; // from 0
    std::string name; // Tune
    std::size_t valueBegin = 0; // Tune: where the value stands in the text
    std::size_t valueSize = 0;
    bool quoted = false; // Tune: the value stands in quotes
    std::string current; // Tune: without quotes
    std::size_t listBegin = 0; // everything but Require; with the braces
    std::size_t listSize = 0;
    std::vector<std::string> values; // of the list, as written, without quotes, each once
    std::string expression; // Require
    std::string problem; // what is wrong and the remedy; empty: the directive is sound
};

// In the order of the text. Cost is linear in the size of the text, whatever it holds.
std::vector<Directive> scanDirectives(std::string_view text);

// {"-O3", "-O3 -ffast-math"}: the values in quotes.
std::string quotedList(const std::vector<std::string>& values);

} // namespace rooftree::kernel
