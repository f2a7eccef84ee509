// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/machinelock.h"
#include "core/base/sha256.h"
#include "core/target/peaks.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace rooftree::target {

namespace {

constexpr int64_t keepMs = 30LL * 24 * 3600 * 1000;
constexpr double quietShare = 0.95;
constexpr int mostTries = 3;
constexpr int64_t mostNs = 3'000'000'000; // after which no further try begins
constexpr auto patience = std::chrono::seconds(2);

std::filesystem::path fileOf(const Device& device)
{
    Sha256 hash;
    hash.addPart(device.name);
    for (const int64_t number :
        { static_cast<int64_t>(device.threads), device.l1Bytes, device.l2Bytes, device.lastLevelCacheBytes })
        hash.addPart(std::to_string(number));
    for (const auto& feature : device.features)
        hash.addPart(feature);
    return cacheDir() / ("peaks-" + hash.hex().substr(0, 16) + ".json");
}

std::optional<Peaks> remembered(const std::filesystem::path& file)
{
    const auto text = readFile(file, 1 << 16);
    if (!text)
        return std::nullopt;
    const auto json = parseJson(*text, file.string());
    if (!json || !json->is_object())
        return std::nullopt;
    const auto it = json->find("measured_ms");
    const int64_t measuredMs = it != json->end() && it->is_number_integer() ? it->get<int64_t>() : 0;
    const int64_t nowMs = Clock::system().wallMs();
    if (measuredMs > nowMs || measuredMs < nowMs - keepMs)
        return std::nullopt;
    const auto peaks = peaksFromJson(jsonValue(*json, "peaks", Json::object()));
    const bool whole = peaks.bandwidthGBs > 0 && peaks.coreBandwidthGBs > 0 && peaks.gflops32 > 0 && peaks.gflops64 > 0;
    return whole ? std::optional(peaks) : std::nullopt;
}

// Gives up when builds or timings of ours go on for longer than our patience.
class PatientLock {
public:
    PatientLock()
        : m_timer([this] { waitForEnd(); })
        , m_lock(MachineLock::Mode::Timing, &m_giveUp)
    {
    }
    ~PatientLock()
    {
        {
            const std::lock_guard guard(m_mutex);
            m_ended = true;
        }
        m_wake.notify_one();
        m_timer.join();
    }
    PatientLock(const PatientLock&) = delete;
    PatientLock& operator=(const PatientLock&) = delete;
    bool held() const { return m_lock.held(); }

private:
    void waitForEnd()
    {
        std::unique_lock guard(m_mutex);
        if (!m_wake.wait_for(guard, patience, [this] { return m_ended; }))
            m_giveUp = true;
    }

    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_ended = false;
    std::atomic<bool> m_giveUp = false;
    std::thread m_timer;
    MachineLock m_lock;
};

// The largest of each figure: other programs only ever make them smaller.
PeakMeasurement bestOfTries(const Device& device, const PeakMeasurer& measure)
{
    PeakMeasurement best;
    const int64_t endNs = Clock::system().monotonicNs() + mostNs;
    for (int i = 0; i < mostTries && best.cpuShare < quietShare && Clock::system().monotonicNs() < endNs; ++i) {
        const auto [peaks, share] = measure(device);
        best.cpuShare = std::max(best.cpuShare, share);
        for (auto figure : { &Peaks::bandwidthGBs, &Peaks::cacheBandwidthGBs, &Peaks::coreBandwidthGBs,
                 &Peaks::gflops32, &Peaks::gflops64 })
            best.peaks.*figure = std::max(best.peaks.*figure, peaks.*figure);
    }
    return best;
}

} // namespace

Peaks cachedPeaks(const Device& device)
{
    return cachedPeaks(device, measurePeaksAndShare);
}

Peaks cachedPeaks(const Device& device, const PeakMeasurer& measure)
{
    const auto file = fileOf(device);
    if (const auto peaks = remembered(file))
        return *peaks;
    const PatientLock lock;
    if (const auto peaks = remembered(file)) // another program measured while this one waited
        return *peaks;
    const auto [peaks, share] = bestOfTries(device, measure);
    if (lock.held() && share >= quietShare) {
        const Json json{ { "measured_ms", Clock::system().wallMs() }, { "device", device.name },
            { "peaks", toJson(peaks) } };
        // A cache that cannot be written costs a second at the next start, and nothing else.
        [[maybe_unused]] const auto written = writeFile(file, toLine(json) + "\n");
    }
    return peaks;
}

} // namespace rooftree::target
