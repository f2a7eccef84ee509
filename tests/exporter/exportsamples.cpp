// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/exporter/exportsamples.h"
#include "core/spec/operatorreader.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace rooftree::exporter {

namespace {

constexpr std::string_view operatorText = R"(
name = "scale_rows"
family = "row-wise"
description = "Rows times a factor, and how many of each row are positive."
axes = { rows = "var", cols = "var" }

[[inputs]]
name = "c"
shape = ["rows", "cols"]
dtype = "float32"
fill = { kind = "normal", mean = 0.0, std = 3.0 }

[[inputs]]
name = "factor"
shape = ["rows"]
dtype = "float32"
fill = { kind = "uniform", lo = 0.5, hi = "1 + rows" }

[[outputs]]
name = "y"
shape = ["rows", "cols"]
dtype = "float32"

[[outputs]]
name = "positive"
shape = ["rows"]
dtype = "int64"

[reference]
language = "cpp"
file = "reference.cpp"

[cost]
flops = "2 * rows * cols"
bytes = "8 * rows * cols + 12 * rows"

[check]
mode = "tolerance"
rtol = 1e-6
atol = 1e-7
scale = "condition"

[[cases]]
axes = { rows = 100000, cols = 4000 }

[[cases]]
axes = { rows = 64, cols = 128 }

[[cases]]
axes = { rows = 1, cols = 17 }
role = "held-out"
)";

constexpr const char* referenceText = R"(#include <cstdint>

extern "C" void scale_rows(const real* c, const real* factor, real* y, int64_t* positive, int64_t rows, int64_t cols)
{
    for (int64_t i = 0; i < rows; ++i) {
        positive[i] = 0;
        for (int64_t j = 0; j < cols; ++j) {
            y[i * cols + j] = c[i * cols + j] * factor[i];
            positive[i] += y[i * cols + j] > 0;
        }
    }
}
)";

measure::CaseResult timedCase(int64_t rows, int64_t cols, double medianNs)
{
    measure::CaseResult result;
    result.axes = { { "rows", rows }, { "cols", cols } };
    result.timing = measure::Timing{ medianNs, medianNs * 0.99, medianNs * 1.01, { medianNs, medianNs, medianNs } };
    result.correctness = measure::Correctness{};
    result.correctness->maxAbs = 2e-6;
    return result;
}

} // namespace

spec::Operator sampleOperator()
{
    auto op = spec::parseOperator(operatorText, "operator.toml", { { "reference.cpp", referenceText } });
    if (!op) {
        std::fprintf(stderr, "%s\n", op.error().text.c_str());
        std::abort();
    }
    return op.value();
}

std::string sampleKernel()
{
    return R"(// rooftree: flags {"-O3 -march=native", "-O2 -march=native"}
#include "detail/unroll.h"
#include <cstdint>
#include <omp.h>

#define TILE 64 // rooftree: tune {16, 64}

extern "C" void scale_rows(const float* c, const float* factor, float* y, int64_t* positive, int64_t rows, int64_t cols)
{
#pragma omp parallel for
    for (int64_t i = 0; i < rows; ++i)
        positive[i] = scaleRow(c + i * cols, factor[i], y + i * cols, cols);
}
)";
}

ExportRequest sampleRequest()
{
    ExportRequest request;
    request.op = sampleOperator();
    request.candidate.entry = "scale_rows";
    request.candidate.files = { { "kernel.cpp", sampleKernel() },
        { "detail/unroll.h",
            "#pragma once\n#include <cstdint>\nint64_t scaleRow(const float*, float, float*, int64_t);\n" },
        { "detail/row.cpp",
            "#include \"unroll.h\"\nint64_t scaleRow(const float* c, float f, float* y, int64_t n)\n{\n    int64_t "
            "positive = 0;\n"
            "    for (int64_t j = 0; j < n; ++j) {\n        y[j] = c[j] * f;\n        positive += y[j] > 0;\n    }\n"
            "    return positive;\n}\n" } };
    request.evaluation.status = measure::EvaluationStatus::Passed;
    request.evaluation.compiler = "g++ 12.2.0";
    request.evaluation.flags = "-O3 -march=native";
    request.evaluation.cases = { timedCase(64, 128, 1000), timedCase(1, 17, 200) };
    measure::Evaluation naive;
    naive.status = measure::EvaluationStatus::Passed;
    naive.cases = { timedCase(64, 128, 12000), timedCase(1, 17, 100) };
    request.baselines["naive"] = naive;
    request.speedups["naive"] = *measure::speedupOver(naive, request.evaluation);
    request.session = "Scale Rows 2026";
    request.node = NodeId{ 17 };
    request.parents = { NodeId{ 3 }, NodeId{ 9 } };
    request.proposer = "transform";
    request.policy = "mcts";
    request.createdMs = 1'796'126'400'000;
    request.device.id = request.device.kind = "cpu";
    request.device.name = "AMD EPYC";
    request.device.threads = 2;
    return request;
}

const ExportFile* fileNamed(const std::vector<ExportFile>& files, const std::string& path)
{
    const auto it = std::find_if(files.begin(), files.end(), [&](const ExportFile& file) { return file.path == path; });
    return it == files.end() ? nullptr : &*it;
}

} // namespace rooftree::exporter
