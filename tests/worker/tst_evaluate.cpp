// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/worker/tst_evaluate.h"
#include "tests/worker/fixture.h"

#include <QTest>

#include <algorithm>
#include <fstream>
#include <thread>

namespace rooftree::worker::test {

namespace {

using measure::EvaluationStatus;
using measure::RungStatus;

const measure::Rung& rung(const measure::Evaluation& evaluation, const std::string& name)
{
    for (const auto& rung : evaluation.certificate) {
        if (rung.name == name)
            return rung;
    }
    qFatal("no rung %s", name.c_str());
    return evaluation.certificate.front();
}

DuelRequest duelOf(const std::string& candidate, const std::string& incumbent)
{
    DuelRequest request;
    request.job = JobId{ 1 };
    request.candidate = requestFor(affine(), candidate).candidate;
    request.incumbent = requestFor(affine(), incumbent).candidate;
    request.processes = 3;
    request.pairsPerProcess = 3;
    request.maxMs = 5'000;
    return request;
}

// Work that takes time but does not change the result.
std::string delayed(int rounds)
{
    return "for (int r = 0; r < " + std::to_string(rounds) + "; ++r) { " + goodBody
        + " asm volatile(\"\" ::: \"memory\"); }";
}

} // namespace

void TestEvaluate::goodKernelPassesEveryRung()
{
    const auto evaluation = evaluateAffine(goodBody);
    QVERIFY2(evaluation.passed(), statusText(evaluation).c_str());
    QVERIFY(evaluation.reason.empty());
    QCOMPARE(evaluation.cases.size(), std::size_t{ 3 });
    QCOMPARE(evaluation.cases[0].axes.at("n"), 4000); // the operator's order, whatever was run first
    for (const auto& result : evaluation.cases) {
        QCOMPARE(result.correctness->elements, result.axes.at("n"));
        QCOMPARE(result.correctness->wrong, 0);
        QVERIFY(result.correctness->deterministic == true);
    }
    for (const char* name : { "compile", "launch", "shape_dtype", "finite", "tolerance", "ulp_histogram", "determinism",
             "shape_sweep", "held_out_shapes", "timed_recheck" })
        QVERIFY2(rung(evaluation, name).status == RungStatus::Pass, name);
    for (const char* name : { "sanitizer", "adversarial_values" })
        QVERIFY2(rung(evaluation, name).status == RungStatus::NotRun && !rung(evaluation, name).reason.empty(), name);
    QVERIFY2(evaluation.suspicions.empty(), evaluation.suspicions.empty() ? "" : evaluation.suspicions.front().c_str());
    QCOMPARE(evaluation.objectHash.size(), std::size_t{ 64 });
    QVERIFY(evaluation.compiler.starts_with("g++ "));
    QVERIFY(evaluation.flags.find("-O3") != std::string::npos);
    QVERIFY(evaluation.environment.find("sandbox level") != std::string::npos);
    std::vector<std::string> names;
    for (const auto& stage : evaluation.stages)
        names.push_back(stage.name);
    QCOMPARE(names, (std::vector<std::string>{ "build", "verify", "time", "profile", "diagnose" }));
}

void TestEvaluate::timesHaveTheirSamples()
{
    const auto evaluation = evaluateAffine(delayed(20));
    QVERIFY2(evaluation.passed(), statusText(evaluation).c_str());
    for (const auto& result : evaluation.cases) {
        QCOMPARE(result.timing.has_value(), result.role == spec::Role::Tune);
        if (!result.timing)
            continue;
        const auto& timing = *result.timing;
        QVERIFY(timing.samplesNs.size() >= 7);
        QVERIFY(timing.medianNs > 0 && timing.loNs <= timing.medianNs && timing.medianNs <= timing.hiNs);
        QVERIFY(timing.medianNs * static_cast<double>(timing.innerCalls) >= 0.4e6);
        QVERIFY(timing.innerCalls > 1);
        QVERIFY(result.floorNs > 0);
    }
    QVERIFY(evaluation.cases[0].timing->medianNs > evaluation.cases[1].timing->medianNs);
    QVERIFY(evaluation.rooflineFraction > 0);
    QVERIFY(!evaluation.bound.empty() && !evaluation.boundEvidence.empty());
    auto request = requestFor(affine(), affineKernel(goodBody));
    request.time = false;
    QCOMPARE(evaluate(affine(), request).stages[2].status, measure::StageStatus::NotRun);
}

void TestEvaluate::fasterThanPhysicsIsNotBelieved()
{
    Machine machine = evaluator().machine();
    constexpr double snail = 1e-3;
    machine.device.peaks = { snail, snail, snail, snail, snail };
    Evaluator slow(machine);
    JobContext context(nullptr, {});
    const auto evaluation = slow.evaluate(affine(), requestFor(affine(), affineKernel(goodBody)), context);
    QVERIFY(evaluation.ok() && evaluation->passed());
    const auto& all = evaluation->suspicions;
    const auto floors = std::count_if(
        all.begin(), all.end(), [](const std::string& s) { return s.find("floor") != std::string::npos; });
    QCOMPARE(floors, 2); // one per timed case
}

void TestEvaluate::heldOutCasesAreTimedOnRequest()
{
    auto request = requestFor(affine(), affineKernel(goodBody));
    request.timeHeldOut = true;
    for (const auto& result : evaluate(affine(), request).cases)
        QVERIFY(result.timing.has_value());
}

void TestEvaluate::coldCallsAreTakenOneByOne()
{
    auto request = requestFor(affine(), affineKernel(goodBody));
    request.timing.cache = measure::CacheMode::Cold;
    request.timing.minSamples = 3;
    const auto evaluation = evaluate(affine(), request);
    QVERIFY2(evaluation.passed(), statusText(evaluation).c_str());
    QCOMPARE(evaluation.cases[0].timing->innerCalls, 1);
    QCOMPARE(evaluation.cases[0].timing->cache, measure::CacheMode::Cold);
}

void TestEvaluate::slowCandidateIsGivenUp()
{
    auto request = requestFor(affine(), affineKernel(delayed(200)));
    request.timing.minSamples = 20;
    request.timing.giveUpAbove = 1;
    const auto evaluation = evaluate(affine(), request);
    QVERIFY(evaluation.passed());
    QVERIFY(evaluation.cases[1].timing->samplesNs.size() >= 20); // the first in order of size
    QCOMPARE(evaluation.cases[0].timing->samplesNs.size(), std::size_t{ 1 });
}

void TestEvaluate::sourcesWithSeveralFilesWork()
{
    auto request = requestFor(affine(), affineKernel("helper(x, y, n);", "#include \"parts/helper.h\""));
    request.candidate.files.push_back(
        { "parts/helper.h", "#pragma once\n#include <cstdint>\nvoid helper(const float* x, float* y, int64_t n);\n" });
    request.candidate.files.push_back({ "parts/helper.cpp",
        "#include \"helper.h\"\nvoid helper(const float* x, float* y, int64_t n) {" + std::string(goodBody) + "}\n" });
    const auto evaluation = evaluate(affine(), request);
    QVERIFY2(evaluation.passed(), statusText(evaluation).c_str());
}

void TestEvaluate::secondBuildComesFromTheCache()
{
    auto request = requestFor(affine(), affineKernel(std::string("/* cache */") + goodBody));
    request.time = false;
    const auto first = evaluate(affine(), request);
    const auto second = evaluate(affine(), request);
    QCOMPARE(second.objectHash, first.objectHash);
    QVERIFY2(second.stages[0].ms < 0.5 * first.stages[0].ms, qPrintable(QString::number(second.stages[0].ms)));
    request.candidate.files[0].content = "// rooftree: flags {\"-O1\"}\n" + request.candidate.files[0].content;
    QVERIFY(evaluate(affine(), request).objectHash != first.objectHash);
}

void TestEvaluate::damagedCacheEntryIsBuiltAgain()
{
    auto request = requestFor(affine(), affineKernel(std::string("/* damage */") + goodBody));
    request.time = false;
    const auto first = evaluate(affine(), request);
    for (const auto& entry : std::filesystem::directory_iterator(cacheFolder() / "objects")) {
        std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(2000);
        file.write("damage", 6);
    }
    const auto second = evaluate(affine(), request);
    QVERIFY2(second.passed(), statusText(second).c_str());
    QCOMPARE(second.objectHash, first.objectHash);
}

void TestEvaluate::flagsAreTheCandidatesOwn()
{
    const auto with = [](const std::string& flags, Purpose purpose = Purpose::Candidate) {
        auto request = requestFor(affine(), "// rooftree: flags {\"" + flags + "\"}\n" + affineKernel(goodBody));
        request.time = false;
        request.purpose = purpose;
        return evaluate(affine(), request);
    };
    QCOMPARE(with("-O1 -funroll-loops").flags, std::string("-O1 -funroll-loops"));
    for (const char* flags : { "-fplugin=evil.so", "-Wl,--wrap=x", "-O2 -specs=x", "@file", "-o /tmp/x",
             "-include /etc/passwd", "-lm", "-fdump-tree-all=/tmp/x", "-I/etc" }) {
        const auto evaluation = with(flags);
        QVERIFY2(evaluation.status == EvaluationStatus::CompileError, flags);
        QVERIFY2(evaluation.reason.find("is not allowed") != std::string::npos, evaluation.reason.c_str());
    }
    QVERIFY(with("-O2 -lm", Purpose::Baseline).passed());
}

void TestEvaluate::compilerMustBeKnown()
{
    auto request = requestFor(affine(), "// rooftree: compiler {\"/bin/sh\"}\n" + affineKernel(goodBody));
    const auto evaluation = evaluate(affine(), request);
    QCOMPARE(evaluation.status, EvaluationStatus::CompileError);
    QVERIFY2(evaluation.reason.find("g++") != std::string::npos, evaluation.reason.c_str());
}

void TestEvaluate::missingCompilerIsNotTheCandidatesFault()
{
    Machine machine = evaluator().machine();
    for (auto& toolchain : machine.toolchains)
        toolchain.why = "g++ was not found. Install it.";
    Evaluator poor(machine);
    JobContext context(nullptr, {});
    const auto outcome = poor.evaluate(affine(), requestFor(affine(), affineKernel(goodBody)), context);
    QVERIFY(!outcome.ok());
    QCOMPARE(outcome.error().code, ErrorCode::Environment);
}

void TestEvaluate::openMpUsesTheGivenThreads()
{
    const auto threads = std::to_string(evaluator().machine().device.threads);
    const auto evaluation = evaluateAffine(
        "int64_t seen = 0;\n#pragma omp parallel\n{\n#pragma omp single\nseen = omp_get_num_threads();\n}\n"
        "#pragma omp parallel for\nfor (int64_t i = 0; i < n; ++i) y[i] = seen == "
            + threads + " ? 2 * x[i] + 1 : 0;",
        "#include <omp.h>");
    QVERIFY2(evaluation.passed(), statusText(evaluation).c_str());
}

void TestEvaluate::clangBuildsToo()
{
    for (const auto& toolchain : evaluator().machine().toolchains) {
        if (toolchain.name == "clang++" && !toolchain.usable())
            QSKIP("there is no clang++ here");
    }
    auto request = requestFor(affine(),
        "// rooftree: compiler {\"clang++\"}\n" + affineKernel("\n#pragma omp parallel for\n" + std::string(goodBody)));
    request.limits.runMs = 10'000;
    const auto evaluation = evaluate(affine(), request);
    QVERIFY2(evaluation.passed(), statusText(evaluation).c_str());
    QVERIFY(evaluation.compiler.starts_with("clang++ "));
}

void TestEvaluate::differentBitsAreNotedNotPunished()
{
    const auto evaluation =
        evaluateAffine("static int calls = 0; ++calls; for (int64_t i = 0; i < n; ++i) { y[i] = 2 * x[i] + 1; } y[0] = "
                       "__builtin_nextafterf(y[0], calls % 2 ? 1e9f : -1e9f);");
    QVERIFY2(evaluation.passed(), statusText(evaluation).c_str());
    QCOMPARE(rung(evaluation, "determinism").status, RungStatus::Fail);
    QVERIFY(rung(evaluation, "bitwise").status != RungStatus::Pass);
}

void TestEvaluate::skippingTimedCallsIsCaught()
{
    const auto evaluation = evaluateAffine(std::string("static int calls = 0; if (++calls > 40) return;") + goodBody);
    QCOMPARE(evaluation.status, EvaluationStatus::IncorrectNumerical);
    QVERIFY2(evaluation.reason.find("when timed") != std::string::npos, evaluation.reason.c_str());
    QCOMPARE(rung(evaluation, "timed_recheck").status, RungStatus::Fail);
}

void TestEvaluate::integerOperatorsAreCompared()
{
    const auto op = operatorFrom(R"(
name = "count"
family = "reduction"
description = "How often each index occurs."
axes = { n = "var", bins = "var" }
[[inputs]]
name = "ids"
shape = ["n"]
dtype = "int32"
fill = { kind = "indices", of = "bins" }
[[outputs]]
name = "counts"
shape = ["bins"]
dtype = "int64"
[reference]
language = "cpp"
file = "reference.cpp"
[cost]
flops = "n"
bytes = "4 * n + 8 * bins"
[check]
mode = "bitwise"
[[cases]]
axes = { n = 5000, bins = 11 }
)",
        "extern \"C\" void count(const int32_t* ids, int64_t* counts, int64_t n, int64_t bins)\n"
        "{ for (int64_t b = 0; b < bins; ++b) counts[b] = 0; for (int64_t i = 0; i < n; ++i) ++counts[ids[i]]; }\n");
    QVERIFY2(op.ok(), op.ok() ? "" : op.error().text.c_str());
    const std::string head = "#include <cstdint>\nextern \"C\" void count(const int32_t* ids, int64_t* counts, int64_t "
                             "n, int64_t bins)\n{\n";
    const std::string zero = "for (int64_t b = 0; b < bins; ++b) counts[b] = 0;";
    const auto good =
        evaluate(*op, requestFor(*op, head + zero + "for (int64_t i = 0; i < n; ++i) ++counts[ids[i]];\n}\n"));
    QVERIFY2(good.passed(), statusText(good).c_str());
    QCOMPARE(rung(good, "bitwise").status, RungStatus::Pass);
    const auto offByOne =
        evaluate(*op, requestFor(*op, head + zero + "for (int64_t i = 1; i < n; ++i) ++counts[ids[i]];\n}\n"));
    QCOMPARE(offByOne.status, EvaluationStatus::IncorrectNumerical);
    QVERIFY2(offByOne.reason.find("1 of 11") != std::string::npos, offByOne.reason.c_str());
}

