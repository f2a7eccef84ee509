// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "tests/exporter/exportsamples.h"

#include <QtTest>
#include <filesystem>

namespace fs = std::filesystem;
using namespace rooftree;
using namespace rooftree::exporter;

namespace {

const std::string branch = "rooftree/scale-rows-2026/17";

std::string git(const fs::path& folder, std::vector<std::string> arguments)
{
    ProcessSpec spec;
    spec.argv = { "git", "-C", folder.string() };
    spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
    const auto result = runProcess(spec);
    return result && result->succeeded() ? std::string(trimmed(result->out)) : "failed: " + (result ? result->err : "");
}

// A repository with one commit, and what must not change in it.
class Repository {
public:
    Repository()
    {
        git(path(), { "init", "-q", "-b", "main" });
        (void)writeFile(path() / "README", "hello\n");
        git(path(), { "add", "README" });
        git(path(), { "commit", "-q", "-m", "Start" });
    }
    const fs::path& path() const { return m_dir->path(); }
    std::string state() const
    {
        std::string config = readFile(path() / ".git/config").value();
        return git(path(), { "rev-parse", "HEAD" }) + git(path(), { "symbolic-ref", "HEAD" }) + config
            + git(path(), { "status", "--porcelain" }) + git(path(), { "worktree", "list" });
    }
    std::string commits() const { return git(path(), { "rev-list", "--count", branch }); }

private:
    Result<TemporaryDir> m_dir = TemporaryDir::make("rooftree-repo");
};

CommitOptions quickly()
{
    CommitOptions options;
    options.verify = false;
    return options;
}

Result<CommitResult> exported(
    const fs::path& folder, const CommitOptions& options, const ExportRequest& request = sampleRequest())
{
    const auto files = presets()[0].make(request);
    if (!files)
        return files.error();
    return exportToRepository(folder, *files, request, options);
}

bool says(const Result<CommitResult>& result, const char* words)
{
    const bool found = !result.ok() && QByteArray(result.error().text.c_str()).contains(words);
    if (!found)
        qWarning("%s", result.ok() ? "it worked" : result.error().text.c_str());
    return found;
}

} // namespace

class TestExportCommit : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void commitsOnItsOwnBranch();
    void sameBytesMakeNoCommit();
    void laterExportReplacesTheFolder();
    void ignoreRulesAndHooks();
    void failingTestsCommitNothing();
    void notARepository();
    void noCommitsYet();
    void missingGit();
    void missingUser();
    void badBranchNames();
    void checkedOutBranch();
    void stagedChangesOfTheSameFiles();
    void unfinishedMerge();
    void privateWordsStopIt();
    void linkInTheWay();
    void insideAGitHook();
    void cancel();

private:
    Result<TemporaryDir> m_home = TemporaryDir::make("rooftree-home");
};

void TestExportCommit::initTestCase()
{
    if (!findProgram("git"))
        QSKIP("git is not installed.");
}

void TestExportCommit::init()
{
    qputenv("HOME", QByteArray(m_home->path().c_str()));
    qputenv("XDG_CONFIG_HOME", QByteArray(m_home->path().c_str()));
    qputenv("GIT_CONFIG_NOSYSTEM", "1");
    for (const char* name : { "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL",
             "EMAIL", "GIT_DIR", "GIT_INDEX_FILE" })
        qunsetenv(name);
    QVERIFY(writeFile(m_home->path() / ".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.com\n").ok());
}

void TestExportCommit::commitsOnItsOwnBranch()
{
    const Repository repository;
    const auto before = repository.state();
    const auto result = exported(repository.path(), {});
    QVERIFY2(result.ok(), result.ok() ? "" : (result.error().text + result.error().detail).c_str());
    QVERIFY(result->changed && result->verified);
    QCOMPARE(result->branch, branch);
    QCOMPARE(result->commit, git(repository.path(), { "rev-parse", branch }));
    QCOMPARE(repository.state(), before);
    QCOMPARE(git(repository.path(), { "rev-parse", branch + "^" }), git(repository.path(), { "rev-parse", "main" }));
    QCOMPARE(git(repository.path(), { "show", branch + ":README" }), "hello");
    QVERIFY(git(repository.path(), { "show", branch + ":scale_rows/include/scale_rows.h" }).find("void scale_rows")
        != std::string::npos);

    const auto message = git(repository.path(), { "log", "-1", "--format=%an <%ae>%n%B", branch });
    const QByteArray text(message.c_str());
    QVERIFY2(text.startsWith("Ada <ada@example.com>\nAdd scale_rows kernel for AMD EPYC (2.45x over naive)\n"),
        text.constData());
    QVERIFY(text.contains("Slower than the plain source: "));
    QVERIFY(text.contains("Its test passed before this commit."));
    QCOMPARE(git(repository.path(), { "log", "-1", "--format=%(trailers:key=Rooftree-Node,valueonly)", branch }), "17");
    QVERIFY(text.contains("Rooftree-Speedup: 2.45x [2.40, 2.50] over naive (AMD EPYC, 2 threads)"));
}

