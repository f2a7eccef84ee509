// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/files.h"

#include <QByteArray>
#include <QJsonObject>
#include <QProcess>
#include <QStringList>

#include <memory>

// The real programs, run as a user runs them.
namespace rooftree::test {

struct CliResult {
    int code = -1;
    bool crashed = false;
    QByteArray out;
    QByteArray err;
    QJsonObject json() const; // of standard output
};

// Runs rooftree with these arguments in this folder.
CliResult runCli(const QStringList& arguments, const std::filesystem::path& folder);
std::unique_ptr<QProcess> startCli(const QStringList& arguments, const std::filesystem::path& folder);

// A small operator that builds and runs in milliseconds: y = a x + b, with a tunable kernel beside it. Gives the operator's folder.
std::filesystem::path writeSmallOperator(const std::filesystem::path& folder);
std::string smallOperatorToml();
std::string smallKernel(const std::string& body = {}); // a right one; the body replaces its loop's statement

// Processes of the worker and its children that are left in this program's children.
QList<qint64> childrenOf(qint64 pid);

} // namespace rooftree::test
