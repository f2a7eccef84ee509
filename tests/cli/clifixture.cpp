// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "clifixture.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>

namespace rooftree::test {

QJsonObject CliResult::json() const
{
    return QJsonDocument::fromJson(out).object();
}

std::unique_ptr<QProcess> startCli(const QStringList& arguments, const std::filesystem::path& folder)
{
    auto process = std::make_unique<QProcess>();
    process->setWorkingDirectory(QString::fromStdString(folder.string()));
    process->start(QString::fromStdString(programPath("rooftree").string()), arguments);
    process->waitForStarted();
    return process;
}

CliResult runCli(const QStringList& arguments, const std::filesystem::path& folder)
{
    const auto process = startCli(arguments, folder);
    process->closeWriteChannel();
    if (!process->waitForFinished(300'000))
        process->kill();
    process->waitForFinished();
    return { process->exitCode(), process->exitStatus() == QProcess::CrashExit, process->readAllStandardOutput(),
        process->readAllStandardError() };
}

std::string smallOperatorToml()
{
    return R"(name = "affine"
family = "elementwise"
description = "Three times the input, plus one."
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
rtol = 1e-5
atol = 1e-6

[[cases]]
axes = { n = 65536 }
[[cases]]
axes = { n = 257 }
role = "held-out"
)";
}

std::string smallKernel(const std::string& body)
{
    return "#include <cstdint>\n#define STEP 4 // rooftree: tune {1, 2, 4, 8}\n"
           "extern \"C\" void affine(const float* x, float* y, int64_t n)\n{\n    for (int64_t i = 0; i < n; ++i)\n    "
           "    "
        + (body.empty() ? "y[i] = 3.0f * x[i] + 1.0f;" : body) + "\n}\n";
}

std::filesystem::path writeSmallOperator(const std::filesystem::path& folder)
{
    const auto dir = folder / "affine";
    std::filesystem::create_directories(dir);
    const auto toml = writeFile(dir / "operator.toml", smallOperatorToml());
    const auto reference = writeFile(dir / "reference.cpp",
        "#include <cstdint>\nextern \"C\" void affine(const real* x, real* y, int64_t n)\n{\n"
        "    for (int64_t i = 0; i < n; ++i)\n        y[i] = real(3) * x[i] + real(1);\n}\n");
    const auto kernel = writeFile(folder / "kernel.cpp", smallKernel());
    if (!toml || !reference || !kernel)
        qFatal("cannot write the test operator");
    return dir;
}

QList<qint64> childrenOf(qint64 pid)
{
    QList<qint64> children;
    const auto tasks = QDir(QStringLiteral("/proc/%1/task").arg(pid)).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const auto& task : tasks) {
        QFile file(QStringLiteral("/proc/%1/task/%2/children").arg(pid).arg(task));
        if (!file.open(QIODevice::ReadOnly))
            continue;
        for (const auto& child : file.readAll().split(' ')) {
            if (child.toLongLong() > 0)
                children << child.toLongLong() << childrenOf(child.toLongLong());
        }
    }
    return children;
}

} // namespace rooftree::test
