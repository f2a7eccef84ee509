// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/machinelock.h"
#include "core/target/peakloops.h"
#include "core/target/peaks.h"
#include "core/target/roofline.h"

#include <QtTest>
#include <filesystem>
#include <set>
#include <thread>

namespace fs = std::filesystem;
using namespace rooftree;
using namespace rooftree::target;

namespace {

class FakeRoot {
public:
    void add(const std::string& path, const std::string& content)
    {
        fs::create_directories((m_dir->path() / path).parent_path());
        QVERIFY(writeFile(m_dir->path() / path, content).ok());
    }
    void addCache(int cpu, int index, int level, const char* type, const char* size, const char* sharers)
    {
        const auto folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index" + std::to_string(index);
        add(folder + "/level", std::to_string(level) + "\n");
        add(folder + "/type", std::string(type) + "\n");
        add(folder + "/size", std::string(size) + "\n");
        add(folder + "/shared_cpu_list", std::string(sharers) + "\n");
    }
    const fs::path& path() const { return m_dir->path(); }

private:
    Result<TemporaryDir> m_dir = TemporaryDir::make("rooftree-target-test");
};

void addProgram(const fs::path& path, const std::string& script)
{
    QVERIFY(writeFile(path, "#!/bin/sh\n" + script).ok());
    fs::permissions(path, fs::perms::owner_all);
}

// PATH with this folder alone while the object lives.
class OnlyPath {
public:
    explicit OnlyPath(const fs::path& folder)
        : m_before(qgetenv("PATH"))
    {
        qputenv("PATH", QByteArray(folder.c_str()));
    }
    ~OnlyPath() { qputenv("PATH", m_before); }
    OnlyPath(const OnlyPath&) = delete;
    OnlyPath& operator=(const OnlyPath&) = delete;

private:
    QByteArray m_before;
};

Device measuredDevice()
{
    Device device;
    device.id = device.kind = "cpu";
    device.threads = 2;
    device.l1Bytes = 32 << 10;
    device.l2Bytes = 1 << 20;
    device.lastLevelCacheBytes = 32 << 20;
    device.peaks = { 20, 80, 400, 200, 100 };
    return device;
}

spec::Operator operatorWith(const char* bytes, const char* flops, spec::DType dtype = spec::DType::Float32)
{
    spec::Operator op;
    op.bytes = *spec::Expression::parse(bytes);
    op.flops = *spec::Expression::parse(flops);
    op.inputs.resize(1);
    op.inputs[0].dtype = dtype;
    return op;
}

} // namespace

class TestTarget : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void readsAServer();
    void readsAVirtualMachineWithoutCaches();
    void readsAnArmBoard();
    void survivesAnEmptyRoot();
    void survivesNonsense();
    void containerLimits();
    void thisMachine();
    void toolchainsOfThisMachine();
    void missingCompiler();
    void clangWithoutOpenMp();
    void brokenCompiler();
    void floorOfMemoryAndCompute();
    void floorFollowsTheCaches();
    void floorWithoutPeaks();
    void peaksArePlausible();
    void peaksAreRemembered();
    void peaksOfABusyMachineAreNotKept();
    void unreadablePeaksAreMeasuredAgain();
    void json();

private:
    Result<TemporaryDir> m_cache = TemporaryDir::make("rooftree-target-cache");
};

void TestTarget::initTestCase()
{
    QVERIFY(m_cache.ok());
    qputenv("XDG_CACHE_HOME", QByteArray(m_cache->path().c_str()));
    qputenv("XDG_RUNTIME_DIR", QByteArray(m_cache->path().c_str())); // a machine lock of its own
}

