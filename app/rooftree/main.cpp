// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "judge.h"

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>

namespace rooftree::app {

int fail(const Error& error, bool json)
{
    std::fprintf(stderr, "rooftree: %s\n", sanitizedUtf8(error.text).c_str());
    if (!error.detail.empty())
        std::fprintf(stderr, "%s\n", sanitizedUtf8(elided(error.detail, 4000)).c_str());
    if (json)
        std::printf("%s\n", Json({ { "schema", 1 }, { "error", sanitizedUtf8(error.text) } }).dump(2).c_str());
    return exitCodeOf(error);
}

namespace {

// Everything that the command line can say. The subcommand that was chosen leaves what is to be done in 'action'.
struct CommandLine {
    CLI::App app{
        "Rooftree searches for the fastest correct kernel of an operator on this machine, and shows why it won.",
        "rooftree"
    };
    std::function<int()> action;
    RunOptions run;
    ResumeOptions resume;
    EvalOptions eval;
    CompareOptions compare;
    ShowOptions show;
    ExportOptions exporting;
    std::string operatorName;
    std::vector<std::string> names;
    bool json = false;
    bool verbose = false;

    CommandLine();
    void addRun();
    void addResume();
    void addEval();
    void addCompare();
    void addShow();
    void addExport();
    void addOperators();
    void addDoctorAndBench();
    CLI::App* command(const std::string& name, const std::string& description, std::function<int()> what);
};

const CLI::IsMember cacheModes({ "warm", "cold" });

CLI::App* CommandLine::command(const std::string& name, const std::string& description, std::function<int()> what)
{
    auto* sub = app.add_subcommand(name, description);
    sub->callback([this, what = std::move(what)] { action = what; });
    return sub;
}

CommandLine::CommandLine()
{
    app.set_version_flag("--version", "rooftree " ROOFTREE_VERSION);
    app.add_flag("-v,--verbose", verbose, "Log what happens inside to standard error");
    app.require_subcommand(1);
    addRun();
    addResume();
    addEval();
    addCompare();
    addShow();
    addExport();
    addOperators();
    addDoctorAndBench();
}

void CommandLine::addRun()
{
    auto* sub = command("run", "Search for the fastest kernel of an operator", [this] { return runSearch(run); });
    sub->add_option("OPERATOR", run.operatorName, "A name from `rooftree operators`, or a folder with an operator.toml")
        ->required();
    sub->add_option("--device", run.device, "Where kernels run")->capture_default_str();
    sub->add_option("--language", run.language, "What kernels are written in")->capture_default_str();
    sub->add_option("--policy", run.policy, "mcts, evolve, greedy, beam, best-of or random")->capture_default_str();
    sub->add_option("--proposers", run.proposers, "Comma-separated: library, transform, tune; all by default")
        ->delimiter(',');
    sub->add_option("--kernel", run.kernel, "A kernel of yours to begin from");
    sub->add_option("--evals", run.evaluations, "Stop after this many evaluations")->check(CLI::PositiveNumber);
    sub->add_option("--time", run.time, "Stop after this long: 90s, 3m, 2h; 2m when nothing else limits the search");
    sub->add_option("--stall", run.stall, "Stop after this many evaluations without a new champion")
        ->check(CLI::PositiveNumber);
    sub->add_option("--target", run.target, "Stop when the champion is this many times as fast as naive")
        ->check(CLI::PositiveNumber);
    sub->add_option("--roofline", run.roofline, "Stop at this fraction of the roofline, 0 to 1")
        ->check(CLI::Range(0.0, 1.0));
    sub->add_option("--cost", run.cost, "Stop when this much money is spent on models, in USD")
        ->check(CLI::PositiveNumber);
    sub->add_option("--seed", run.seed, "Same seed and same evaluations give the same tree")->capture_default_str();
    sub->add_option("--session", run.session, "The session file to write; made from operator and time by default");
    sub->add_option("--jobs", run.jobs, "Expansions in flight")->check(CLI::Range(1, 256))->capture_default_str();
    sub->add_option("--cache", run.cache, "Time with warm or cold caches")->check(cacheModes)->capture_default_str();
    sub->add_option("--replay", run.replay, "Take the evaluations from this recorded session instead of the machine");
    sub->add_flag("--json", run.json, "Print one JSON document at the end");
}

void CommandLine::addResume()
{
    auto* sub =
        command("resume", "Go on with a session that was stopped or killed", [this] { return resumeSearch(resume); });
    sub->add_option("SESSION", resume.session, "The session file")->required();
    sub->add_option("--evals", resume.evaluations, "New limit: evaluations in all")->check(CLI::PositiveNumber);
    sub->add_option("--time", resume.time, "New limit: search time in all, e.g. 10m");
    sub->add_flag("--json", resume.json, "Print one JSON document at the end");
}

void CommandLine::addEval()
{
    auto* sub = command("eval", "Judge one kernel file: build, verify, time", [this] { return evalKernel(eval); });
    sub->add_option("OPERATOR", eval.operatorName, "The operator that it computes")->required();
    sub->add_option("KERNEL", eval.kernel, "A C++ source, or a folder of them")->required();
    sub->add_option("--cache", eval.cache, "Time with warm or cold caches")->check(cacheModes)->capture_default_str();
    sub->add_option("--seed", eval.seed, "Seed of the inputs")->capture_default_str();
    sub->add_flag("!--no-baselines", eval.baselines, "Do not measure naive and vendor for comparison");
    sub->add_flag("--json", eval.json, "Print one JSON document");
}

void CommandLine::addCompare()
{
    auto* sub = command("compare", "A duel of two kernels: FASTER, SLOWER, SAME or AMBIGUOUS",
        [this] { return compareKernels(compare); });
    sub->add_option("OPERATOR", compare.operatorName, "The operator that both compute")->required();
    sub->add_option("KERNEL_A", compare.kernelA, "The verdict is about this one")->required();
    sub->add_option("KERNEL_B", compare.kernelB, "What it is compared with")->required();
    sub->add_option("--margin", compare.margin, "Differences below this fraction are none")
        ->check(CLI::Range(0.001, 0.5))
        ->capture_default_str();
    sub->add_option("--processes", compare.processes, "Fresh process pairs")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    sub->add_option("--pairs", compare.pairs, "Timed pairs in each")->check(CLI::Range(1, 100))->capture_default_str();
    sub->add_option("--cache", compare.cache, "Time with warm or cold caches")
        ->check(cacheModes)
        ->capture_default_str();
    sub->add_option("--seed", compare.seed, "Seed of the inputs")->capture_default_str();
    sub->add_flag("--json", compare.json, "Print one JSON document");
}

void CommandLine::addShow()
{
    auto* sub = command("show", "What a session found out", [this] { return showSession(show); });
    sub->add_option("SESSION", show.session, "The session file")->required();
    sub->add_flag("--tree", show.tree, "The whole tree as text");
    sub->add_flag("--best", show.best, "The champion with its source");
    sub->add_option("--node", show.node, "One node with its source and evaluation");
    sub->add_option("--why", show.why, "Why a node was tried, and what each step of its line gained");
    sub->add_option("--at", show.at, "As it was after this many expansions")->check(CLI::NonNegativeNumber);
    sub->add_flag("--json", show.json, "Print one JSON document");
}

void CommandLine::addExport()
{
    auto* sub = command("export", "Commit a kernel with test, benchmark and provenance to a branch",
        [this] { return exportNode(exporting); });
    sub->add_option("SESSION", exporting.session, "The session file")->required();
    sub->add_option("NODE", exporting.node, "A node's number, or \"best\"")->required();
    sub->add_option("--repo", exporting.repository, "The git repository to commit to")->required();
    sub->add_option("--preset", exporting.preset, "The form of the export")->capture_default_str();
    sub->add_option("--license", exporting.license, "SPDX identifier for the kernel")->capture_default_str();
    sub->add_flag("--allow-unverified", exporting.allowUnverified, "Also a node that did not pass, and say so in it");
    sub->add_flag("--allow-dirty", exporting.allowDirty, "Also when the repository has uncommitted changes");
    sub->add_flag("--strip", exporting.strip, "Leave the rooftree comment lines out");
    sub->add_flag("!--no-verify-tests", exporting.verify, "Do not build and run the exported tests first");
    sub->add_flag("--json", exporting.json, "Print one JSON document");
}

void CommandLine::addOperators()
{
    auto* sub = app.add_subcommand("operators", "The operators that can be searched");
    sub->add_flag("--json", json, "Print one JSON document");
    sub->fallthrough();
    sub->callback([this, sub] {
        if (sub->get_subcommands().empty())
            action = [this] { return listOperators(json); };
    });
    const auto child = [&](const std::string& name, const std::string& description, std::function<int()> what) {
        auto* one = sub->add_subcommand(name, description);
        one->callback([this, what = std::move(what)] { action = what; });
        one->fallthrough();
        return one;
    };
    child("list", "All of them", [this] { return listOperators(json); });
    child("show", "One operator: signature, cost, cases, source", [this] { return showOperator(operatorName, json); })
        ->add_option("NAME", operatorName, "A name, or a folder with an operator.toml")
        ->required();
    child("check", "Try out operators: their checks must reject wrong results", [this] {
        return checkOperators(names, json);
    })->add_option("NAME", names, "Names or folders; the whole catalogue by default");
}

void CommandLine::addDoctorAndBench()
{
    command("doctor", "What this machine can do, what is missing, how to get it", [this] {
        return doctor(json);
    })->add_flag("--json", json, "Print one JSON document");
    auto* sub = command("bench", "Rooftree's own speed against its promises", [this] { return bench(names, json); });
    sub->add_option("WHAT", names, "engine, store, evaluate; all by default")
        ->check(CLI::IsMember({ "engine", "store", "evaluate" }));
    sub->add_flag("--json", json, "Print one JSON document");
}

// CLI11 reports an unknown word as "argument not expected"; the nearest command helps more.
std::string suggestion(const CLI::App& app, int argc, char** argv)
{
    std::vector<std::string> known;
    for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        known.push_back(sub->get_name());
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word.starts_with("-"))
            continue;
        if (std::find(known.begin(), known.end(), word) != known.end())
            return {};
        const auto nearest = nearestName(word, known);
        return "There is no command " + word
            + (nearest ? ". Did you mean " + *nearest + "?" : ". Commands: " + join(known, ", ") + ".");
    }
    return {};
}

int parseAndRun(CommandLine& line, int argc, char** argv)
{
    try {
        line.app.parse(argc, argv);
    } catch (const CLI::Success& done) { // --help, --version
        return line.app.exit(done);
    } catch (const CLI::ParseError& error) {
        const std::string hint = suggestion(line.app, argc, argv);
        std::fprintf(stderr, "rooftree: %s\nRun `rooftree --help`, or `rooftree COMMAND --help`.\n",
            hint.empty() ? error.what() : hint.c_str());
        return 2;
    }
    if (line.verbose)
        spdlog::set_level(spdlog::level::debug);
    return line.action();
}

} // namespace

} // namespace rooftree::app

int main(int argc, char** argv)
{
    spdlog::set_default_logger(spdlog::stderr_logger_mt("rooftree"));
    spdlog::set_level(spdlog::level::warn);
    QCoreApplication application(argc, argv);
    rooftree::app::CommandLine line;
    return rooftree::app::parseAndRun(line, argc, argv);
}
