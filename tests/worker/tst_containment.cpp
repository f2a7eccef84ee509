// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/worker/tst_containment.h"
#include "tests/worker/fixture.h"

#include <QTest>

namespace rooftree::worker::test {

namespace {

using measure::EvaluationStatus;

void verifyNothingIsLeft()
{
    QTRY_COMPARE_WITH_TIMEOUT(descendants(), 0, 2000);
    auto request = requestFor(affine(), affineKernel(goodBody));
    request.time = false;
    const auto good = evaluate(affine(), request);
    QVERIFY2(good.passed(), statusText(good).c_str());
}

struct Row {
    const char* name;
    const char* before;
    const char* body;
    EvaluationStatus status;
    const char* reason; // part of it
};

const Row rows[]{
    { "null pointer", "", "*(volatile int*)nullptr = 1;", EvaluationStatus::RuntimeError, "null pointer" },
    { "infinite loop", "", "for (;;) asm volatile(\"\");", EvaluationStatus::Timeout, "did not finish" },
    { "sleep", "#include <unistd.h>", "sleep(300);", EvaluationStatus::Timeout, "did not finish" },
    { "abort", "#include <cstdlib>", "abort();", EvaluationStatus::RuntimeError, "SIGABRT" },
    { "exception", "", "throw 1;", EvaluationStatus::RuntimeError, "SIGABRT" },
    { "division by zero", "", "volatile int zero = 0; y[0] = static_cast<float>(static_cast<int>(n) / zero);",
        EvaluationStatus::RuntimeError, "SIGFPE" },
    { "stack overflow", "int f(int d) { volatile char a[4096]; a[0] = d; return f(d + 1) + a[0]; }", "y[0] = f(0);",
        EvaluationStatus::RuntimeError, "SIGSEGV" },
    { "early exit", "#include <cstdlib>", "exit(0);", EvaluationStatus::RuntimeError, "exit code 0" },
    { "early _exit", "#include <unistd.h>", "_exit(0);", EvaluationStatus::RuntimeError, "exit code 0" },
    { "hang in a static initialiser", "struct H { H() { for (;;) asm volatile(\"\"); } } h;", "",
        EvaluationStatus::Timeout, "did not finish" },
    { "abort in a static initialiser", "#include <cstdlib>\nstruct H { H() { abort(); } } h;", "",
        EvaluationStatus::RuntimeError, "SIGABRT" },
    { "exit in a static initialiser", "#include <unistd.h>\nstruct H { H() { _exit(0); } } h;", "",
        EvaluationStatus::RuntimeError, "exit code 0" },
    { "far behind the buffer", "", "y[n + 5000] = 1;", EvaluationStatus::RuntimeError,
        "outside its buffers, beside \"y\"" },
    { "far before the buffer", "", "y[-6000] = 1;", EvaluationStatus::RuntimeError,
        "outside its buffers, beside \"y\"" },
    { "reads behind the input", "", "y[0] = x[n + 8000];", EvaluationStatus::RuntimeError,
        "outside its buffers, beside \"x\"" },
    { "one element too many", "", "for (int64_t i = 0; i <= n; ++i) y[i] = 2 * x[i] + 1;",
        EvaluationStatus::RuntimeError, "behind its end" },
    { "one element before", "", "for (int64_t i = 0; i < n; ++i) y[i] = 2 * x[i] + 1; y[-1] = 0;",
        EvaluationStatus::RuntimeError, "4 bytes before its start" },
    { "writes to the input", "", "const_cast<float*>(x)[0] = 0;", EvaluationStatus::RuntimeError,
        "wrote to the input \"x\"" },
    { "opens the input for writing", "#include <sys/mman.h>",
        "mprotect((void*)((uintptr_t)x & ~uintptr_t(4095)), 4096, PROT_READ | PROT_WRITE); const_cast<float*>(x)[0] = "
        "0;",
        EvaluationStatus::RuntimeError, "wrote to the input \"x\"" },
    { "closes everything", "#include <unistd.h>", "for (int i = 0; i < 1000; ++i) close(i);",
        EvaluationStatus::RuntimeError, "ended its process" },
    { "wrong", "", "for (int64_t i = 0; i < n; ++i) y[i] = 2 * x[i] + 1.001f;", EvaluationStatus::IncorrectNumerical,
        "elements are wrong" },
    { "not a number", "", "for (int64_t i = 0; i < n; ++i) y[i] = __builtin_nanf(\"\");",
        EvaluationStatus::IncorrectNumerical, "got nan" },
    { "nothing written", "", "", EvaluationStatus::IncorrectNumerical, "7 of 7" },
    { "last element missing", "", "for (int64_t i = 0; i + 1 < n; ++i) y[i] = 2 * x[i] + 1;",
        EvaluationStatus::IncorrectNumerical, "1 of 7" },
    { "only the first call works", "static bool done = false;",
        "if (done) return; done = true; for (int64_t i = 0; i < n; ++i) y[i] = 2 * x[i] + 1;",
        EvaluationStatus::IncorrectNumerical, "7 of 7" },
    { "a thread writes later", "#include <thread>\n#include <chrono>",
        "std::thread([=] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); for (int64_t i = 0; i < n; ++i) "
        "y[i] = 2 * x[i] + 1; }).detach();",
        EvaluationStatus::IncorrectNumerical, "7 of 7" },
    { "answers for the child", "#include <unistd.h>", "write(3, \"0123456789abcdef0123456789abcdef0123456789\", 40);",
        EvaluationStatus::Rejected, "interfered" },
    { "more memory than allowed", "#include <cstdlib>\n#include <cstring>",
        "char* p = (char*)malloc(10ull << 30); memset(p, 1, 10ull << 30); y[0] = p[n];", EvaluationStatus::RuntimeError,
        "SIGSEGV" },
    // With the system call filter these find that they cannot do it; the kernel itself is right.
    { "kills its parent", "#include <csignal>\n#include <unistd.h>",
        "kill(getppid(), SIGKILL); for (int64_t i = 0; i < n; ++i) y[i] = 2 * x[i] + 1;", EvaluationStatus::Passed,
        "" },
    { "fork bomb", "#include <unistd.h>",
        "for (int i = 0; i < 300; ++i) if (fork() == 0) for (;;) pause(); for (int64_t i = 0; i < n; ++i) y[i] = 2 * "
        "x[i] + 1;",
        EvaluationStatus::Passed, "" },
    { "leaves a process", "#include <unistd.h>\n#include <sys/syscall.h>",
        "if (syscall(SYS_clone, 0, 0, 0, 0, 0) == 0) { setsid(); sleep(300); _exit(0); } for (int64_t i = 0; i < n; "
        "++i) y[i] = 2 * x[i] + 1;",
        EvaluationStatus::Passed, "" },
    { "starts a program", "#include <unistd.h>",
        "execl(\"/bin/sleep\", \"sleep\", \"300\", nullptr); for (int64_t i = 0; i < n; ++i) y[i] = 2 * x[i] + 1;",
        EvaluationStatus::Passed, "" },
};

} // namespace

void TestContainment::candidateCostsItselfOnly_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < std::size(rows); ++i)
        QTest::newRow(rows[i].name) << static_cast<int>(i);
}

