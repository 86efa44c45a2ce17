#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs mem.bandwidth in turn with plain C loops (STREAM's four) and with pmbw's scans, as Markdown.

usage: peers/stream.py [--archmeter PROGRAM] [--rounds N] [--sizes BYTES,...] [--kernels NAME,...]
                       [--calm SECONDS] [--cpu N]

stream.c, beside this file, shares no code with archmeter; it is compiled here with -O3
-march=native, once as it is and once with 512-bit vectors where the compiler knows the flag. The
rival is the best of both builds' plain loops and, for read, write and copy on x86-64, of the scans
with 64, 128 and 256 bits; ours the better of avx2 and avx512 (AArch64: neon). So theirs is the best
of up to five numbers, ours of two, and the best of many is higher by chance: that favours them.
Neither uses non-temporal stores. Every round measures every kernel and size once with each, the
order changing from round to round. Ratio and interval as in ratio.py.
"""

import collections
import datetime
import functools
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import ratio

GOAL = 0.98  # of the best rival, at least
KERNELS = ("read", "write", "copy", "scale", "add", "triad")
ISAS = {"x86_64": "avx2,avx512", "aarch64": "neon"}
SCANS = ("scan64", "scan128", "scan256")
FLAGS = (["-O3", "-march=native"], ["-O3", "-march=native", "-mprefer-vector-width=512"])


def build(folder):
    """The builds that compile: not every architecture knows the second one's flag."""
    source = pathlib.Path(__file__).with_name("stream.c")
    programs = []
    for i, flags in enumerate(FLAGS):
        program = f"{folder}/stream{i}"
        command = [os.environ.get("CC", "cc"), *flags, "-o", program, str(source)]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            programs.append(program)
    if not programs:
        sys.exit("stream.c does not compile")
    return programs


def run_rival(program, kernel, size, cpu):
    """Bytes per second; None where the build has no such kernel."""
    command = ["taskset", "-c", str(cpu), program, kernel, str(size)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 3:
        return None
    result.check_returncode()
    return float(result.stdout.split()[0])


def run_rivals(programs, kernel, size, cpu):
    """{name: bytes per second}; the better of the builds of the plain loop, and each scan."""
    rates = {"plain": max(run_rival(p, kernel, size, cpu) for p in programs)}
    for scan in SCANS:
        rate = run_rival(programs[0], f"{kernel}.{scan}", size, cpu)
        if rate is not None:
            rates[scan] = rate
    return rates


def run_archmeter(program, kernel, size):
    point = {"size": size, "kernel": kernel, "isa": ISAS[platform.machine()], "nt": 0}
    return max(ratio.run_archmeter(program, "mem.bandwidth", point, "bandwidth"))


def measure(options, cases, folder):
    programs = build(folder)
    return ratio.in_turn(options, cases, functools.partial(run_archmeter, options.archmeter),
                         lambda kernel, size: run_rivals(programs, kernel, size, options.cpu))


def verdict(_, low, high):
    if low >= GOAL:
        return "reached"
    return "missed" if high < GOAL else "undecided"


def best_of(rounds):
    """(the best rival's rate of each round, the one that was best most often)"""
    names = collections.Counter(max(r, key=r.get) for r in rounds)
    return [max(r.values()) for r in rounds], names.most_common(1)[0][0]


def print_table(options, cases, ours, theirs):
    today = datetime.date.today().isoformat()
    print(f"Measured {today} with `peers/stream.py --rounds {options.rounds}`. Medians of the rounds "
          "in GB/s; in brackets the spread, (max − min) / median.\n")
    ratio.print_head(["kernel", "size", "plain C", "best rival", "which", "mem.bandwidth",
                      "ratio [95 % interval]", "≥ 0.98"])
    missed = 0
    for kernel, size in cases:
        a, (b, name) = ours[kernel, size], best_of(theirs[kernel, size])
        plain = [r["plain"] for r in theirs[kernel, size]]
        estimate = ratio.ratio(a, b)
        word = verdict(*estimate)
        missed += word == "missed"
        ratio.print_row([kernel, ratio.SIZES.get(size, f"{size} B"),
                         ratio.value_cell(plain, 1e-9, 1), ratio.value_cell(b, 1e-9, 1), name,
                         ratio.value_cell(a, 1e-9, 1), ratio.ratio_cell(*estimate), word])
    return 1 if missed else 0


def main():
    parser = ratio.parser_of(__doc__.splitlines()[0])
    parser.add_argument("--sizes", default=",".join(map(str, ratio.SIZES)), help="bytes of all arrays")
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--cpu", type=int, default=min(os.sched_getaffinity(0)))
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("rounds are 1 or more")
    cases = [(k, int(s)) for k in options.kernels.split(",") for s in options.sizes.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = measure(options, cases, folder)
    return print_table(options, cases, ours, theirs)


if __name__ == "__main__":
    sys.exit(main())