void TestExportCommit::sameBytesMakeNoCommit()
{
    const Repository repository;
    const auto first = exported(repository.path(), quickly());
    QVERIFY(first.ok());
    QVERIFY(!first->verified);
    QVERIFY(git(repository.path(), { "log", "-1", "--format=%B", branch }).find("was not run") != std::string::npos);
    const auto second = exported(repository.path(), {});
    QVERIFY(second.ok());
    QVERIFY(!second->changed);
    QCOMPARE(second->commit, first->commit);
    QCOMPARE(repository.commits(), "2");
}

void TestExportCommit::laterExportReplacesTheFolder()
{
    const Repository repository;
    QVERIFY(exported(repository.path(), quickly()).ok());
    auto request = sampleRequest();
    request.candidate.files.resize(1);
    QVERIFY(exported(repository.path(), quickly(), request).ok());
    QCOMPARE(repository.commits(), "3");
    QCOMPARE(git(repository.path(), { "ls-tree", "-r", "--name-only", branch, "scale_rows/src" }),
        "scale_rows/src/scale_rows.cpp\nscale_rows/src/scale_rows_naive.cpp");
    CommitOptions elsewhere = quickly();
    elsewhere.branch = "kernels";
    const auto other = exported(repository.path(), elsewhere, request);
    QVERIFY(other.ok());
    QCOMPARE(git(repository.path(), { "rev-parse", "kernels" }), other->commit);
}

void TestExportCommit::ignoreRulesAndHooks()
{
    const Repository repository;
    QVERIFY(writeFile(repository.path() / ".git/info/exclude", "*.json\nsrc/\n").ok());
    const auto result = exported(repository.path(), quickly());
    QVERIFY(result.ok());
    QVERIFY(
        git(repository.path(), { "show", branch + ":scale_rows/PROVENANCE.json" }).find("schema") != std::string::npos);

    const auto hook = repository.path() / ".git/hooks/commit-msg";
    fs::create_directories(hook.parent_path());
    QVERIFY(writeFile(hook, "#!/bin/sh\necho 'no ticket number' >&2\nexit 1\n").ok());
    fs::permissions(hook, fs::perms::owner_all);
    auto request = sampleRequest();
    request.humanEdits = true;
    const auto before = repository.state();
    const auto refused = exported(repository.path(), quickly(), request);
    QVERIFY(says(refused, "hook"));
    QVERIFY(QByteArray(refused.error().detail.c_str()).contains("no ticket number"));
    QCOMPARE(repository.commits(), "2");
    QCOMPARE(repository.state(), before);
}

void TestExportCommit::failingTestsCommitNothing()
{
    const Repository repository;
    const auto before = repository.state();
    auto request = sampleRequest();
    request.candidate.files[2].content = "this is no C++\n";
    request.op.naiveSource = "neither is this\n";
    const auto result = exported(repository.path(), {}, request);
    QVERIFY(says(result, "nothing was committed"));
    QCOMPARE(result.error().code, ErrorCode::Failed);
    QVERIFY(!result.error().detail.empty());
    QCOMPARE(repository.state(), before);
    QVERIFY(git(repository.path(), { "branch", "--list", "rooftree/*" }).empty());
}

void TestExportCommit::notARepository()
{
    const auto folder = TemporaryDir::make("rooftree-norepo");
    QVERIFY(says(exported(folder->path(), quickly()), "git init"));
    QVERIFY(says(exported(folder->path() / "missing", quickly()), "There is no folder"));
    git(folder->path(), { "init", "-q", "--bare" });
    QVERIFY(says(exported(folder->path(), quickly()), "work tree"));
}

void TestExportCommit::noCommitsYet()
{
    const auto folder = TemporaryDir::make("rooftree-empty");
    git(folder->path(), { "init", "-q" });
    QVERIFY(says(exported(folder->path(), quickly()), "--allow-empty"));
}

void TestExportCommit::missingGit()
{
    const Repository repository;
    const auto path = qgetenv("PATH");
    qputenv("PATH", "/nonexistent");
    const auto result = exported(repository.path(), quickly());
    qputenv("PATH", path);
    QVERIFY(says(result, "apt-get install git"));
    QCOMPARE(result.error().code, ErrorCode::Environment);
}

void TestExportCommit::missingUser()
{
    const Repository repository;
    QVERIFY(writeFile(m_home->path() / ".gitconfig", "").ok());
    QVERIFY(says(exported(repository.path(), quickly()), "git config --global user.name"));
    qputenv("GIT_AUTHOR_NAME", "Eve");
    qputenv("GIT_AUTHOR_EMAIL", "eve@example.com");
    qputenv("GIT_COMMITTER_NAME", "Eve");
    qputenv("GIT_COMMITTER_EMAIL", "eve@example.com");
    QVERIFY(exported(repository.path(), quickly()).ok());
    QCOMPARE(git(repository.path(), { "log", "-1", "--format=%an", branch }), "Eve");
}

