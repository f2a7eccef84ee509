// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/casestore.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/worker/truthfile.h"

#include <cstring>

namespace rooftree::worker {

namespace {

constexpr int64_t inputCacheBytes = 2LL << 30;
constexpr int64_t truthCacheBytes = 2LL << 30;
constexpr int64_t truthDiskBytes = 4LL << 30;
constexpr int64_t referenceMemoryBytes = 8LL << 30;
constexpr int64_t referenceMs = 600'000;
constexpr const char* truthVersion = "1"; // changes when inputs or references come out differently

// What every reference finds declared: 'real' is the precision of the truth.
constexpr const char* referencePrelude =
    "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include <limits>\n#include <vector>\n"
    "typedef double real;\n#line 1 \"reference.cpp\"\n";

kernel::Candidate referenceCandidate(const spec::Operator& op)
{
    kernel::Candidate candidate;
    candidate.entry = op.name;
    // Its own first line wins over a flags line in the operator's text: the truth is never computed with fast-math.
    candidate.files.push_back({ "reference.cpp",
        "// rooftree: flags {\"-O3 -march=native\"}\n" + std::string(referencePrelude) + op.referenceSource });
    return candidate;
}

std::string caseKey(const spec::Operator& op, const spec::Case& which, uint64_t seed)
{
    return Sha256()
        .addPart(truthVersion)
        .addPart(op.hash)
        .addPart(spec::caseName(which))
        .addPart(std::to_string(seed))
        .hex();
}

template <typename T> std::vector<int64_t> toInt64(std::span<const std::byte> bytes)
{
    const auto* values = reinterpret_cast<const T*>(bytes.data());
    return std::vector<int64_t>(values, values + bytes.size() / sizeof(T));
}

std::vector<int64_t> integersOf(spec::DType dtype, std::span<const std::byte> bytes)
{
    switch (dtype) {
    case spec::DType::Int64:
        return toInt64<int64_t>(bytes);
    case spec::DType::Int32:
        return toInt64<int32_t>(bytes);
    case spec::DType::Int16:
        return toInt64<int16_t>(bytes);
    case spec::DType::Int8:
        return toInt64<int8_t>(bytes);
    default:
        return toInt64<uint8_t>(bytes);
    }
}

CaseTruth readTruth(const spec::Operator& op, const OutputBuffers& outputs)
{
    CaseTruth truth;
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
        const auto bytes = outputs.output(i);
        std::vector<double> floating;
        std::vector<int64_t> integers;
        if (spec::isFloat(op.outputs[i].dtype)) {
            const auto* values = reinterpret_cast<const double*>(bytes.data());
            floating.assign(values, values + bytes.size() / sizeof(double));
        } else {
            integers = integersOf(op.outputs[i].dtype, bytes);
        }
        truth.floating.push_back(std::move(floating));
        truth.integers.push_back(std::move(integers));
    }
    return truth;
}

Error referenceError(const spec::Operator& op, const std::string& what, std::string detail = {})
{
    return { ErrorCode::Failed, "The reference of " + op.name + " cannot be the truth: " + what, std::move(detail) };
}

int64_t inputBytes(const CaseInputs& inputs)
{
    return static_cast<int64_t>(inputs.layout.fileBytes);
}

} // namespace

int64_t CaseTruth::bytes() const
{
    std::size_t elements = 0;
    for (const auto& list : floating)
        elements += list.size();
    for (const auto& list : integers)
        elements += list.size();
    for (const auto& list : condition)
        elements += list.size();
    return static_cast<int64_t>(elements * sizeof(double));
}

CaseStore::CaseStore(const Machine& machine, const Builder& builder)
    : m_machine(machine)
    , m_builder(builder)
    , m_disk(machine.cacheDir / "truth", truthDiskBytes)
    , m_inputs(inputCacheBytes)
    , m_truths(truthCacheBytes)
{
}

Result<InputsPointer> CaseStore::inputs(const spec::Operator& op, const spec::Case& which, uint64_t seed)
{
    return m_inputs.get(
        caseKey(op, which, seed), [&] { return makeInputs(op, which.axes, seed); }, inputBytes);
}

Result<TruthPointer> CaseStore::truth(
    const spec::Operator& op, const spec::Case& which, uint64_t seed, JobContext& context)
{
    return m_truths.get(
        caseKey(op, which, seed), [&] { return makeTruth(op, which, seed, context); },
        [](const CaseTruth& truth) { return truth.bytes(); });
}

Result<std::shared_ptr<const Object>> CaseStore::referenceObject(
    const spec::Operator& op, const JobContext& context) const
{
    const auto candidate = referenceCandidate(op);
    auto built = m_builder.build({ candidate, Purpose::Baseline, Limits{} }, context);
    if (!built)
        return built.error();
    if (!built->object)
        return referenceError(op, built->reason, built->log);
    return built->object;
}

Result<CaseTruth> CaseStore::runReference(const spec::Operator& op, const spec::Case& which, const CaseInputs& inputs,
    RealForm form, JobContext& context) const
{
    auto object = referenceObject(op, context);
    auto real = object ? realInputs(op, which.axes, inputs, form) : Result<CaseInputs>(object.error());
    if (!real)
        return real.error();
    auto outputs = OutputBuffers::make(op.outputs, which.axes, ElementWidth::Real);
    if (!outputs)
        return outputs.error();
    auto options = m_machine.runnerOptions(referenceMemoryBytes, referenceMs, 64 << 10);
    options.bufferBytes = static_cast<int64_t>(real->layout.fileBytes + outputs->bytes());
    auto runner = Runner::start(options, context);
    if (!runner)
        return runner.error();
    const CaseView view{ &real->file, &real->layout, &outputs->file(), &outputs->layout(), axisValues(op, which.axes),
        tensorNames(op) };
    auto step = (*runner)->load((*object)->file, op.name, referenceMs);
    if (step.done())
        step = (*runner)->map(view, referenceMs);
    if (step.done())
        step = (*runner)->call(1, 0, referenceMs);
    if (const auto fault = faultOf(step))
        return *fault;
    if (!step.done())
        return referenceError(op, "at " + spec::caseName(which) + ": " + step.reason, (*runner)->takeLog());
    (*runner)->freeze();
    if (const auto damage = outputs->damage(op.outputs))
        return referenceError(op, "at " + spec::caseName(which) + ": " + *damage);
    return readTruth(op, *outputs);
}

Result<CaseTruth> CaseStore::makeTruth(
    const spec::Operator& op, const spec::Case& which, uint64_t seed, JobContext& context)
{
    const auto key = caseKey(op, which, seed);
    if (const auto stored = m_disk.find(key)) {
        if (auto truth = truthFromBytes(*stored))
            return *std::move(truth);
    }
    auto native = inputs(op, which, seed);
    if (!native)
        return native.error();
    auto truth = runReference(op, which, **native, RealForm::Exact, context);
    if (!truth)
        return truth;
    if (op.check.scale == spec::Scale::Condition) {
        auto condition = runReference(op, which, **native, RealForm::Absolute, context);
        if (!condition)
            return condition;
        truth->condition = std::move(condition->floating);
        for (auto& list : truth->condition) {
            for (double& value : list)
                value = std::fabs(value);
        }
    }
    m_disk.store(key, truthToBytes(*truth));
    return truth;
}

} // namespace rooftree::worker
