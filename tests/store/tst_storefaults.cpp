// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"
#include "core/store/sessionfile.h"
#include "tests/store/sampleevents.h"

#include <QtTest>

#include <csignal>
#include <fstream>
#include <functional>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace rooftree;
using namespace rooftree::store;

static QByteArray text(std::string_view value)
{
    return { value.data(), static_cast<qsizetype>(value.size()) };
}

// What happens to a session when programs, disks and people misbehave.
class TestStoreFaults : public QObject {
    Q_OBJECT

private slots:
    void init();

    void wrongFilesAreErrors_data();
    void wrongFilesAreErrors();
    void creatingTwiceIsRefused();
    void newerVersionsAreRefused();
    void foreignDatabasesStayAsTheyAre();
    void secondWriterIsRefused();
    void readersSeeWhatTheWriterWrites();
    void killedWriterLosesNothing();
    void fullDiskLeavesTheSessionReadable();
    void truncatedAndFlippedFilesNeverCrash();

private:
    std::filesystem::path path() const { return m_dir->path() / "s.rooftree"; }
    void writeSample(int64_t nodes);

    std::optional<TemporaryDir> m_dir;
};

void TestStoreFaults::init()
{
    m_dir.reset();
    m_dir.emplace(std::move(TemporaryDir::make("rooftree-store")).value());
}

// A session with a root and nodes 1 .. nodes.
void TestStoreFaults::writeSample(int64_t nodes)
{
    const auto file = SessionFile::open(path(), OpenMode::Create);
    QVERIFY(file);
    QVERIFY((*file)->append(sampleSession(), 0));
    QVERIFY((*file)->append(rootEvents(), 0));
    for (int64_t id = 1; id <= nodes; ++id)
        QVERIFY((*file)->append(nodeEvents(id, (id - 1) / 2), 0));
}

void TestStoreFaults::wrongFilesAreErrors_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QByteArray>("word");
    QTest::newRow("empty") << QByteArray("") << QByteArray("is empty");
    QTest::newRow("short text") << QByteArray("hello") << QByteArray("not a session");
    QTest::newRow("long text") << QByteArray(100000, 'x') << QByteArray("not a session");
    QTest::newRow("half a header") << QByteArray("SQLite format 3\0", 16) << QByteArray("not a session");
    QTest::newRow("broken header") << QByteArray("SQLite format 3\0", 16) + QByteArray(5000, '\xff')
                                   << QByteArray("not a session");
}

void TestStoreFaults::wrongFilesAreErrors()
{
    QFETCH(QByteArray, content);
    QFETCH(QByteArray, word);
    QVERIFY(writeFile(path(), content.toStdString()));
    for (const auto mode : { OpenMode::ReadOnly, OpenMode::ReadWrite }) {
        const auto file = SessionFile::open(path(), mode);
        QVERIFY(!file);
        QVERIFY2(text(file.error().text).contains(word), file.error().text.c_str());
        QVERIFY(exitCode(file.error().code) == 2);

        QVERIFY(SessionFile::open(m_dir->path() / "missing", mode).error().code == ErrorCode::NotFound);
        QVERIFY(SessionFile::open(m_dir->path() / "missing" / "missing", mode).error().code == ErrorCode::NotFound);
        QVERIFY(text(SessionFile::open(m_dir->path(), mode).error().text).contains("not a file"));
        QVERIFY(!SessionFile::open("", mode));
    }
    QCOMPARE(text(*readFile(path())), content); // untouched
    QVERIFY(!std::filesystem::exists(path().string() + "-lock"));
}

void TestStoreFaults::creatingTwiceIsRefused()
{
    writeSample(1);
    const auto again = SessionFile::open(path(), OpenMode::Create);
    QVERIFY(!again);
    QVERIFY(text(again.error().text).contains("exists already"));
    QVERIFY(SessionFile::open(path(), OpenMode::ReadOnly));
    QVERIFY(!SessionFile::open(m_dir->path() / "no" / "folder", OpenMode::Create));
    QVERIFY(!SessionFile::open(m_dir->path(), OpenMode::Create));
    QVERIFY(!SessionFile::open("/proc/nothing.rooftree", OpenMode::Create));
}

