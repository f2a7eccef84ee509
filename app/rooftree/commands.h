// SPDX-FileCopyrightText: Rooftree contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

// The commands of `rooftree`, each in a file of its own. They return the exit code: 0 done, 1 the thing asked about
// failed, 2 usage, 3 environment, 130 interrupted. Human text and JSON documents go to standard output, progress and
// logs to standard error.
namespace rooftree::app {

struct RunOptions {
    std::string operatorName;
    std::string device = "cpu";
    std::string language = "cpp";
    std::string policy = "mcts";
    std::vector<std::string> proposers;
    std::string kernel; // a file to begin from
    std::string session;
    std::string replay; // a session whose evaluations stand in for the machine
    std::string cache = "warm";
    std::string time;
    int64_t evaluations = 0;
    int64_t stall = 0;
    double cost = 0;
    double target = 0;
    double roofline = 0;
    uint64_t seed = 1;
    int jobs = 4;
    bool json = false;
};
int runSearch(const RunOptions& options);

struct ResumeOptions {
    std::string session;
    std::string time;
    int64_t evaluations = 0; // in all, those of earlier runs included
    bool json = false;
};
int resumeSearch(const ResumeOptions& options);

struct EvalOptions {
    std::string operatorName;
    std::string kernel;
    std::string cache = "warm";
    uint64_t seed = 1;
    bool baselines = true;
    bool json = false;
};
int evalKernel(const EvalOptions& options);

struct CompareOptions {
    std::string operatorName;
    std::string kernelA;
    std::string kernelB;
    std::string cache = "warm";
    double margin = 0.02;
    int processes = 5;
    int pairs = 3;
    uint64_t seed = 1;
    bool json = false;
};
int compareKernels(const CompareOptions& options);

struct ShowOptions {
    std::string session;
    std::string node;
    std::string why;
    int64_t at = -1;
    bool tree = false;
    bool best = false;
    bool json = false;
};
int showSession(const ShowOptions& options);

struct ExportOptions {
    std::string session;
    std::string node;
    std::string repository;
    std::string preset = "cpp";
    std::string license = "MIT-0";
    bool allowUnverified = false;
    bool allowDirty = false;
    bool strip = false;
    bool verify = true;
    bool json = false;
};
int exportNode(const ExportOptions& options);

int listOperators(bool json);
int showOperator(const std::string& name, bool json);
int checkOperators(const std::vector<std::string>& names, bool json);
int doctor(bool json);
int bench(const std::vector<std::string>& names, bool json);

// Prints the error for people, or as a JSON document where one was asked for, and gives its exit code.
int fail(const Error& error, bool json = false);

} // namespace rooftree::app
