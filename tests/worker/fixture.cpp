// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/worker/fixture.h"
#include "core/spec/operatorreader.h"

#include <QTest>

#include <map>
#include <set>
#include <unistd.h>

namespace rooftree::worker::test {

const std::filesystem::path& cacheFolder()
{
    static const TemporaryDir dir = TemporaryDir::make("rooftree-test").value();
    return dir.path();
}

Evaluator& evaluator()
{
    static Evaluator instance([] {
        Machine machine = exploreMachine(cacheFolder());
        // Figures that nothing reaches, whatever else this machine is doing: what the tests expect must not depend on it.
        constexpr double outOfReach = 1e5;
        machine.device.peaks = { outOfReach, outOfReach, outOfReach, outOfReach, outOfReach };
        return machine;
    }());
    return instance;
}

Result<spec::Operator> operatorFrom(const std::string& toml, const std::string& reference)
{
    return spec::parseOperator(toml, "operator.toml", { { "reference.cpp", "#include <cstdint>\n" + reference } });
}

const spec::Operator& affine()
{
    static const spec::Operator op = operatorFrom(R"(
name = "affine"
family = "elementwise"
description = "y = 2 x + 1"
axes = { n = "var" }
[[inputs]]
name = "x"
shape = ["n"]
dtype = "float32"
fill = { kind = "normal" }
[[outputs]]
name = "y"
shape = ["n"]
dtype = "float32"
[reference]
language = "cpp"
file = "reference.cpp"
[cost]
flops = "2 * n"
bytes = "8 * n"
[check]
rtol = 1e-6
atol = 1e-7
[[cases]]
axes = { n = 4000 }
[[cases]]
axes = { n = 7 }
[[cases]]
axes = { n = 1021 }
role = "held-out"
)",
        "extern \"C\" void affine(const real* x, real* y, int64_t n) { for (int64_t i = 0; i < n; ++i) y[i] = 2 * x[i] "
        "+ 1; }\n")
                                         .value();
    return op;
}

spec::Operator rowSum(const std::string& check, const std::string& fill)
{
    auto op = operatorFrom(R"(
name = "row_sum"
family = "row-reduction"
description = "sum of each row"
axes = { rows = "var", cols = "var" }
[[inputs]]
name = "x"
shape = ["rows", "cols"]
dtype = "float32"
fill = { )" + fill
            + R"( }
[[outputs]]
name = "y"
shape = ["rows"]
dtype = "float32"
[reference]
language = "cpp"
file = "reference.cpp"
[cost]
flops = "rows * cols"
bytes = "4 * rows * cols + 4 * rows"
[check]
)" + check + R"(
[[cases]]
axes = { rows = 64, cols = 300 }
[[cases]]
axes = { rows = 13, cols = 37 }
role = "held-out"
)",
        "extern \"C\" void row_sum(const real* x, real* y, int64_t rows, int64_t cols)\n"
        "{ for (int64_t r = 0; r < rows; ++r) { real s = 0; for (int64_t c = 0; c < cols; ++c) s += x[r * cols + c]; "
        "y[r] = s; } }\n");
    if (!op)
        qFatal("%s", op.error().text.c_str());
    return *op;
}

EvaluateRequest requestFor(const spec::Operator& op, const std::string& source)
{
    EvaluateRequest request;
    request.job = JobId{ 1 };
    request.candidate.entry = op.name;
    request.candidate.files.push_back({ "kernel.cpp", source });
    request.timing.maxMs = 50;
    request.limits.runMs = 2'000;
    request.limits.buildMs = 20'000;
    request.limits.memoryBytes = 1LL << 30;
    return request;
}

measure::Evaluation evaluate(const spec::Operator& op, const EvaluateRequest& request)
{
    JobContext context(nullptr, {});
    auto outcome = evaluator().evaluate(op, request, context);
    if (!outcome)
        qFatal("%s %s", outcome.error().text.c_str(), outcome.error().detail.c_str());
    return *outcome;
}

std::string affineKernel(const std::string& body, const std::string& before)
{
    return "#include <cstdint>\n" + before + "\nextern \"C\" void affine(const float* x, float* y, int64_t n)\n{\n"
        + body + "\n}\n";
}

measure::Evaluation evaluateAffine(const std::string& body, const std::string& before)
{
    return evaluate(affine(), requestFor(affine(), affineKernel(body, before)));
}

std::string statusText(const measure::Evaluation& evaluation)
{
    return std::string(measure::statusName(evaluation.status)) + ": " + evaluation.reason;
}

int descendants()
{
    std::map<int, int> parents;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos)
            continue;
        const auto file = readFile(entry.path() / "stat"); // it may have ended meanwhile
        const std::string stat = file ? *file : std::string();
        const auto end = stat.rfind(')');
        if (end != std::string::npos)
            parents[std::stoi(name)] = std::stoi(stat.substr(end + 4));
    }
    std::set<int> family{ ::getpid() };
    for (bool grown = true; grown;) {
        grown = false;
        for (const auto& [process, parent] : parents)
            grown |= family.contains(parent) && family.insert(process).second;
    }
    return static_cast<int>(family.size()) - 1;
}

} // namespace rooftree::worker::test