void TestExportCommit::badBranchNames()
{
    const Repository repository;
    for (const char* name : { "a..b", "-x", "a b", "x.lock", "@{-1}" }) {
        CommitOptions options = quickly();
        options.branch = name;
        QVERIFY(says(exported(repository.path(), options), "is not a name for a branch"));
    }
    auto request = sampleRequest();
    request.session = "../..//Ünï;rm -rf";
    const auto result = exported(repository.path(), quickly(), request);
    QVERIFY(result.ok());
    QCOMPARE(result->branch, "rooftree/n-rm-rf/17");
    request.session = "";
    QCOMPARE(exported(repository.path(), quickly(), request)->branch, "rooftree/session/17");
}

void TestExportCommit::checkedOutBranch()
{
    const Repository repository;
    QVERIFY(exported(repository.path(), quickly()).ok());
    git(repository.path(), { "switch", "-q", branch });
    auto request = sampleRequest();
    request.humanEdits = true;
    QVERIFY(says(exported(repository.path(), quickly(), request), "is checked out"));
    QCOMPARE(repository.commits(), "2");
}

void TestExportCommit::stagedChangesOfTheSameFiles()
{
    const Repository repository;
    fs::create_directories(repository.path() / "scale_rows");
    QVERIFY(writeFile(repository.path() / "scale_rows/notes.txt", "mine\n").ok());
    QVERIFY(writeFile(repository.path() / "other.txt", "mine\n").ok());
    git(repository.path(), { "add", "other.txt" });
    QVERIFY(exported(repository.path(), quickly()).ok()); // nothing of ours is staged
    git(repository.path(), { "add", "scale_rows" });
    auto request = sampleRequest();
    request.humanEdits = true;
    QVERIFY(says(exported(repository.path(), quickly(), request), "--allow-dirty"));
    CommitOptions options = quickly();
    options.allowDirty = true;
    const auto before = repository.state();
    QVERIFY(exported(repository.path(), options, request).ok());
    QCOMPARE(repository.state(), before);
}

void TestExportCommit::unfinishedMerge()
{
    const Repository repository;
    git(repository.path(), { "switch", "-q", "-c", "side" });
    QVERIFY(writeFile(repository.path() / "README", "side\n").ok());
    git(repository.path(), { "commit", "-q", "-a", "-m", "Side" });
    git(repository.path(), { "switch", "-q", "main" });
    QVERIFY(writeFile(repository.path() / "README", "main\n").ok());
    git(repository.path(), { "commit", "-q", "-a", "-m", "Main" });
    git(repository.path(), { "merge", "-q", "side" });
    QVERIFY(says(exported(repository.path(), quickly()), "in the middle of a merge"));
}

void TestExportCommit::privateWordsStopIt()
{
    const Repository repository;
    auto request = sampleRequest();
    request.candidate.files[1].content += "// from /home/somebody/kernels\n";
    QVERIFY(says(exported(repository.path(), quickly(), request), "scale_rows/src/detail/unroll.h:5"));
    QVERIFY(git(repository.path(), { "branch", "--list", "rooftree/*" }).empty());
}

void TestExportCommit::linkInTheWay()
{
    const Repository repository;
    const auto outside = TemporaryDir::make("rooftree-outside");
    fs::create_directory_symlink(outside->path(), repository.path() / "scale_rows");
    git(repository.path(), { "add", "scale_rows" });
    git(repository.path(), { "commit", "-q", "-m", "Link" });
    QVERIFY(says(exported(repository.path(), quickly()), "is a link"));
    QVERIFY(fs::is_empty(outside->path()));
}

void TestExportCommit::insideAGitHook()
{
    const Repository repository;
    const Repository other;
    qputenv("GIT_DIR", QByteArray((other.path() / ".git").c_str()));
    qputenv("GIT_INDEX_FILE", QByteArray((other.path() / ".git/index").c_str()));
    const auto result = exported(repository.path(), quickly());
    qunsetenv("GIT_DIR");
    qunsetenv("GIT_INDEX_FILE");
    QVERIFY(result.ok());
    QCOMPARE(repository.commits(), "2");
    QVERIFY(git(other.path(), { "branch", "--list", "rooftree/*" }).empty());
}

void TestExportCommit::cancel()
{
    const Repository repository;
    const std::atomic<bool> canceled = true;
    CommitOptions options;
    options.cancel = &canceled;
    QVERIFY(says(exported(repository.path(), options), "canceled"));
    QVERIFY(git(repository.path(), { "branch", "--list", "rooftree/*" }).empty());
}

QTEST_APPLESS_MAIN(TestExportCommit)
#include "tst_exportcommit.moc"
