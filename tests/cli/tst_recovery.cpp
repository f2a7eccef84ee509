// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "clifixture.h"
#include "core/base/rng.h"
#include "core/store/sessionfile.h"

#include <QElapsedTimer>
#include <QTest>

#include <csignal>
#include <sys/mount.h>
#include <unistd.h>

using namespace rooftree;
using namespace rooftree::test;

// What happens when processes are killed, interrupted, or the disk is full.
class TestRecovery : public QObject {
    Q_OBJECT

private slots:
    void init();
    void killedSearchIsResumed();
    void killedWorkerIsReplaced();
    void interruptKeepsEverything();
    void fullDiskLeavesAReadableSession();

private:
    QStringList search(const char* session, int evaluations) const
    {
        return { QStringLiteral("run"), QStringLiteral("affine/"), QStringLiteral("--evals"),
            QString::number(evaluations), QStringLiteral("--session"), QString::fromLatin1(session),
            QStringLiteral("--json") };
    }
    int64_t evaluated(const char* session) const;
    std::optional<TemporaryDir> m_dir;
};

void TestRecovery::init()
{
    auto dir = TemporaryDir::make("rooftree-test");
    QVERIFY(dir.ok());
    m_dir.emplace(std::move(*dir));
    writeSmallOperator(m_dir->path());
}

int64_t TestRecovery::evaluated(const char* session) const
{
    const auto file = store::SessionFile::open(m_dir->path() / session, store::OpenMode::ReadOnly);
    if (!file)
        return -1;
    int64_t count = 0;
    const auto read = (*file)->read(1, store::Detail::Summary, [&](const store::Event& event) {
        count += std::holds_alternative<store::NodeEvaluated>(event.body) ? 1 : 0;
        return true;
    });
    return read && (*file)->check() ? count : -1;
}

void TestRecovery::killedSearchIsResumed()
{
    Rng rng(static_cast<uint64_t>(::getpid()));
    const auto first = startCli(search("s.rooftree", 200), m_dir->path());
    QTRY_VERIFY_WITH_TIMEOUT(evaluated("s.rooftree") > 2, 60'000);
    first->kill();
    first->waitForFinished();
    int64_t known = evaluated("s.rooftree");
    for (int round = 0; round < 3; ++round) {
        const auto again = startCli({ QStringLiteral("resume"), QStringLiteral("s.rooftree") }, m_dir->path());
        QTRY_VERIFY_WITH_TIMEOUT(evaluated("s.rooftree") > known, 60'000);
        QTest::qWait(static_cast<int>(rng.below(500)));
        again->kill();
        again->waitForFinished();
        const int64_t now = evaluated("s.rooftree");
        QVERIFY(now > known); // nothing that was committed is lost, and it went on
        known = now;
    }
    const auto last = runCli({ QStringLiteral("resume"), QStringLiteral("s.rooftree"), QStringLiteral("--evals"),
                                 QString::number(known + 5), QStringLiteral("--json") },
        m_dir->path());
    QVERIFY2(last.code == 0 || last.code == 1, last.err.constData());
    const auto file = store::SessionFile::open(m_dir->path() / "s.rooftree", store::OpenMode::ReadOnly);
    const auto tree = (*file)->loadTree();
    QVERIFY(tree.ok());
    for (const auto& node : tree->nodes())
        QVERIFY(node.state != search::NodeState::Running);
}

void TestRecovery::killedWorkerIsReplaced()
{
    const auto run = startCli(search("s.rooftree", 25), m_dir->path());
    int kills = 0;
    QElapsedTimer clock;
    clock.start();
    while (run->state() == QProcess::Running && clock.elapsed() < 200'000) {
        if (kills < 3 && evaluated("s.rooftree") > 3 * (kills + 1)) {
            const auto children = childrenOf(run->processId());
            if (!children.isEmpty() && ::kill(static_cast<pid_t>(children.first()), SIGKILL) == 0)
                ++kills;
        }
        run->waitForFinished(30);
    }
    QCOMPARE(run->exitStatus(), QProcess::NormalExit);
    QVERIFY2(run->exitCode() == 0 || run->exitCode() == 1, run->readAllStandardError().constData());
    QCOMPARE(kills, 3);
    QVERIFY(evaluated("s.rooftree") >= 24);
}

void TestRecovery::interruptKeepsEverything()
{
    const auto run = startCli(search("s.rooftree", 100'000), m_dir->path());
    QTRY_VERIFY_WITH_TIMEOUT(evaluated("s.rooftree") > 3, 60'000);
    const auto children = childrenOf(run->processId());
    ::kill(static_cast<pid_t>(run->processId()), SIGINT);
    QVERIFY(run->waitForFinished(120'000));
    QCOMPARE(run->exitCode(), 130);
    for (const qint64 child : children)
        QTRY_VERIFY(::kill(static_cast<pid_t>(child), 0) != 0);
    const auto file = store::SessionFile::open(m_dir->path() / "s.rooftree", store::OpenMode::ReadOnly);
    const auto tree = (*file)->loadTree();
    QVERIFY(tree.ok());
    for (const auto& node : tree->nodes())
        QVERIFY(node.state == search::NodeState::Done); // running evaluations were waited for
}

void TestRecovery::fullDiskLeavesAReadableSession()
{
    const auto disk = m_dir->path() / "disk";
    std::filesystem::create_directories(disk);
    if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=600k") != 0)
        QSKIP("mounting a small tmpfs needs root");
    const auto result = runCli(search("disk/s.rooftree", 400), m_dir->path());
    const bool readable = evaluated("disk/s.rooftree") > 0;
    const auto shown =
        runCli({ QStringLiteral("show"), QStringLiteral("disk/s.rooftree"), QStringLiteral("--tree") }, m_dir->path());
    ::umount(disk.c_str());
    QCOMPARE(result.code, 3);
    QVERIFY2(result.err.contains("space") || result.err.contains("full"), result.err.constData());
    QVERIFY(readable);
    QCOMPARE(shown.code, 0);
}

QTEST_GUILESS_MAIN(TestRecovery)
#include "tst_recovery.moc"