void TestEvaluate::canceledJobEndsSoon()
{
    std::atomic<bool> cancel{ false };
    JobContext context(&cancel, {});
    auto request = requestFor(affine(), affineKernel("for (;;) asm volatile(\"\");"));
    request.limits.runMs = 60'000;
    std::thread other([&] {
        QTest::qSleep(1500);
        cancel = true;
    });
    const int64_t start = Clock::system().monotonicNs();
    const auto outcome = evaluator().evaluate(affine(), request, context);
    other.join();
    QVERIFY(context.canceled() && !outcome.ok());
    QVERIFY((Clock::system().monotonicNs() - start) / 1'000'000 < 10'000);
    QTRY_COMPARE_WITH_TIMEOUT(descendants(), 0, 2000);
}

void TestEvaluate::manyJobsAtOnce()
{
    std::vector<std::thread> threads;
    std::atomic<int> passed{ 0 };
    for (int i = 0; i < 6; ++i) {
        threads.emplace_back([&passed, i] {
            const std::string body = i % 3 == 2 ? "abort();" : goodBody;
            const auto evaluation = evaluate(
                affine(), requestFor(affine(), affineKernel(body, "#include <cstdlib>\n// " + std::to_string(i))));
            passed += evaluation.passed() == (i % 3 != 2) ? 1 : 0;
        });
    }
    for (auto& thread : threads)
        thread.join();
    QCOMPARE(passed.load(), 6);
    QTRY_COMPARE_WITH_TIMEOUT(descendants(), 0, 2000);
}

void TestEvaluate::duelOfAKernelWithItself()
{
    JobContext context(nullptr, {});
    const auto kernel = affineKernel(delayed(10));
    const auto outcome = evaluator().duel(affine(), duelOf(kernel, kernel), context);
    QVERIFY(outcome.ok());
    const auto& result = *outcome;
    QVERIFY(result.pairs >= 9);
    QCOMPARE(result.cases.size(), std::size_t{ 2 });
    QVERIFY2(
        result.speedup.value > 0.8 && result.speedup.value < 1.25, qPrintable(QString::number(result.speedup.value)));
    QTRY_COMPARE_WITH_TIMEOUT(descendants(), 0, 2000);
}

void TestEvaluate::duelFindsTheFasterOne()
{
    JobContext context(nullptr, {});
    const auto slow = affineKernel(delayed(60));
    const auto fast = affineKernel(delayed(20));
    const auto faster = evaluator().duel(affine(), duelOf(fast, slow), context);
    QVERIFY(faster.ok());
    QCOMPARE(faster->verdict, measure::Verdict::Faster);
    QVERIFY(faster->speedup.value > 1.5);
    const auto slower = evaluator().duel(affine(), duelOf(slow, fast), context);
    QCOMPARE(slower->verdict, measure::Verdict::Slower);
}

void TestEvaluate::duelNeedsWorkingKernels()
{
    JobContext context(nullptr, {});
    const auto good = affineKernel(goodBody);
    const auto crash = evaluator().duel(affine(), duelOf(affineKernel("__builtin_trap();"), good), context);
    QVERIFY(!crash.ok());
    QCOMPARE(crash.error().code, ErrorCode::Failed);
    QVERIFY(crash.error().text.find("candidate") != std::string::npos);
    const auto broken = evaluator().duel(affine(), duelOf(good, "not C++"), context);
    QVERIFY(!broken.ok());
    QVERIFY(broken.error().text.find("incumbent") != std::string::npos);
}

} // namespace rooftree::worker::test
