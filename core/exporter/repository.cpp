// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/exporter/exporter.h"
#include "core/exporter/exporttree.h"
#include "core/exporter/git.h"
#include "core/exporter/message.h"
#include "core/exporter/redaction.h"

namespace fs = std::filesystem;

namespace rooftree::exporter {

namespace {

// A checkout of a commit in a temporary folder, without a branch; gone with the object, in the repository's books too.
class Worktree {
public:
    static Result<Worktree> make(const Git& repository, const std::string& commit)
    {
        auto folder = TemporaryDir::make("rooftree-worktree");
        if (!folder)
            return folder.error();
        const auto path = folder->path() / "tree";
        if (const auto added = repository.run({ "worktree", "add", "--quiet", "--detach", path.string(), commit });
            !added)
            return added.error();
        return Worktree(repository, std::move(folder).value());
    }
    Worktree(Worktree&&) = default;
    Worktree& operator=(Worktree&&) = delete;
    ~Worktree()
    {
        if (!m_folder.path().empty()) // moved from
            (void)m_repository.call({ "worktree", "remove", "--force", path().string() });
    }
    fs::path path() const { return m_folder.path() / "tree"; }

private:
    Worktree(Git repository, TemporaryDir folder)
        : m_repository(std::move(repository))
        , m_folder(std::move(folder))
    {
    }
    Git m_repository;
    TemporaryDir m_folder;
};

Result<Git> openRepository(const fs::path& folder, const std::atomic<bool>* cancel)
{
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        return Error{ ErrorCode::NotFound, "There is no folder " + folder.string() + ". Name a git repository.", {} };
    const Git git(folder, cancel);
    const auto top = git.call({ "rev-parse", "--show-toplevel" });
    if (!top)
        return top.error();
    if (!top->succeeded() || trimmed(top->out).empty())
        return Error{ ErrorCode::Usage,
            folder.string() + " is not a git repository with a work tree. Run git init there, or name another folder.",
            top->err };
    Git repository{ fs::path(trimmed(top->out)), cancel };
    const auto head = repository.call({ "rev-parse", "--verify", "--quiet", "HEAD^{commit}" });
    if (!head || !head->succeeded())
        return Error{ ErrorCode::Usage,
            folder.string() + " has no commits yet. Make a first one: git commit --allow-empty -m \"Start\"", {} };
    // For this one call git is told not to make up a name; its configuration stays as it is.
    for (const char* who : { "GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT" })
        if (const auto known = repository.call({ "-c", "user.useConfigOnly=true", "var", who });
            !known || !known->succeeded())
            return Error{ ErrorCode::Usage,
                "git does not know who you are. Tell it: git config --global user.name \"Your Name\" && git config "
                "--global user.email "
                "you@example.com",
                known ? known->err : known.error().text };
    return repository;
}

Status checkClean(const Git& git, const std::string& folder, bool allowDirty)
{
    const auto unmerged = git.run({ "ls-files", "--unmerged" });
    if (!unmerged)
        return unmerged.error();
    if (!unmerged->empty())
        return Error{ ErrorCode::Usage,
            "The repository is in the middle of a merge. Finish or abort it, then export again.", *unmerged };
    const auto staged = git.run({ "diff", "--cached", "--name-only", "--", folder });
    if (!staged)
        return staged.error();
    if (!staged->empty() && !allowDirty)
        return Error{ ErrorCode::Usage,
            "Changes in " + folder
                + "/ are staged. Commit or unstage them, or export with --allow-dirty (they stay as they are).",
            *staged };
    return success();
}

Status checkBranch(const Git& git, const std::string& branch)
{
    const auto valid = git.call({ "check-ref-format", "--branch", branch });
    if (!valid)
        return valid.error();
    if (!valid->succeeded())
        return Error{ ErrorCode::Usage, "\"" + branch + "\" is not a name for a branch. Choose another.", valid->err };
    const auto worktrees = git.run({ "worktree", "list", "--porcelain" });
    if (!worktrees)
        return worktrees.error();
    for (const auto line : splitLines(*worktrees))
        if (line == "branch refs/heads/" + branch)
            return Error{ ErrorCode::Usage,
                "The branch " + branch + " is checked out. Switch to another one (git switch -), then export again.",
                {} };
    return success();
}

// Existing commit of the branch, or nothing.
std::string tipOf(const Git& git, const std::string& branch)
{
    const auto tip = git.run({ "rev-parse", "--verify", "--quiet", "refs/heads/" + branch + "^{commit}" });
    return tip ? *tip : std::string();
}

Status stage(const Worktree& tree, const Git& git, const std::vector<ExportFile>& files)
{
    const auto folder = topFolder(files);
    std::error_code ignored;
    // What an earlier export left there and this one does not have goes.
    if (fs::is_symlink(tree.path() / folder, ignored))
        return Error{ ErrorCode::Usage, folder + " is a link in the repository. Remove it or export elsewhere.", {} };
    fs::remove_all(tree.path() / folder, ignored);
    if (const auto written = writeTree(tree.path(), files); !written)
        return written;
    const auto added =
        git.run({ "add", "--force", "--all", "--", folder }); // --force: an ignore rule must not drop a file
    return added ? success() : Status(added.error());
}

Result<std::string> commitTree(const Git& git, const ExportRequest& request, bool verified)
{
    const auto done =
        git.run({ "commit", "--quiet", "--cleanup=verbatim", "--file=-" }, commitMessage(request, verified));
    if (!done)
        return Error{ ErrorCode::Environment,
            "git did not make the commit; a hook or the signing of commits may have refused it. The details have its "
            "words.",
            done.error().detail };
    return git.run({ "rev-parse", "HEAD" });
}

} // namespace

Result<CommitResult> exportToRepository(const fs::path& repository, const std::vector<ExportFile>& files,
    const ExportRequest& request, const CommitOptions& options)
{
    if (files.empty())
        return Error{ ErrorCode::Internal, "The export has no files.", {} };
    if (const auto clean = checkNothingPrivate(files, privateWords()); !clean)
        return clean.error();
    const auto git = openRepository(repository, options.cancel);
    if (!git)
        return git.error();
    CommitResult result;
    result.branch = options.branch.empty() ? defaultBranch(request) : options.branch;
    for (const auto& check :
        { checkClean(*git, topFolder(files), options.allowDirty), checkBranch(*git, result.branch) })
        if (!check)
            return check.error();

    const auto tip = tipOf(*git, result.branch);
    const auto tree = Worktree::make(*git, tip.empty() ? "HEAD" : tip);
    if (!tree)
        return tree.error();
    const Git inTree(tree->path(), options.cancel);
    if (const auto staged = stage(*tree, inTree, files); !staged)
        return staged.error();
    const auto same = inTree.call({ "diff", "--cached", "--quiet" });
    if (!same)
        return same.error();
    if (same->succeeded()) {
        result.changed = false;
        const auto head = inTree.run({ "rev-parse", "HEAD" });
        result.commit = head ? *head : std::string();
        result.nextCommand = "git show " + result.commit.substr(0, 12);
        return result;
    }
    if (options.verify) {
        auto log = testExport(files, request, options.cancel);
        if (!log)
            return log.error();
        result.testLog = std::move(log).value();
        result.verified = true;
    }
    auto commit = commitTree(inTree, request, result.verified);
    if (!commit)
        return commit.error();
    result.commit = std::move(commit).value();
    // Only from where it was (nowhere, when 'tip' is empty): somebody else's commit in between is not thrown away.
    const auto moved =
        git->run({ "update-ref", "-m", "rooftree export", "refs/heads/" + result.branch, result.commit, tip });
    if (!moved)
        return Error{ ErrorCode::Environment, "The branch " + result.branch + " changed meanwhile. Export again.",
            moved.error().detail };
    result.nextCommand = "git show " + result.branch;
    return result;
}

} // namespace rooftree::exporter
