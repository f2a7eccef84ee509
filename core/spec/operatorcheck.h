// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/spec/operator.h"

#include <optional>

namespace rooftree::spec {

// What is wrong with an operator, and where: "name", "axes.rows", "inputs[0].shape", "inputs[1].fill", "cost.flops",
// "cases[2]", "reference". Whoever read it from a file turns the place into a line.
struct Problem {
    std::string place;
    std::string text; // what is wrong, and the remedy
};

// The rules that hold however an operator comes in (a file, the wire). Pure; any thread.
std::optional<Problem> findProblem(const Operator& op);

// Part of findProblem: can these values be made for this tensor in this case?
std::optional<std::string> findFillProblem(const Tensor& tensor, const Axes& axes);

// A name that can be an entry or a parameter of a C++ function; the text says why not.
std::optional<std::string> findNameProblem(const std::string& name);

} // namespace rooftree::spec
