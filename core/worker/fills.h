// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/spec/operator.h"

#include <cstddef>
#include <span>

namespace rooftree::worker {

// Writes a tensor's contents: a pure function of fill, axes, seed and the tensor's number, whatever the count of threads. Every
// element has a random number of its own (counter-based), so that the parts are independent.
Status fillTensor(const spec::Tensor& tensor, const spec::Axes& axes, uint64_t seed, std::size_t tensorNumber,
    std::span<std::byte> into);

} // namespace rooftree::worker