void TestTarget::readsAServer()
{
    FakeRoot root;
    root.add("proc/cpuinfo",
        "processor\t: 0\nmodel name\t: AMD EPYC 9654 96-Core Processor\nflags\t\t: fpu avx2 fma "
        "avx512f nonsense\n\nprocessor\t: 1\nmodel name\t: other\n");
    root.add("proc/meminfo", "MemTotal:       1000 kB\nMemFree: 5 kB\n");
    for (const int cpu : { 0, 1, 8, 9 }) {
        const auto own = std::to_string(cpu);
        root.addCache(cpu, 0, 1, "Data", "32K", own.c_str());
        root.addCache(cpu, 1, 1, "Instruction", "64K", own.c_str());
        root.addCache(cpu, 2, 2, "Unified", "1024K", own.c_str());
        root.addCache(cpu, 3, 3, "Unified", "32M", cpu < 8 ? "0-7" : "8-15");
    }
    const auto device = cpuFromFiles(root.path(), { 0, 1, 8, 9 });
    QCOMPARE(device.id, "cpu");
    QCOMPARE(device.name, "AMD EPYC 9654 96-Core Processor");
    QCOMPARE(device.threads, 4);
    QCOMPARE(device.l1Bytes, 32 << 10);
    QCOMPARE(device.l2Bytes, 1 << 20);
    QCOMPARE(device.lastLevelCacheBytes, 64 << 20); // both instances
    QCOMPARE(device.memoryBytes, 1000 << 10);
    QCOMPARE(device.features, (std::vector<std::string>{ "avx2", "avx512f", "fma" }));
    // Bound to one of the two, only that one counts.
    QCOMPARE(cpuFromFiles(root.path(), { 0, 1 }).lastLevelCacheBytes, 32 << 20);
}

void TestTarget::readsAVirtualMachineWithoutCaches()
{
    FakeRoot root;
    root.add("proc/cpuinfo", "model name : Virtual CPU\ncache size : 16384 KB\nflags : avx2\n");
    const auto device = cpuFromFiles(root.path(), { 0 });
    QCOMPARE(device.l1Bytes, 0);
    QCOMPARE(device.lastLevelCacheBytes, 16 << 20);
    QCOMPARE(device.memoryBytes, 0);
}

void TestTarget::readsAnArmBoard()
{
    FakeRoot root;
    root.add("proc/cpuinfo", "processor : 0\nFeatures : fp asimd sve\n\nHardware : BCM2835\n");
    root.addCache(0, 0, 1, "Data", "64K", "0");
    root.addCache(0, 1, 2, "Unified", "2M", "");
    const auto device = cpuFromFiles(root.path(), { 0 });
    QCOMPARE(device.name, "BCM2835");
    QCOMPARE(device.features, (std::vector<std::string>{ "asimd", "sve" }));
    QCOMPARE(device.lastLevelCacheBytes, 2 << 20);
}

void TestTarget::survivesAnEmptyRoot()
{
    FakeRoot root;
    const auto device = cpuFromFiles(root.path(), {});
    QCOMPARE(device.threads, 1);
    QVERIFY(!device.name.empty());
    QVERIFY(cpuFromFiles("/nowhere", { 0, 1 }).threads == 2);
}

void TestTarget::survivesNonsense()
{
    FakeRoot root;
    root.add("proc/cpuinfo", std::string("\0\xff\xfe:::\nmodel name : \xc3\x28 \x1b[31m\nflags\n", 34));
    root.add("proc/meminfo", "MemTotal: 99999999999999999999999 kB\n");
    root.addCache(0, 0, 1, "Data", "-32K", "0");
    root.addCache(0, 1, 99, "Data", "hello", "");
    root.addCache(0, 2, 3, "Unified", "999999999999999G", "");
    root.add("sys/fs/cgroup/cpu.max", "0 0\n");
    root.add("sys/fs/cgroup/memory.max", "-5");
    const auto device = cpuFromFiles(root.path(), { 0 });
    QCOMPARE(device.threads, 1);
    QCOMPARE(device.lastLevelCacheBytes, 0);
    QCOMPARE(device.memoryBytes, 0);
}

