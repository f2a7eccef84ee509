// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/childbuffers.h"

#include <cerrno>
#include <sys/mman.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

namespace rooftree::worker {

namespace {
constexpr std::size_t guardBytes = 64 << 10;
constexpr std::size_t cacheLine = 64;
}

void ChildBuffers::unmap()
{
    if (m_base)
        ::munmap(m_base, m_bytes);
    m_base = nullptr;
    m_tensors = 0;
}

int ChildBuffers::mapTensor(const MapTensor& tensor, int file, int protection, std::byte*& at)
{
    at += guardBytes;
    void* mapped = ::mmap(at, tensor.regionBytes, protection, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file,
        static_cast<off_t>(tensor.regionOffset));
    if (mapped == MAP_FAILED)
        return errno;
    m_arguments[m_tensors] = reinterpret_cast<uint64_t>(at + (tensor.dataOffset - tensor.regionOffset));
    m_ranges[m_tensors] = { at, at + tensor.regionBytes, (protection & PROT_WRITE) == 0 };
    ++m_tensors;
    at += tensor.regionBytes;
    return 0;
}

int ChildBuffers::map(const MapMessage& message, int inputFile, int outputFile)
{
    unmap();
    const int tensors = message.inputs + message.outputs;
    m_argumentCount = tensors + message.axes;
    if (message.inputs < 0 || message.outputs < 0 || message.axes < 0 || tensors > maxTensors
        || m_argumentCount > maxArguments)
        return E2BIG;
    m_bytes = guardBytes;
    for (int i = 0; i < tensors; ++i)
        m_bytes += message.tensors[i].regionBytes + guardBytes;
    void* base = ::mmap(nullptr, m_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return errno;
    m_base = static_cast<std::byte*>(base);
    std::byte* at = m_base;
    for (int i = 0; i < tensors; ++i) {
        const bool input = i < message.inputs;
        const int error = mapTensor(
            message.tensors[i], input ? inputFile : outputFile, input ? PROT_READ : PROT_READ | PROT_WRITE, at);
        if (error != 0)
            return error;
    }
    for (int i = 0; i < message.axes; ++i)
        m_arguments[tensors + i] = static_cast<uint64_t>(message.axisValues[i]);
    return 0;
}

void ChildBuffers::flushLines() const
{
#ifdef __x86_64__
    for (int i = 0; i < m_tensors; ++i) {
        for (const std::byte* line = m_ranges[i].begin; line < m_ranges[i].end; line += cacheLine)
            _mm_clflush(line);
    }
    _mm_mfence();
#endif
}

FaultPlace ChildBuffers::placeOf(const void* address, int& tensor) const
{
    const auto* at = static_cast<const std::byte*>(address);
    constexpr uintptr_t firstPages = 64 << 10;
    if (reinterpret_cast<uintptr_t>(at) < firstPages)
        return FaultPlace::NearNull;
    if (!m_base || at < m_base || at >= m_base + m_bytes)
        return FaultPlace::Elsewhere;
    for (int i = 0; i < m_tensors; ++i) {
        const auto& range = m_ranges[i];
        if (at >= range.begin && at < range.end) {
            tensor = i;
            return range.readOnly ? FaultPlace::ReadOnlyInput : FaultPlace::BesideBuffer;
        }
        if (at >= range.begin - guardBytes / 2 && at < range.end + guardBytes / 2)
            tensor = i;
    }
    return FaultPlace::BesideBuffer;
}

} // namespace rooftree::worker
