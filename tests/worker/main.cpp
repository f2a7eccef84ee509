// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/childmain.h"
#include "tests/worker/tst_admission.h"
#include "tests/worker/tst_containment.h"
#include "tests/worker/tst_evaluate.h"
#include "tests/worker/tst_parts.h"
#include "tests/worker/tst_protocol.h"
#include "tests/worker/tst_server.h"

#include <QTest>

#include <cstring>

namespace {

template <typename Test> int run(int argc, char** argv)
{
    Test test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace

// The evaluator starts its children from this very program.
int main(int argc, char** argv)
{
    if (argc == 3 && std::strcmp(argv[1], rooftree::worker::childArgument) == 0)
        return rooftree::worker::childMain(argv[2]);
    using namespace rooftree::worker::test;
    // tst_worker CLASS [arguments of Qt Test] runs one of them.
    const std::pair<const char*, int (*)(int, char**)> tests[]{ { "protocol", run<TestProtocol> },
        { "parts", run<TestParts> }, { "evaluate", run<TestEvaluate> }, { "containment", run<TestContainment> },
        { "admission", run<TestAdmission> }, { "server", run<TestServer> } };
    int failures = 0;
    for (const auto& [name, test] : tests) {
        if (argc > 1 && std::strcmp(argv[1], name) == 0)
            return test(argc - 1, argv + 1);
    }
    for (const auto& each : tests)
        failures += each.second(argc, argv);
    return failures;
}
