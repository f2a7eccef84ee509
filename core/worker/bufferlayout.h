// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/spec/operator.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Where tensors lie in a memory file. Each has pages of its own and ends as late in them as an alignment of 64 bytes allows; a child maps
// every region between two pages that cannot be touched:
//
//   | untouchable | canary ... | the tensor's bytes | canary, 0 to 63 bytes | untouchable |
//                 ^ regionOffset ^ dataOffset (64-byte aligned)
namespace rooftree::worker {

struct Region {
    std::size_t regionOffset = 0;
    std::size_t regionBytes = 0; // whole pages
    std::size_t dataOffset = 0; // from the start of the file
    std::size_t dataBytes = 0;
};

struct BufferLayout {
    std::vector<Region> regions;
    std::size_t fileBytes = 0;

    std::span<std::byte> data(std::span<std::byte> file, std::size_t tensor) const
    {
        return file.subspan(regions[tensor].dataOffset, regions[tensor].dataBytes);
    }
};

BufferLayout layoutOf(const std::vector<std::size_t>& tensorBytes);

void fillCanaries(std::span<std::byte> file, const BufferLayout& layout);
// Which tensor's surroundings were changed and where; nothing when all is well.
struct CanaryDamage {
    std::size_t tensor = 0;
    int64_t offset =
        0; // of the first changed byte from the tensor's start: negative before it, at least dataBytes behind it
};
std::optional<CanaryDamage> findCanaryDamage(std::span<const std::byte> file, const BufferLayout& layout);

// Bytes of each tensor in a case. Refuses what no memory could hold.
enum class ElementWidth { Native, Real }; // Real: floating tensors as double
Result<std::vector<std::size_t>> tensorBytes(
    const std::vector<spec::Tensor>& tensors, const spec::Axes& axes, ElementWidth width);

} // namespace rooftree::worker
