// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"
#include "core/target/device.h"
#include "core/target/peaks.h"

#include <cmath>

namespace rooftree::target {

namespace {

int64_t integer(const Json& object, const char* key, int64_t fallback = 0)
{
    const auto it = object.find(key);
    return it != object.end() && it->is_number_integer() ? it->get<int64_t>() : fallback;
}

double rate(const Json& object, const char* key)
{
    const double value = jsonValue(object, key, 0.0);
    return std::isfinite(value) && value > 0 ? value : 0;
}

std::string text(const Json& object, const char* key)
{
    return jsonValue(object, key, std::string());
}

} // namespace

Json toJson(const Peaks& peaks)
{
    return { { "bandwidth_gbs", peaks.bandwidthGBs }, { "cache_bandwidth_gbs", peaks.cacheBandwidthGBs },
        { "core_bandwidth_gbs", peaks.coreBandwidthGBs }, { "gflops32", peaks.gflops32 },
        { "gflops64", peaks.gflops64 } };
}

Peaks peaksFromJson(const Json& json)
{
    return { rate(json, "bandwidth_gbs"), rate(json, "cache_bandwidth_gbs"), rate(json, "core_bandwidth_gbs"),
        rate(json, "gflops32"), rate(json, "gflops64") };
}

Json toJson(const Device& device)
{
    return { { "id", device.id }, { "kind", device.kind }, { "name", device.name }, { "threads", device.threads },
        { "l1_bytes", device.l1Bytes }, { "l2_bytes", device.l2Bytes },
        { "last_level_cache_bytes", device.lastLevelCacheBytes }, { "memory_bytes", device.memoryBytes },
        { "features", device.features }, { "peaks", toJson(device.peaks) } };
}

Result<Device> deviceFromJson(const Json& json)
{
    Device device;
    if (json.is_object()) {
        device.id = text(json, "id");
        device.kind = text(json, "kind");
    }
    if (device.id.empty() || device.kind.empty())
        return Error{ ErrorCode::Parse, "A device must be an object with \"id\" and \"kind\".", {} };
    device.name = text(json, "name");
    const int64_t threads = integer(json, "threads", 1);
    if (threads < 1 || threads > 1 << 20)
        return Error{ ErrorCode::Parse, "The device " + device.id + " has an impossible number of threads.", {} };
    device.threads = static_cast<int>(threads);
    device.l1Bytes = integer(json, "l1_bytes");
    device.l2Bytes = integer(json, "l2_bytes");
    device.lastLevelCacheBytes = integer(json, "last_level_cache_bytes");
    device.memoryBytes = integer(json, "memory_bytes");
    device.features = jsonValue(json, "features", std::vector<std::string>());
    device.peaks = peaksFromJson(jsonValue(json, "peaks", Json::object()));
    return device;
}

Json toJson(const Toolchain& toolchain)
{
    return { { "language", toolchain.language }, { "name", toolchain.name }, { "path", toolchain.path },
        { "version", toolchain.version }, { "identity", toolchain.identity }, { "why", toolchain.why } };
}

Result<Toolchain> toolchainFromJson(const Json& json)
{
    Toolchain toolchain;
    if (json.is_object()) {
        toolchain.language = text(json, "language");
        toolchain.name = text(json, "name");
    }
    if (toolchain.language.empty() || toolchain.name.empty())
        return Error{ ErrorCode::Parse, "A toolchain must be an object with \"language\" and \"name\".", {} };
    toolchain.path = text(json, "path");
    toolchain.version = text(json, "version");
    toolchain.identity = text(json, "identity");
    toolchain.why = text(json, "why");
    return toolchain;
}

} // namespace rooftree::target