static void sql(const std::filesystem::path& path, const char* script)
{
    sqlite3* handle = nullptr;
    QCOMPARE(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
    QCOMPARE(sqlite3_exec(handle, script, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
}

void TestStoreFaults::newerVersionsAreRefused()
{
    writeSample(1);
    sql(path(), "PRAGMA user_version = 2");
    const auto before = *readFile(path());
    for (const auto mode : { OpenMode::ReadOnly, OpenMode::ReadWrite }) {
        const auto file = SessionFile::open(path(), mode);
        QVERIFY(!file);
        QVERIFY2(text(file.error().text).contains("newer Rooftree"), file.error().text.c_str());
    }
    QVERIFY(*readFile(path()) == before);
}

void TestStoreFaults::foreignDatabasesStayAsTheyAre()
{
    sql(path(), "CREATE TABLE event(x); INSERT INTO event VALUES(1)");
    const auto before = *readFile(path());
    for (const auto mode : { OpenMode::ReadOnly, OpenMode::ReadWrite }) {
        const auto file = SessionFile::open(path(), mode);
        QVERIFY(!file);
        QVERIFY2(text(file.error().text).contains("another program"), file.error().text.c_str());
    }
    QVERIFY(*readFile(path()) == before);
    // One that claims to be ours but has other tables.
    sql(path(), "PRAGMA application_id = 1380340818; PRAGMA user_version = 1");
    const auto file = SessionFile::open(path(), OpenMode::ReadWrite);
    QVERIFY(!file);
    QVERIFY2(text(file.error().text).contains("tables of a session"), file.error().text.c_str());
}

void TestStoreFaults::secondWriterIsRefused()
{
    writeSample(1);
    auto first = SessionFile::open(path(), OpenMode::ReadWrite);
    QVERIFY(first);
    std::filesystem::create_symlink(path(), m_dir->path() / "other name");
    for (const auto& name : { path(), m_dir->path() / "other name" }) {
        const auto second = SessionFile::open(name, OpenMode::ReadWrite);
        QVERIFY(!second);
        QVERIFY2(text(second.error().text).contains("Another program is writing"), second.error().text.c_str());
    }
    // The refusal did not disturb the first one, and readers are welcome.
    QVERIFY((*first)->append(nodeEvents(2, 0), 0));
    QVERIFY(SessionFile::open(path(), OpenMode::ReadOnly));
    QVERIFY((*first)->append(nodeEvents(3, 0), 0));
    *first = nullptr;
    QVERIFY(SessionFile::open(path(), OpenMode::ReadWrite));
    QVERIFY(!std::filesystem::exists(path().string() + "-lock"));
    QVERIFY(!std::filesystem::exists(path().string() + "-wal"));
}

// Runs it in a child; the child's exit code.
static int inChild(const std::function<int()>& work)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(work());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void TestStoreFaults::readersSeeWhatTheWriterWrites()
{
    auto writer = SessionFile::open(path(), OpenMode::Create);
    QVERIFY(writer);
    QVERIFY((*writer)->append(sampleSession(), 0));
    QVERIFY((*writer)->append(rootEvents(), 0));
    const auto reader = SessionFile::open(path(), OpenMode::ReadOnly);
    QVERIFY(reader);
    for (int64_t id = 1; id <= 50; ++id) {
        QVERIFY((*writer)->append(nodeEvents(id, 0), 0));
        QCOMPARE((*reader)->lastSequence(), (*writer)->lastSequence());
        QCOMPARE((*reader)->loadTree()->size(), static_cast<int>(id) + 1);
    }
    // Another process, too, and a writer does not wait for a reader in the middle of its reading.
    const auto last = (*writer)->lastSequence();
    const auto size = inChild([&] {
        const auto other = SessionFile::open(path(), OpenMode::ReadOnly);
        return other && (*other)->lastSequence() == last && (*other)->check() ? (*other)->loadTree()->size() : 0;
    });
    QCOMPARE(size, 51);
    QVERIFY((*reader)->read(1, Detail::Summary,
        [&](const Event& event) { return event.sequence > 1 || (*writer)->append(nodeEvents(51, 0), 0).ok(); }));
    QCOMPARE((*reader)->loadTree()->size(), 52);
}

void TestStoreFaults::killedWriterLosesNothing()
{
    writeSample(0);
    int64_t committed = 0; // the last event that a child said it had written
    int64_t next = 1;
    for (int round = 0; round < 10; ++round) {
        int pipeEnds[2];
        QCOMPARE(pipe(pipeEnds), 0);
        const pid_t child = fork();
        if (child == 0) {
            auto file = SessionFile::open(path(), OpenMode::ReadWrite);
            for (int64_t id = next; file; ++id) {
                for (const auto& event : nodeEvents(id, (id - 1) / 2)) {
                    if (!(*file)->append(event, 0))
                        _exit(1);
                    const int64_t sequence = (*file)->lastSequence();
                    if (write(pipeEnds[1], &sequence, sizeof sequence) != sizeof sequence)
                        _exit(1);
                }
            }
            _exit(1);
        }
        close(pipeEnds[1]);
        const int wanted = 20 + 37 * round;
        for (int i = 0; i < wanted; ++i)
            QCOMPARE(read(pipeEnds[0], &committed, sizeof committed), static_cast<ssize_t>(sizeof committed));
        kill(child, SIGKILL);
        while (read(pipeEnds[0], &committed, sizeof committed) == static_cast<ssize_t>(sizeof committed)) { }
        close(pipeEnds[0]);
        int status = 0;
        waitpid(child, &status, 0);
        QVERIFY(WIFSIGNALED(status));

        const auto reader = SessionFile::open(path(), OpenMode::ReadOnly); // before any writer has repaired anything
        QVERIFY2(reader, reader ? "" : reader.error().text.c_str());
        QVERIFY((*reader)->lastSequence() >= committed);
        const auto file = SessionFile::open(path(), OpenMode::ReadWrite); // the dead writer's lock went with it
        QVERIFY2(file, file ? "" : file.error().text.c_str());
        const auto sound = (*file)->check();
        QVERIFY2(sound, sound ? "" : sound.error().text.c_str());
        next = (*file)->loadTree()->size();
        // What the next round's writer finds half done is finished, as a resumed search does.
        const auto unfinished = (*file)->loadTree()->nodes().back();
        if (unfinished.state == search::NodeState::Running)
            QVERIFY((*file)->append(NodeLost{ unfinished.id, "killed" }, 0));
    }
    QVERIFY(next > 100);
}

void TestStoreFaults::fullDiskLeavesTheSessionReadable()
{
    writeSample(3);
    const auto before = std::filesystem::file_size(path());
    // A file size limit fails writes as a full disk does: some of the transaction is on disk, the rest is not.
    const int code = inChild([&] {
        signal(SIGXFSZ, SIG_IGN);
        auto file = SessionFile::open(path(), OpenMode::ReadWrite);
        const rlimit limit{ before + 100'000, before + 100'000 };
        if (!file || setrlimit(RLIMIT_FSIZE, &limit) != 0)
            return 1;
        for (int64_t id = 4; id < 1000; ++id) {
            const auto last = (*file)->lastSequence();
            const auto status = (*file)->append(nodeEvents(id, 0), 0);
            if (status)
                continue;
            // Said clearly, nothing of the failed transaction counted, and still readable in the same program.
            const bool said = status.error().code == ErrorCode::Io && text(status.error().text).contains("full");
            const bool whole = (*file)->lastSequence() == last && (*file)->loadTree()->size() == id;
            return said ? (whole ? 42 : 3) : 2;
        }
        return 4;
    });
    QCOMPARE(code, 42);
    const auto file = SessionFile::open(path(), OpenMode::ReadWrite);
    QVERIFY(file);
    QVERIFY((*file)->check());
    const auto size = (*file)->loadTree()->size();
    QVERIFY(size > 4);
    QVERIFY((*file)->append(nodeEvents(size, 0), 0)); // there is room again
    QVERIFY((*file)->check());

    // A session that cannot even be begun leaves no file behind.
    QCOMPARE(inChild([&] {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{ 2000, 2000 };
        setrlimit(RLIMIT_FSIZE, &limit);
        const auto created = SessionFile::open(m_dir->path() / "new.rooftree", OpenMode::Create);
        return created ? 1 : created.error().code == ErrorCode::Io ? 42 : 2;
    }),
        42);
    QVERIFY(!std::filesystem::exists(m_dir->path() / "new.rooftree"));
}

void TestStoreFaults::truncatedAndFlippedFilesNeverCrash()
{
    writeSample(12);
    const auto whole = *readFile(path());
    int found = 0;
    const auto probe = [&](const std::string& content) {
        for (const auto* suffix : { "-wal", "-shm" })
            std::filesystem::remove(path().string() + suffix);
        std::ofstream(path(), std::ios::binary | std::ios::trunc) << content;
        const auto file = SessionFile::open(path(), OpenMode::ReadOnly);
        if (!file)
            return ++found;
        const bool sound = (*file)->check().ok();
        (void)(*file)->read(1, Detail::Full, [](const Event&) { return true; });
        (void)(*file)->loadTree();
        (void)(*file)->session();
        for (int64_t id = 0; id < 13; ++id) {
            (void)(*file)->candidate(NodeId{ id });
            (void)(*file)->evaluation(NodeId{ id });
            (void)(*file)->decision(NodeId{ id });
        }
        return found += sound ? 0 : 1;
    };
    for (std::size_t part = 1; part < 16; ++part)
        probe(whole.substr(0, whole.size() * part / 16));
    QCOMPARE(found, 15);
    for (std::size_t i = 0; i < 150; ++i) {
        auto flipped = whole;
        const auto at = i < 50 ? i : (i * 7919 * 31) % whole.size();
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << (i % 8)));
        probe(flipped);
    }
    QVERIFY(found > 15);
}

QTEST_APPLESS_MAIN(TestStoreFaults)
#include "tst_storefaults.moc"
