#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares omp.sync and omp.sched with the paper's method done by hand, on every runtime found.

usage: peers/omp_byhand.py [--archmeter PROGRAM] [--rounds N] [--threads N] [--calm SECONDS]

omp_byhand.c, beside this file, follows the EPCC paper and shares no code with archmeter; it is compiled
here by gcc (libgomp) and clang (libomp). Every round measures every construct once with each program,
the order of the two changing from round to round; the delay is the one that archmeter measured. The two
agree when the intervals of their medians over the rounds overlap.
"""

import datetime
import functools
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import ratio

COMPILERS = {"libgomp": "gcc", "libomp": "clang"}
ENVIRONMENT = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores", "OMP_DYNAMIC": "false"}

# Construct by hand: bench, its point, delays in one reference.
CONSTRUCTS = {
    "barrier": ("omp.sync", {"construct": "barrier"}, 1),
    "parallel": ("omp.sync", {"construct": "parallel"}, 1),
    "for": ("omp.sync", {"construct": "for"}, 1),
    "critical": ("omp.sync", {"construct": "critical"}, 1),
    "atomic_add_f64": ("omp.sync", {"construct": "atomic_add_f64"}, 1),
    "dynamic_1": ("omp.sched", {"schedule": "dynamic", "chunk": 1}, 1024),
}


def build(folder: str) -> dict[str, str]:
    """{runtime: program} for the compilers that are here and have OpenMP."""
    source = pathlib.Path(__file__).with_name("omp_byhand.c")
    programs = {}
    for runtime, compiler in COMPILERS.items():
        program = f"{folder}/{runtime}"
        command = [compiler, "-O2", "-fopenmp", "-o", program, str(source)]
        if shutil.which(compiler) and subprocess.run(command, check=False).returncode == 0:
            programs[runtime] = program
    return programs


def run_byhand(programs, threads, delays, runtime, construct, measurements=20):
    """Median overhead in seconds."""
    environment = {**os.environ, **ENVIRONMENT, "OMP_NUM_THREADS": str(threads)}
    command = [programs[runtime], construct, f"{delays[runtime, construct] * 1e9:.3f}",
               str(measurements)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return statistics.median(float(line) for line in done.stdout.split()) * 1e-9


def run_archmeter(program, threads, runtime, construct, metric="overhead"):
    bench, point, _ = CONSTRUCTS[construct]
    point = {**point, "runtime": runtime, "threads": threads, "binding": "close"}
    return ratio.run_archmeter(program, bench, point, metric)[0]


def interval(values):
    """(median, low, high): the order statistics that hold the median with 95 % or more, or all."""
    ordered, n = sorted(values), len(values)
    tail, out = 0.5 ** n, 0  # probability that the median lies below the value after `out`
    chosen = 1
    while tail <= 0.025 and out < n // 2:
        out += 1
        chosen = chosen * (n - out + 1) // out
        tail += chosen * 0.5 ** n
    first = max(out - 1, 0)
    return statistics.median(ordered), ordered[first], ordered[n - 1 - first]


def verdict(ours, theirs):
    (_, low, high), (_, their_low, their_high) = interval(ours), interval(theirs)
    return "agree" if low <= their_high and their_low <= high else "apart"


def cell(values):
    median, low, high = (v * 1e9 for v in interval(values))
    return f"{median:.4g} [{low:.4g}, {high:.4g}]"


def print_table(options, cases, ours, theirs):
    today = datetime.date.today().isoformat()
    print(f"Measured {today} with `peers/omp_byhand.py --rounds {options.rounds} --threads "
          f"{options.threads}`. Overhead of a directive in ns: median of the rounds and its interval.\n")
    ratio.print_head(["runtime", "construct", "by hand", "archmeter", "verdict"])
    apart = 0
    for runtime, construct in cases:
        case = runtime, construct
        word = verdict(ours[case], theirs[case])
        apart += word == "apart"
        ratio.print_row([runtime, construct, cell(theirs[case]), cell(ours[case]), word])
    return 1 if apart else 0


def main():
    parser = ratio.parser_of(__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    if options.rounds < 1 or options.threads < 1:
        parser.error("rounds and threads are 1 or more")
    with tempfile.TemporaryDirectory() as folder:
        programs = build(folder)
        cases = [(runtime, construct) for runtime in programs for construct in CONSTRUCTS]
        if not cases:
            sys.exit("neither gcc nor clang compiles OpenMP here")
        mine = functools.partial(run_archmeter, options.archmeter, options.threads)
        delays = {case: mine(*case, metric="reference") / CONSTRUCTS[case[1]][2] for case in cases}
        ours, theirs = ratio.in_turn(
            options, cases, mine, functools.partial(run_byhand, programs, options.threads, delays))
    return print_table(options, cases, ours, theirs)


if __name__ == "__main__":
    sys.exit(main())
