// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/bufferlayout.h"

#include <algorithm>
#include <cstring>

namespace rooftree::worker {

namespace {

#ifdef __x86_64__
constexpr std::size_t pageBytes = 4 << 10;
#else
constexpr std::size_t pageBytes = 64 << 10; // the largest in use
#endif
constexpr std::size_t alignment = 64;
constexpr std::byte canary{ 0xC5 };

std::size_t roundedUp(std::size_t value, std::size_t to)
{
    return (value + to - 1) / to * to;
}

std::optional<std::size_t> firstChanged(std::span<const std::byte> bytes)
{
    const auto it = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b != canary; });
    if (it == bytes.end())
        return std::nullopt;
    return static_cast<std::size_t>(it - bytes.begin());
}

} // namespace

BufferLayout layoutOf(const std::vector<std::size_t>& tensorBytes)
{
    BufferLayout layout;
    for (const std::size_t bytes : tensorBytes) {
        const std::size_t padded = std::max(roundedUp(bytes, alignment), alignment);
        Region region;
        region.regionOffset = layout.fileBytes;
        region.regionBytes = roundedUp(padded, pageBytes);
        region.dataOffset = region.regionOffset + region.regionBytes - padded;
        region.dataBytes = bytes;
        layout.fileBytes += region.regionBytes;
        layout.regions.push_back(region);
    }
    return layout;
}

void fillCanaries(std::span<std::byte> file, const BufferLayout& layout)
{
    for (const auto& region : layout.regions) {
        const auto end = region.dataOffset + region.dataBytes;
        std::memset(
            file.data() + region.regionOffset, static_cast<int>(canary), region.dataOffset - region.regionOffset);
        std::memset(file.data() + end, static_cast<int>(canary), region.regionOffset + region.regionBytes - end);
    }
}

std::optional<CanaryDamage> findCanaryDamage(std::span<const std::byte> file, const BufferLayout& layout)
{
    for (std::size_t i = 0; i < layout.regions.size(); ++i) {
        const auto& region = layout.regions[i];
        const std::size_t before = region.dataOffset - region.regionOffset;
        if (const auto at = firstChanged(file.subspan(region.regionOffset, before)))
            return CanaryDamage{ i, static_cast<int64_t>(*at) - static_cast<int64_t>(before) };
        const std::size_t end = region.dataOffset + region.dataBytes;
        if (const auto at = firstChanged(file.subspan(end, region.regionOffset + region.regionBytes - end)))
            return CanaryDamage{ i, static_cast<int64_t>(region.dataBytes + *at) };
    }
    return std::nullopt;
}

Result<std::vector<std::size_t>> tensorBytes(
    const std::vector<spec::Tensor>& tensors, const spec::Axes& axes, ElementWidth width)
{
    constexpr std::size_t most = std::size_t{ 1 } << 38;
    std::vector<std::size_t> all;
    std::size_t sum = 0;
    for (const auto& tensor : tensors) {
        auto count = spec::elementCount(tensor, axes);
        if (!count)
            return count.error();
        const bool asDouble = width == ElementWidth::Real && spec::isFloat(tensor.dtype);
        const std::size_t bytes =
            static_cast<std::size_t>(*count) * (asDouble ? sizeof(double) : spec::dtypeSize(tensor.dtype));
        sum += bytes;
        if (bytes > most || sum > most)
            return Error{ ErrorCode::Usage,
                "The tensor " + tensor.name + " needs " + std::to_string(bytes) + " bytes. Use a smaller case.", {} };
        all.push_back(bytes);
    }
    return all;
}

} // namespace rooftree::worker
