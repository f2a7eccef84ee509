// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/blobs.h"

#include "core/base/sha256.h"

#include <zstd.h>

namespace rooftree::store {

namespace {

constexpr int compressionLevel = 3;
// Larger than any evaluation with its logs, small enough that a hostile file cannot fill the memory.
constexpr std::size_t maxBlobBytes = 512u << 20;

struct ContextDeleter {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

std::string compressed(std::string_view text)
{
    thread_local const std::unique_ptr<ZSTD_CCtx, ContextDeleter> context(ZSTD_createCCtx());
    std::string out(ZSTD_compressBound(text.size()), '\0');
    const auto size =
        ZSTD_compressCCtx(context.get(), out.data(), out.size(), text.data(), text.size(), compressionLevel);
    out.resize(ZSTD_isError(size) ? 0 : size);
    return out;
}

std::optional<std::string> decompressed(std::string_view data)
{
    thread_local const std::unique_ptr<ZSTD_DCtx, ContextDeleter> context(ZSTD_createDCtx());
    const auto size = ZSTD_getFrameContentSize(data.data(), data.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > maxBlobBytes)
        return std::nullopt;
    std::string out(size, '\0');
    if (ZSTD_decompressDCtx(context.get(), out.data(), out.size(), data.data(), data.size()) != size)
        return std::nullopt;
    return out;
}

} // namespace

Result<std::string> storeBlob(Database& database, std::string_view text)
{
    if (text.size() > maxBlobBytes)
        return Error{ ErrorCode::Io,
            "A result of more than 512 MiB cannot be stored. Shorten the kernel's output or its logs." };
    auto name = sha256Hex(text);
    const auto data = compressed(text);
    Query query(database, "INSERT OR IGNORE INTO blob(hash, raw_size, data) VALUES(?, ?, ?)");
    query.bind(name);
    query.bind(static_cast<int64_t>(text.size()));
    query.bindBytes(data);
    query.next();
    if (auto status = query.status(); !status)
        return status.error();
    return name;
}

Result<std::string> loadBlob(Database& database, std::string_view name)
{
    Query query(database, "SELECT data FROM blob WHERE hash = ?");
    query.bind(name);
    if (query.next()) {
        auto text = decompressed(query.bytes(0));
        if (text && sha256Hex(*text) == name)
            return *std::move(text);
        return Error{ ErrorCode::Parse,
            "A stored part of '" + database.path() + "' is damaged. Restore the session from a backup.",
            "blob " + std::string(name) };
    }
    if (auto status = query.status(); !status)
        return status.error();
    return Error{ ErrorCode::Parse,
        "A stored part of '" + database.path() + "' is missing. Restore the session from a backup.",
        "blob " + std::string(name) };
}

} // namespace rooftree::store
