// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/outputs.h"

#include <cstring>

namespace rooftree::worker {

Result<OutputBuffers> OutputBuffers::make(
    const std::vector<spec::Tensor>& tensors, const spec::Axes& axes, ElementWidth width)
{
    auto bytes = tensorBytes(tensors, axes, width);
    if (!bytes)
        return bytes.error();
    auto layout = layoutOf(*bytes);
    auto file = MemoryFile::make(layout.fileBytes);
    if (!file)
        return file.error();
    OutputBuffers buffers(std::move(layout), std::move(file).value());
    buffers.poison(Poison::NotANumber);
    return buffers;
}

void OutputBuffers::poison(Poison kind)
{
    constexpr int allOnes = 0xFF; // a NaN in every floating format
    constexpr int pattern = 0xA5;
    for (std::size_t i = 0; i < m_layout.regions.size(); ++i) {
        const auto bytes = writable(i);
        if (!bytes.empty())
            std::memset(bytes.data(), kind == Poison::NotANumber ? allOnes : pattern, bytes.size());
    }
    fillCanaries(m_file.bytes(), m_layout);
}

std::optional<std::string> OutputBuffers::damage(const std::vector<spec::Tensor>& tensors) const
{
    const auto damaged = findCanaryDamage(m_file.bytes(), m_layout);
    if (!damaged)
        return std::nullopt;
    const auto size = static_cast<int64_t>(m_layout.regions[damaged->tensor].dataBytes);
    const std::string where = damaged->offset < 0 ? std::to_string(-damaged->offset) + " bytes before its start"
                                                  : std::to_string(damaged->offset - size) + " bytes behind its end";
    return "It wrote outside its buffers: beside the output \"" + tensors[damaged->tensor].name + "\", " + where + ".";
}

} // namespace rooftree::worker
