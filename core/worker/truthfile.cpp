// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/truthfile.h"

#include <cstring>

namespace rooftree::worker {

namespace {

void putCount(std::string& out, uint64_t value)
{
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T> void putLists(std::string& out, const std::vector<std::vector<T>>& lists)
{
    putCount(out, lists.size());
    for (const auto& list : lists) {
        putCount(out, list.size());
        out.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
    }
}

std::optional<uint64_t> takeCount(std::string_view& in)
{
    uint64_t value = 0;
    if (in.size() < sizeof value)
        return std::nullopt;
    std::memcpy(&value, in.data(), sizeof value);
    in.remove_prefix(sizeof value);
    return value;
}

template <typename T> bool takeLists(std::string_view& in, std::vector<std::vector<T>>& lists)
{
    const auto count = takeCount(in);
    for (uint64_t i = 0; count && i < *count; ++i) {
        const auto size = takeCount(in);
        if (!size || *size > in.size() / sizeof(T))
            return false;
        std::vector<T> list(*size);
        if (*size > 0)
            std::memcpy(list.data(), in.data(), *size * sizeof(T));
        in.remove_prefix(*size * sizeof(T));
        lists.push_back(std::move(list));
    }
    return count.has_value();
}

} // namespace

std::string truthToBytes(const CaseTruth& truth)
{
    std::string out;
    putLists(out, truth.floating);
    putLists(out, truth.integers);
    putLists(out, truth.condition);
    return out;
}

std::optional<CaseTruth> truthFromBytes(std::string_view bytes)
{
    CaseTruth truth;
    if (!takeLists(bytes, truth.floating) || !takeLists(bytes, truth.integers) || !takeLists(bytes, truth.condition)
        || !bytes.empty())
        return std::nullopt;
    return truth;
}

} // namespace rooftree::worker