void TestTarget::containerLimits()
{
    FakeRoot second;
    second.add("proc/meminfo", "MemTotal: 1048576 kB\n");
    second.add("sys/fs/cgroup/cpu.max", "150000 100000\n");
    second.add("sys/fs/cgroup/memory.max", "536870912\n");
    const auto limited = cpuFromFiles(second.path(), { 0, 1, 2, 3 });
    QCOMPARE(limited.threads, 2);
    QCOMPARE(limited.memoryBytes, 512 << 20);
    second.add("sys/fs/cgroup/cpu.max", "max 100000\n");
    second.add("sys/fs/cgroup/memory.max", "max\n");
    const auto unlimited = cpuFromFiles(second.path(), { 0, 1, 2, 3 });
    QCOMPARE(unlimited.threads, 4);
    QCOMPARE(unlimited.memoryBytes, 1 << 30);
    FakeRoot first;
    first.add("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
    first.add("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    QCOMPARE(cpuFromFiles(first.path(), { 0, 1 }).threads, 1);
    first.add("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    QCOMPARE(cpuFromFiles(first.path(), { 0, 1 }).threads, 2);
}

void TestTarget::thisMachine()
{
    const auto device = localCpu();
    QVERIFY(device.threads >= 1 && device.threads <= static_cast<int>(usableCpus().size()));
    QVERIFY(device.memoryBytes > 64 << 20);
    QVERIFY(!device.name.empty());
    QCOMPARE(device.peaks.gflops32, 0.0);
}

void TestTarget::toolchainsOfThisMachine()
{
    const auto toolchains = probeCppToolchains();
    QCOMPARE(toolchains.size(), 2u);
    QCOMPARE(toolchains[0].name, "g++");
    QCOMPARE(toolchains[1].name, "clang++");
    for (const auto& toolchain : toolchains) {
        QCOMPARE(toolchain.language, "cpp");
        if (!toolchain.usable()) // a machine without it says why
            continue;
        QCOMPARE(toolchain.identity.size(), 64u);
        QVERIFY2(toolchain.version.find('.') != std::string::npos, toolchain.version.c_str());
        QVERIFY(fs::exists(toolchain.path));
    }
    QVERIFY2(toolchains[0].usable(), toolchains[0].why.c_str()); // it built this test
    QCOMPARE(probeCppToolchains()[0].identity, toolchains[0].identity);
}

void TestTarget::missingCompiler()
{
    FakeRoot bin;
    const OnlyPath path(bin.path());
    const auto toolchains = probeCppToolchains();
    QVERIFY(!toolchains[0].usable());
    QVERIFY(QByteArray(toolchains[0].why.c_str()).contains("apt-get install g++"));
    QVERIFY(QByteArray(toolchains[1].why.c_str()).contains("apt-get install clang"));
}

void TestTarget::clangWithoutOpenMp()
{
    FakeRoot bin;
    addProgram(bin.path() / "clang++",
        "case \"$1\" in --version) echo 'Ubuntu clang version 18.1.3 (1ubuntu1)';; -dumpmachine) echo "
        "x86_64-linux-gnu;; "
        "*) echo \"trial.cpp:2:10: fatal error: 'omp.h' file not found\" >&2; exit 1;; esac\n");
    const OnlyPath path(bin.path());
    const auto clang = probeCppToolchains()[1];
    QCOMPARE(clang.version, "18.1.3");
    QVERIFY(!clang.usable());
    QVERIFY2(QByteArray(clang.why.c_str()).contains("install libomp-dev"), clang.why.c_str());
}

void TestTarget::brokenCompiler()
{
    FakeRoot bin;
    addProgram(bin.path() / "g++", "exit 3\n");
    addProgram(bin.path() / "clang++",
        "case \"$1\" in --version) echo 'clang version 14.0.6';; -dumpmachine) echo x;; *) echo 'error: out of luck' "
        ">&2; "
        "exit 1;; esac\n");
    const OnlyPath path(bin.path());
    const auto toolchains = probeCppToolchains();
    QVERIFY(!toolchains[0].usable());
    QVERIFY(toolchains[0].identity.empty());
    QVERIFY2(QByteArray(toolchains[1].why.c_str()).contains("out of luck"), toolchains[1].why.c_str());
}

void TestTarget::floorOfMemoryAndCompute()
{
    const auto device = measuredDevice();
    const spec::Axes axes{ { "n", 100'000'000 } };
    auto floor = rooflineFloor(operatorWith("8 * n", "n"), axes, device);
    QVERIFY(floor.memoryBound);
    QCOMPARE(floor.ns, 8e8 / 20);
    floor = rooflineFloor(operatorWith("8 * n", "1000 * n"), axes, device);
    QVERIFY(!floor.memoryBound);
    QCOMPARE(floor.ns, 1e11 / 200);
    floor = rooflineFloor(operatorWith("8 * n", "1000 * n", spec::DType::Float64), axes, device);
    QCOMPARE(floor.ns, 1e11 / 100);
}

void TestTarget::floorFollowsTheCaches()
{
    auto device = measuredDevice();
    const auto op = operatorWith("n", "0");
    QCOMPARE(rooflineFloor(op, { { "n", 33 << 20 } }, device).ns, (33 << 20) / 20.0);
    QCOMPARE(rooflineFloor(op, { { "n", 32 << 20 } }, device).ns, (32 << 20) / 80.0);
    QCOMPARE(rooflineFloor(op, { { "n", 2 << 20 } }, device).ns, (2 << 20) / 400.0);
    device.peaks.cacheBandwidthGBs = device.peaks.coreBandwidthGBs = 0;
    QCOMPARE(rooflineFloor(op, { { "n", 2 << 20 } }, device).ns, (2 << 20) / 20.0);
}

void TestTarget::floorWithoutPeaks()
{
    auto device = measuredDevice();
    device.peaks = {};
    QCOMPARE(rooflineFloor(operatorWith("n", "n"), { { "n", 1000 } }, device).ns, 0.0);
    // An expression that cannot be evaluated asks for nothing.
    QCOMPARE(rooflineFloor(operatorWith("m", "0 - n"), { { "n", 1000 } }, measuredDevice()).ns, 0.0);
}

void TestTarget::peaksArePlausible()
{
    QVERIFY(!usablePeakLoops().empty());
    for (const auto& loops : usablePeakLoops()) {
        std::vector<double> memory(3 * 64 + 8, 1.0);
        auto* aligned = reinterpret_cast<double*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
        loops.triad(aligned, aligned + 64, aligned + 128, 64);
        QCOMPARE(aligned[63], 1.5);
        streamingTriad(aligned, aligned, aligned + 128, 64);
        QCOMPARE(aligned[0], 2.0);
        QVERIFY(loops.sum(aligned, 192) > 0);
        // Every chain ends at 2, and none was left out.
        QVERIFY(loops.fma32(100) == 24 || loops.fma32(100) == 40);
        QCOMPARE(loops.fma64(100), loops.fma32(100));
    }
    const auto [peaks, share] = measurePeaksAndShare(localCpu());
    QVERIFY(share > 0 && share < 1.1);
    qInfo("DRAM %.1f GB/s, last level %.1f, cores %.1f; %.1f and %.1f Gflop/s", peaks.bandwidthGBs,
        peaks.cacheBandwidthGBs, peaks.coreBandwidthGBs, peaks.gflops32, peaks.gflops64);
    QVERIFY(peaks.bandwidthGBs > 0.5 && peaks.bandwidthGBs < 5000);
    QVERIFY(peaks.coreBandwidthGBs > 2);
    QVERIFY(peaks.gflops32 > 1 && peaks.gflops32 < 1e6);
    QVERIFY(peaks.gflops64 > 0.5);
}

void TestTarget::peaksAreRemembered()
{
    auto device = measuredDevice();
    int calls = 0;
    const auto measure = [&](const Device&) {
        ++calls;
        return PeakMeasurement{ { 20, 80, 400, 200, 100.5 * calls }, 1.0 };
    };
    QCOMPARE(cachedPeaks(device, measure).gflops64, 100.5);
    QCOMPARE(cachedPeaks(device, measure).gflops64, 100.5);
    QCOMPARE(calls, 1);
    device.threads = 1; // another device
    QCOMPARE(cachedPeaks(device, measure).gflops64, 201.0);
    QCOMPARE(calls, 2);
}

void TestTarget::peaksOfABusyMachineAreNotKept()
{
    auto device = measuredDevice();
    device.name = "busy";
    int calls = 0;
    const auto busy = [&](const Device&) {
        ++calls;
        return PeakMeasurement{ { 20.0 - calls, 80, 400, 200.0 + calls, 100 }, 0.5 };
    };
    const auto peaks = cachedPeaks(device, busy);
    QCOMPARE(calls, 3);
    QCOMPARE(peaks.bandwidthGBs, 19.0); // the best of the tries, each figure for itself
    QCOMPARE(peaks.gflops32, 203.0);
    (void)cachedPeaks(device, busy);
    QCOMPARE(calls, 6);
    // Work of ours (a build) counts as busy too, however long this one waits for it.
    const MachineLock work(MachineLock::Mode::Work);
    const auto quiet = [&](const Device&) {
        ++calls;
        return PeakMeasurement{ { 1, 1, 1, 1, 1 }, 1.0 };
    };
    (void)cachedPeaks(device, quiet);
    (void)cachedPeaks(device, quiet);
    QCOMPARE(calls, 8);
}

void TestTarget::unreadablePeaksAreMeasuredAgain()
{
    auto device = measuredDevice();
    device.name = "damaged";
    int calls = 0;
    const auto measure = [&](const Device&) {
        ++calls;
        return PeakMeasurement{ { 20, 80, 400, 200, 100 }, 1.0 };
    };
    std::set<fs::path> before;
    for (const auto& entry : fs::directory_iterator(cacheDir()))
        before.insert(entry.path());
    (void)cachedPeaks(device, measure);
    fs::path file;
    for (const auto& entry : fs::directory_iterator(cacheDir()))
        if (!before.contains(entry.path()))
            file = entry.path();
    const auto old =
        R"({"measured_ms":1000,"peaks":{"bandwidth_gbs":9,"core_bandwidth_gbs":1,"gflops32":1,"gflops64":1}})";
    const auto future =
        R"({"measured_ms":99999999999999,"peaks":{"bandwidth_gbs":9,"core_bandwidth_gbs":1,"gflops32":1,"gflops64":1}})";
    int expected = 1;
    for (const char* content :
        { "", "not json", "[]", "3", R"({"measured_ms":"x"})", R"({"measured_ms":1e300})", old, future }) {
        QVERIFY(writeFile(file, content).ok());
        QCOMPARE(cachedPeaks(device, measure).bandwidthGBs, 20.0);
        QCOMPARE(calls, ++expected);
    }
}

void TestTarget::json()
{
    auto device = measuredDevice();
    device.name = "CPU \"x\"";
    device.features = { "avx2" };
    const auto text = toLine(toJson(device));
    const auto again = deviceFromJson(*parseJson(text, "device"));
    QVERIFY(again.ok());
    QCOMPARE(toLine(toJson(*again)), text);
    for (const char* bad : { "[]", "3", "{}", R"({"id":"cpu"})", R"({"id":"cpu","kind":"cpu","threads":0})",
             R"({"id":7,"kind":"cpu"})", R"({"id":"c","kind":"cpu","threads":99999999999})" })
        QVERIFY2(!deviceFromJson(*parseJson(bad, "device")).ok(), bad);
    const auto odd = deviceFromJson(*parseJson(
        R"({"id":"c","kind":"cpu","l1_bytes":1e300,"features":7,"peaks":{"gflops32":-1,"gflops64":"x"}})", "device"));
    QVERIFY(odd.ok());
    QCOMPARE(odd->l1Bytes, 0);
    QCOMPARE(odd->peaks.gflops32, 0.0);

    const Toolchain toolchain{ "cpp", "g++", "/usr/bin/g++", "12.2.0", "abc", "missing" };
    const auto line = toLine(toJson(toolchain));
    const auto read = toolchainFromJson(*parseJson(line, "toolchain"));
    QVERIFY(read.ok() && !read->usable());
    QCOMPARE(toLine(toJson(*read)), line);
    QVERIFY(!toolchainFromJson(*parseJson("[]", "toolchain")).ok());
    QVERIFY(!toolchainFromJson(*parseJson(R"({"name":"g++"})", "toolchain")).ok());
}

QTEST_APPLESS_MAIN(TestTarget)
#include "tst_target.moc"
