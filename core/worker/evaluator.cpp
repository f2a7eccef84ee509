// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/worker/evaluator.h"
#include "core/worker/admission.h"
#include "core/worker/bound.h"
#include "core/worker/certificate.h"
#include "core/worker/dueler.h"
#include "core/worker/judge.h"

namespace rooftree::worker {

namespace {

using measure::EvaluationStatus;
using measure::StageStatus;

class StageClock {
public:
    double ms() const { return static_cast<double>(Clock::system().monotonicNs() - m_start) / 1e6; }

private:
    int64_t m_start = Clock::system().monotonicNs();
};

} // namespace

// One evaluation on its way through the stages.
struct Evaluator::Draft {
    const spec::Operator& op;
    const EvaluateRequest& request;
    measure::Evaluation evaluation;
    Subject subject;
    std::optional<Verification> verification;
    std::optional<TimedRun> timed;

    bool failed() const { return evaluation.status != EvaluationStatus::Passed; }
    void end(EvaluationStatus status, const std::string& reason)
    {
        evaluation.status = status;
        evaluation.reason = reason;
    }
    void addStage(const char* name, const StageClock& clock, bool passed, const std::string& log)
    {
        evaluation.stages.push_back({ name, passed ? StageStatus::Passed : StageStatus::Failed, clock.ms(), log });
    }
    void skipStage(const char* name, const std::string& why)
    {
        evaluation.stages.push_back({ name, StageStatus::NotRun, 0, why });
    }
};

Evaluator::Evaluator(Machine machine)
    : m_machine(std::move(machine))
    , m_builder(m_machine.toolchains, m_machine.cacheDir)
    , m_store(m_machine, m_builder)
    , m_gate(m_machine.device.threads)
{
}

Status Evaluator::prepare(const spec::Operator& op, JobContext& context)
{
    if (op.cases.empty())
        return Error{ ErrorCode::Usage, "The operator " + op.name + " has no case. Add one to its [[cases]].", {} };
    if (op.inputs.size() + op.outputs.size() > maxTensors
        || op.inputs.size() + op.outputs.size() + op.axes.size() > maxArguments)
        return Error{ ErrorCode::Usage, "The operator " + op.name + " has too many tensors or axes.", {} };
    const auto pass = m_gate.enter(MachineLock::Mode::Work, context);
    auto truth = m_store.truth(op, op.cases[casesBySize(op).front()], 1, context);
    return truth ? success() : Status(truth.error());
}

Result<measure::Evaluation> Evaluator::evaluate(
    const spec::Operator& op, const EvaluateRequest& request, JobContext& context)
{
    context.startBudget(request.limits.totalMs);
    return run(op, request, context);
}

Result<measure::Evaluation> Evaluator::run(
    const spec::Operator& op, const EvaluateRequest& request, JobContext& context)
{
    Draft draft{ op, request, {}, { op, nullptr, request.seed, request.limits, largestCaseBytes(op) }, {}, {} };
    draft.evaluation.status = EvaluationStatus::Passed;
    {
        context.report("waiting");
        const auto pass = m_gate.enter(MachineLock::Mode::Work, context);
        if (auto status = buildStage(draft, context); !status)
            return status.error();
        if (auto status = verifyStage(draft, context); !status)
            return status.error();
    }
    if (auto status = timeStage(draft, context); !status)
        return status.error();
    diagnoseBound(op, m_machine.device, draft.evaluation);
    draft.skipStage("profile", "not part of this version's default level");
    if (draft.evaluation.bound.empty())
        draft.skipStage("diagnose", "there is no time to compare with the roofline");
    else
        draft.evaluation.stages.push_back({ "diagnose", StageStatus::Passed, 0, draft.evaluation.boundEvidence });
    const bool compiled = draft.subject.object != nullptr;
    draft.evaluation.certificate = certificateOf(op,
        { compiled, compiled ? "" : draft.evaluation.reason, draft.verification ? &*draft.verification : nullptr,
            draft.timed ? &*draft.timed : nullptr });
    const int level = draft.verification ? draft.verification->sandboxLevel : m_machine.sandbox.level;
    draft.evaluation.environment = m_machine.device.name + ", " + std::to_string(m_machine.device.threads)
        + " threads, sandbox level " + std::to_string(level);
    return std::move(draft.evaluation);
}

Status Evaluator::buildStage(Draft& draft, JobContext& context)
{
    context.report("build");
    const StageClock clock;
    if (draft.request.candidate.entry != draft.op.name) {
        draft.end(EvaluationStatus::CompileError,
            "The candidate's entry is \"" + draft.request.candidate.entry + "\"; the operator's is \"" + draft.op.name
                + "\".");
        draft.addStage("build", clock, false, draft.evaluation.reason);
        return success();
    }
    auto built = m_builder.build({ draft.request.candidate, draft.request.purpose, draft.request.limits }, context);
    if (!built)
        return built.error();
    draft.evaluation.compiler = built->compiler;
    draft.evaluation.flags = built->flags;
    draft.subject.object = built->object;
    if (built->object)
        draft.evaluation.objectHash = built->object->hash;
    else
        draft.end(built->status, built->reason);
    draft.addStage("build", clock, built->object != nullptr, built->log);
    return success();
}

Status Evaluator::verifyStage(Draft& draft, JobContext& context)
{
    if (draft.failed()) {
        draft.skipStage("verify", "it was not built");
        return success();
    }
    const StageClock clock;
    auto verified = Verifier(m_machine, m_store).verify(draft.subject, context);
    if (!verified)
        return verified.error();
    draft.verification = std::move(verified).value();
    draft.evaluation.cases = draft.verification->cases;
    if (draft.verification->status != EvaluationStatus::Passed)
        draft.end(draft.verification->status, draft.verification->reason);
    if (draft.verification->status == EvaluationStatus::CompileError) { // it has no entry: the build's fault, seen late
        auto& build = draft.evaluation.stages.back();
        build.status = StageStatus::Failed;
        build.log += draft.evaluation.reason + '\n';
        draft.subject.object = nullptr;
        draft.verification.reset();
        draft.skipStage("verify", draft.evaluation.reason);
        return success();
    }
    draft.addStage("verify", clock, !draft.failed(), draft.verification->log);
    return success();
}

Status Evaluator::timeStage(Draft& draft, JobContext& context)
{
    if (draft.failed() || !draft.request.time) {
        draft.skipStage("time", draft.failed() ? "it did not pass verification" : "not asked for");
        return success();
    }
    context.report("waiting");
    const auto pass = m_gate.enter(MachineLock::Mode::Timing, context);
    const StageClock clock;
    const auto cases = draft.request.timeHeldOut ? Timer::Cases::All : Timer::Cases::Tune;
    auto timed =
        Timer(m_machine, m_store).time(draft.subject, draft.request.timing, cases, draft.evaluation.cases, context);
    if (!timed)
        return timed.error();
    draft.timed = std::move(timed).value();
    draft.evaluation.suspicions = draft.timed->suspicions;
    if (draft.timed->status != EvaluationStatus::Passed)
        draft.end(draft.timed->status, draft.timed->reason);
    draft.addStage("time", clock, !draft.failed(), draft.timed->log);
    return success();
}

Result<measure::DuelResult> Evaluator::duel(const spec::Operator& op, const DuelRequest& request, JobContext& context)
{
    Dueler dueler(m_machine, m_builder, m_store, m_gate);
    return dueler.duel(op, request, context);
}

Result<AdmissionReport> Evaluator::admit(const spec::Operator& op, JobContext& context)
{
    const auto pass = m_gate.enter(MachineLock::Mode::Work, context);
    return Admission(m_machine, m_builder, m_store).examine(op, context);
}

} // namespace rooftree::worker
