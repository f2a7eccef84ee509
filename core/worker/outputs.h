// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/spec/operator.h"
#include "core/worker/bufferlayout.h"
#include "core/worker/memoryfile.h"

namespace rooftree::worker {

// The output buffers of a case: the worker's memory, which a child writes and the worker judges.
class OutputBuffers {
public:
    static Result<OutputBuffers> make(
        const std::vector<spec::Tensor>& tensors, const spec::Axes& axes, ElementWidth width);

    // Fills every output with a value that no kernel leaves by accident, and renews the canaries.
    enum class Poison { NotANumber, Pattern };
    void poison(Poison kind);
    std::span<const std::byte> output(std::size_t tensor) const { return m_layout.data(m_file.bytes(), tensor); }
    std::span<std::byte> writable(std::size_t tensor) { return m_layout.data(m_file.bytes(), tensor); }
    // One sentence when something beside an output was changed.
    std::optional<std::string> damage(const std::vector<spec::Tensor>& tensors) const;

    const MemoryFile& file() const { return m_file; }
    const BufferLayout& layout() const { return m_layout; }
    std::size_t bytes() const { return m_layout.fileBytes; }

private:
    OutputBuffers(BufferLayout layout, MemoryFile file)
        : m_layout(std::move(layout))
        , m_file(std::move(file))
    {
    }
    BufferLayout m_layout;
    MemoryFile m_file;
};

} // namespace rooftree::worker
