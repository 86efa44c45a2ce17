#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares omp.sync with syncbench of the EPCC suite 4.0 itself, on every runtime found.

usage: peers/omp_epcc.py --epcc FOLDER [--archmeter PROGRAM] [--pair RUNTIME=COMPILER]... [--rounds N]
                         [--threads N] [--calm SECONDS]

FOLDER has the suite's sources (openmpbench_C_v40 of the repository EPCCed/epcc-openmp-microbenchmarks),
which are no part of this project. They are compiled as they are by gcc (libgomp) and clang (libomp); where
a library lacks omp_init_lock_with_hint, which libgomp of gcc 12 does, one without hints is linked beside.
Every round runs each program once with all constructs, the order of the two changing from round to round, with the delay that archmeter measured. The two agree when the intervals of their medians over the
rounds overlap.
"""

import datetime
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import ratio
from omp_byhand import COMPILERS, ENVIRONMENT, cell, verdict

# EPCC's measurement: ours. Its contended lock is a loop in which a thread may keep the lock: `lock` here.
CONSTRUCTS = {
    "PARALLEL": "parallel",
    "FOR": "for",
    "PARALLEL_FOR": "parallel_for",
    "BARRIER": "barrier",
    "BARRIER_VAR": "barrier_late",
    "SINGLE": "single",
    "CRITICAL": "critical",
    "LOCK_CONTENDED": "lock",
    "LOCK_UNCONTENDED": "lock_uncontended",
    "ORDERED": "ordered",
    "ATOMIC": "atomic_add_f64",
    "REDUCTION": "reduction",
}
SHIM = """#include <omp.h>
void omp_init_lock_with_hint(omp_lock_t *lock, omp_lock_hint_t hint) { (void)hint; omp_init_lock(lock); }
"""


def compile_suite(compiler: str, sources: pathlib.Path, program: str, extra: list[str]) -> bool:
    # Higher levels remove the suite's delay; its README asks for a low one then.
    command = [compiler, "-O1", "-w", "-fopenmp", "-o", program, str(sources / "syncbench.c"),
               str(sources / "common.c"), *extra, "-lm"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def build(folder: str, sources: pathlib.Path, compilers: dict[str, str]) -> dict[str, str]:
    """{runtime: program} for the compilers that are here and have OpenMP."""
    shim = pathlib.Path(folder, "shim.c")
    shim.write_text(SHIM, encoding="ascii")
    programs = {}
    for runtime, compiler in compilers.items():
        program = f"{folder}/{runtime}"
        if shutil.which(compiler) and (compile_suite(compiler, sources, program, [])
                                       or compile_suite(compiler, sources, program, [str(shim)])):
            programs[runtime] = program
    return programs


def overhead_in(text: str, measurement: str) -> float:
    """The median overhead that the suite prints, in seconds; it writes some names with blanks."""
    name = measurement.replace("_", "[ _]")
    found = re.search(rf"^{name} median_ovrhd = (-?[0-9.]+) microseconds", text, re.MULTILINE)
    if not found:
        sys.exit(f"the suite says nothing of {measurement}:\n{text}")
    return float(found[1]) * 1e-6


def run_epcc(programs, threads, delays, runtime):
    """{measurement: overhead} of one run of the whole suite."""
    environment = {**os.environ, **ENVIRONMENT, "OMP_NUM_THREADS": str(threads)}
    command = [programs[runtime], "--delay-time", f"{delays[runtime] * 1e6:.4f}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return {m: overhead_in(done.stdout, m) for m in CONSTRUCTS}


def run_archmeter(program, threads, runtime, metric="overhead"):
    """{measurement: value} of one run with all constructs."""
    point = {"construct": ",".join(CONSTRUCTS.values()), "runtime": runtime, "threads": threads, "binding": "close"}
    values = {}
    for result in (r for r in ratio.run_results(program, "omp.sync", point) if r["bench"] == "omp.sync"):
        told = result["metrics"][metric]
        # What is not resolved from zero has no median, but an interval.
        values[result["point"]["construct"]] = told["median"] if told["median"] is not None else sum(told["ci"]) / 2
    return {m: values[construct] for m, construct in CONSTRUCTS.items()}


def print_table(options, runtimes, ours, theirs):
    today = datetime.date.today().isoformat()
    print(f"Measured {today} with `peers/omp_epcc.py --rounds {options.rounds} --threads "
          f"{options.threads}`. Overhead of a directive in ns: median of the rounds and its interval.\n")
    ratio.print_head(["runtime", "measurement", "EPCC 4.0", "archmeter", "verdict"])
    apart = 0
    for (runtime,) in runtimes:
        for m in CONSTRUCTS:
            mine, other = ([values[m] for values in side[runtime,]] for side in (ours, theirs))
            word = verdict(mine, other)
            apart += word == "apart"
            ratio.print_row([runtime, m, cell(other), cell(mine), word])
    return 1 if apart else 0


def pair(text: str) -> tuple[str, str]:
    runtime, compiler = text.split("=", 1)
    return runtime, compiler


def main():
    parser = ratio.parser_of(__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--epcc", type=pathlib.Path, required=True, help="folder with the suite's sources")
    parser.add_argument("--pair", type=pair, action="append", default=[], metavar="RUNTIME=COMPILER",
                        help="in place of libgomp=gcc and libomp=clang, e.g. an added runtime; may be repeated")
    options = parser.parse_args()
    if options.rounds < 1 or options.threads < 1:
        parser.error("rounds and threads are 1 or more")
    if not (options.epcc / "syncbench.c").is_file():
        parser.error(f"{options.epcc} has no syncbench.c")
    with tempfile.TemporaryDirectory() as folder:
        programs = build(folder, options.epcc, dict(options.pair) or COMPILERS)
        cases = [(runtime,) for runtime in programs]
        if not cases:
            sys.exit("no compiler makes the suite here")
        mine = functools.partial(run_archmeter, options.archmeter, options.threads)
        delays = {runtime: mine(runtime, metric="reference")["BARRIER"] for runtime in programs}
        ours, theirs = ratio.in_turn(
            options, cases, mine, functools.partial(run_epcc, programs, options.threads, delays))
    return print_table(options, cases, ours, theirs)


if __name__ == "__main__":
    sys.exit(main())
