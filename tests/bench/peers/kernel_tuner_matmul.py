#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rooftree contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rooftree's tuner beside Kernel Tuner on the same tunable C++ matmul, space, machine and budget of configurations.

By hand:  python3 -m venv venv && venv/bin/pip install -r tests/bench/peers/requirements.txt
          venv/bin/python tests/bench/peers/kernel_tuner_matmul.py [--evals 60] [--size 1024] [--strategy random_sample]
Both tune resources/kernels/cpp/matmul/packed.cpp, with g++ and the kernel's default flags (Kernel Tuner has no compiler tunable).
The best of each is then measured by `rooftree compare`, so that one ruler judges both.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
KERNEL = os.path.join(ROOT, "resources", "kernels", "cpp", "matmul", "packed.cpp")
TUNE = re.compile(r"^#define (\w+) (\S+)\s*// rooftree: tune \{(.*)\}\s*$", re.M)
REQUIRE = re.compile(r"^// rooftree: require (.*)$", re.M)
FLAGS = ["-O3", "-march=native", "-fopenmp", "-std=c++20"]


def space(source):
    parameters = {name: [int(value) for value in values.split(",")] for name, _, values in TUNE.findall(source)}
    return parameters, REQUIRE.findall(source)


def without_choices(source):
    """Only the integer tunables stay: the flags and compiler lines would give Rooftree a larger space than its peer."""
    return "\n".join(line for line in source.split("\n") if not re.match(r"// rooftree: (flags|compiler)", line))


def run_kernel_tuner(source, parameters, requirements, options):
    import numpy
    from kernel_tuner import tune_kernel

    size = options.size
    kernel = TUNE.sub("", source) + """
#include <chrono>
extern "C" float timed(float* a, float* b, float* c, long m, long n, long k)
{
    const auto start = std::chrono::steady_clock::now();
    matmul(a, b, c, m, n, k);
    return std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start).count();
}
"""
    rng = numpy.random.default_rng(1)
    a, b = (rng.standard_normal((size, size), dtype=numpy.float32) for _ in range(2))
    c = numpy.zeros((size, size), dtype=numpy.float32)
    answer = (a.astype(numpy.float64) @ b.astype(numpy.float64)).astype(numpy.float32)
    arguments = [a, b, c] + [numpy.int64(size)] * 3
    restrictions = [requirement.replace("&&", " and ").replace("||", " or ") for requirement in requirements]
    os.environ["OMP_NUM_THREADS"] = str(len(os.sched_getaffinity(0)))
    start = time.monotonic()
    results, _ = tune_kernel("timed", kernel, size, arguments, parameters, restrictions=restrictions, lang="C", compiler="g++",
                             compiler_options=FLAGS, answer=[None, None, answer, None, None, None], atol=1e-2, verbose=False, quiet=True,
                             strategy=options.strategy, strategy_options={"max_fevals": options.evals}, iterations=7)
    seconds = time.monotonic() - start
    timed = [row for row in results if isinstance(row.get("time"), float)]
    best = min(timed, key=lambda row: row["time"])
    return {"seconds": seconds, "configurations": len(results), "best_ms": best["time"], "best": {name: best[name] for name in parameters}}


def run_rooftree(source, options, directory):
    kernel = os.path.join(directory, "matmul.cpp")
    with open(kernel, "w") as file:
        file.write(source)
    session = os.path.join(directory, "tune.rooftree")
    start = time.monotonic()
    # The first evaluation is the kernel as given; the rest are configurations, as many as the peer has.
    out = subprocess.run([options.rooftree, "run", options.operator, "--kernel", kernel, "--proposers", "tune", "--policy", "greedy", "--evals",
                          str(options.evals), "--session", session, "--json"], check=True, stdout=subprocess.PIPE).stdout
    seconds = time.monotonic() - start
    found = json.loads(out)
    shown = subprocess.run([options.rooftree, "show", session, "--best", "--json"], check=True, stdout=subprocess.PIPE).stdout
    text = json.loads(shown)["candidate"]["files"][0]["content"]
    return {"seconds": seconds, "search_seconds": found["search_ms"] / 1e3, "configurations": found["evaluations"],
            "best_ms": found["champion"]["time_ns"] / 1e6, "best": {name: int(value) for name, value, _ in TUNE.findall(text)}, "source": text}


def with_values(source, values):
    return TUNE.sub(lambda match: match.group(0).replace(f"#define {match.group(1)} {match.group(2)}", f"#define {match.group(1)} {values[match.group(1)]}"), source)


def compare(ours, theirs, options, directory):
    paths = []
    for name, text in (("ours", ours), ("theirs", theirs)):
        os.makedirs(os.path.join(directory, name))
        paths.append(os.path.join(directory, name, "matmul.cpp"))
        with open(paths[-1], "w") as file:
            file.write(text)
    out = subprocess.run([options.rooftree, "compare", options.operator, *paths, "--json"], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evals", type=int, default=60)
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--strategy", default="random_sample", help="of Kernel Tuner")
    parser.add_argument("--operator", default="matmul")
    parser.add_argument("--rooftree", default=os.path.join(ROOT, "build", "release", "bin", "rooftree"))
    options = parser.parse_args()
    with open(KERNEL) as file:
        source = without_choices(file.read())
    parameters, requirements = space(source)
    with tempfile.TemporaryDirectory() as directory:
        theirs = run_kernel_tuner(source, parameters, requirements, options)
        ours = run_rooftree(source, options, directory)
        duel = compare(ours.pop("source"), with_values(source, theirs["best"]), options, directory)
    for result in (theirs, ours):
        result["configurations_per_hour"] = 3600 * result["configurations"] / result["seconds"]
    json.dump({"kernel_tuner": theirs, "rooftree": ours, "our_best_against_theirs": {key: duel[key] for key in ("verdict", "ratio", "pairs")}},
              sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