void TestContainment::candidateCostsItselfOnly()
{
    QFETCH(int, index);
    const Row& row = rows[index];
#ifdef __SANITIZE_ADDRESS__
    if (std::string_view(row.name) == "more memory than allowed")
        QSKIP("a child that is built with a sanitizer has no limit on its address space");
#endif
    if (evaluator().machine().sandbox.level < 1 && row.status == EvaluationStatus::Passed)
        QSKIP("needs a kernel with system call filters");
    auto request = requestFor(affine(), affineKernel(row.body, row.before));
    request.time = false;
    const auto evaluation = evaluate(affine(), request);
    QVERIFY2(evaluation.status == row.status, statusText(evaluation).c_str());
    QVERIFY2(evaluation.reason.find(row.reason) != std::string::npos, statusText(evaluation).c_str());
    QCOMPARE(evaluation.certificate.size(), std::size_t{ 13 });
    QCOMPARE(evaluation.stages.front().name, std::string("build"));
    verifyNothingIsLeft();
}

void TestContainment::compilerCostsThatCandidateOnly_data()
{
    QTest::addColumn<QByteArray>("source");
    QTest::addColumn<QByteArray>("status");
    std::string errors;
    for (int i = 0; i < 3'000; ++i)
        errors += "int v" + std::to_string(i) + " = undeclared_name_number_" + std::to_string(i) + ";\n";
    QTest::newRow("syntax error") << QByteArray("this is not C++\n") << QByteArray("COMPILE_ERROR");
    QTest::newRow("megabytes of errors") << QByteArray::fromStdString(errors) << QByteArray("COMPILE_ERROR");
    QTest::newRow("endless file") << QByteArray("#include \"/dev/zero\"\n") << QByteArray("COMPILE_ERROR");
    QTest::newRow("undefined symbol") << QByteArray::fromStdString(affineKernel("missing(); (void)x; (void)y; (void)n;",
        "extern void missing();")) << QByteArray("COMPILE_ERROR");
    QTest::newRow("exponential templates") << QByteArray(
        "template <unsigned long N, int D> struct A { static constexpr long v = A<2 * N, D - 1>::v + A<2 * N + 1, D - "
        "1>::v; };\n"
        "template <unsigned long N> struct A<N, 0> { static constexpr long v = N; };\nlong a = A<1, 40>::v;\n")
                                           << QByteArray("TIMEOUT");
    QTest::newRow("infinite recursion of templates")
        << QByteArray("template <int N> struct A { static constexpr int v = A<N + 1>::v; };\nint a = A<0>::v;\n")
        << QByteArray("COMPILE_ERROR");
}

void TestContainment::compilerCostsThatCandidateOnly()
{
    QFETCH(QByteArray, source);
    QFETCH(QByteArray, status);
    auto request = requestFor(affine(), source.toStdString());
    request.limits.buildMs = status == "TIMEOUT" ? 1'500 : 60'000;
    request.limits.outputBytes = 64 << 10;
    const auto evaluation = evaluate(affine(), request);
    const bool limited =
        status == "TIMEOUT" && evaluation.status == EvaluationStatus::CompileError; // memory ran out first
    QVERIFY2(
        limited || QByteArray(measure::statusName(evaluation.status).data()) == status, statusText(evaluation).c_str());
    QVERIFY(!evaluation.reason.empty());
    QCOMPARE(evaluation.stages.front().status, measure::StageStatus::Failed);
    QVERIFY(evaluation.stages.front().log.size() < (66u << 10));
    verifyNothingIsLeft();
}

void TestContainment::chattyCandidateIsCutShort()
{
    auto request = requestFor(affine(),
        affineKernel(std::string("static int calls = 0; if (calls++ == 0) for (int i = 0; i < 1000000; ++i) "
                                 "puts(\"this line is printed over and over again, 64 bytes long!\");")
                + goodBody,
            "#include <cstdio>"));
    request.time = false;
    request.limits.runMs = 20'000;
    request.limits.outputBytes = 100'000;
    const auto evaluation = evaluate(affine(), request);
    QVERIFY2(evaluation.passed(), statusText(evaluation).c_str());
    const auto& log = evaluation.stages[1].log;
    QVERIFY(log.size() > 99'000 && log.size() < 101'000);
    QVERIFY(log.find("more bytes were printed and dropped") != std::string::npos);
    verifyNothingIsLeft();
}

} // namespace rooftree::worker::test
