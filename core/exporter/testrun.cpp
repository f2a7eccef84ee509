// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"
#include "core/base/machinelock.h"
#include "core/base/process.h"
#include "core/exporter/exporter.h"
#include "core/exporter/exporttree.h"
#include "core/exporter/kernelsources.h"
#include "core/kernel/tunables.h"

namespace fs = std::filesystem;

namespace rooftree::exporter {

namespace {

constexpr int64_t configureMs = 120'000;
constexpr int64_t buildMs = 600'000;
constexpr int64_t testMs = 600'000;

class TestRun {
public:
    TestRun(fs::path source, fs::path build, std::string compiler, const std::atomic<bool>* cancel)
        : m_source(std::move(source))
        , m_build(std::move(build))
        , m_compiler(std::move(compiler))
        , m_cancel(cancel)
    {
    }

    Status all(bool native)
    {
        std::vector<std::string> configure{ "cmake", "-S", m_source.string(), "-B", m_build.string(),
            "-DCMAKE_BUILD_TYPE=Release", std::string("-DROOFTREE_NATIVE=") + (native ? "ON" : "OFF") };
        if (findProgram("ninja")) // about twice as fast as make
            configure.insert(configure.end(), { "-G", "Ninja" });
        if (findProgram(m_compiler))
            configure.push_back("-DCMAKE_CXX_COMPILER=" + m_compiler);
        auto done = step("Configuring", std::move(configure), configureMs);
        if (done)
            done = step("Building", { "cmake", "--build", m_build.string() }, buildMs);
        if (done)
            done = step("Testing",
                { "ctest", "--test-dir", m_build.string(), "--output-on-failure", "--no-tests=error" }, testMs);
        return done;
    }

    const std::string& log() const { return m_log; }

private:
    Status step(const std::string& what, std::vector<std::string> argv, int64_t timeoutMs)
    {
        ProcessSpec spec;
        spec.argv = std::move(argv);
        spec.timeoutMs = timeoutMs;
        spec.cancel = m_cancel;
        const auto result = runProcess(spec);
        if (!result)
            return Error{ ErrorCode::Environment,
                "CMake is needed to test the export before it is committed. Install it: sudo apt-get install cmake "
                "make g++",
                result.error().text };
        m_log += result->out + result->err;
        if (result->canceled)
            return Error{ ErrorCode::Failed, "The export was canceled; nothing was committed.", m_log };
        if (result->timedOut)
            return Error{ ErrorCode::Failed, what + " the exported project took too long; nothing was committed.",
                m_log };
        if (!result->succeeded())
            return Error{ ErrorCode::Failed,
                what
                    + " the exported project failed; nothing was committed. See the details, or export with "
                      "--no-verify-tests.",
                m_log };
        return success();
    }

    fs::path m_source;
    fs::path m_build;
    std::string m_compiler;
    const std::atomic<bool>* m_cancel;
    std::string m_log;
};

} // namespace

Result<std::string> testExport(
    const std::vector<ExportFile>& files, const ExportRequest& request, const std::atomic<bool>* cancel)
{
    auto folder = TemporaryDir::make("rooftree-export");
    if (!folder)
        return folder.error();
    const auto sources = folder->path() / "source";
    if (const auto written = writeTree(sources, files); !written)
        return written.error();
    const MachineLock lock(MachineLock::Mode::Work, cancel);
    const auto project = sources / slugOf(request.op.name);
    const auto compiler = kernel::buildOptions(request.candidate).compiler;
    std::string log;
    // As most users build it, and as it was measured.
    for (const bool native : { false, true }) {
        TestRun run(project, folder->path() / (native ? "native" : "portable"), compiler, cancel);
        if (const auto done = run.all(native); !done)
            return done.error();
        log += run.log();
    }
    return log;
}

} // namespace rooftree::exporter
