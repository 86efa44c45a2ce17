#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs mem.latency and an independent pointer chase in turn and prints their ratio as Markdown.

usage: peers/chase.py [--archmeter PROGRAM] [--rounds N] [--sizes BYTES,...] [--calm SECONDS]
                      [--cpu N]

chase.c, beside this file, shares no code with archmeter; it is compiled here. Every round measures
every plateau once with each program, the order of the two changing from round to round. TLB-local
and page-random chases are stated apart. Ratio and interval as in ratio.py.
"""

import datetime
import functools
import os
import pathlib
import subprocess
import sys
import tempfile

import ratio

GOAL = 0.03  # plateaus of the two agree within this
PATTERNS = {"local": "TLB-local", "random": "page-random"}


def build(folder):
    source = pathlib.Path(__file__).with_name("chase.c")
    program = f"{folder}/chase"
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-O2", "-o", program, str(source)], check=True)
    return program


def run_chase(program, size, pattern, cpu):
    command = ["taskset", "-c", str(cpu), program, str(size), pattern]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(result.stdout.split()[0]) * 1e-9


def run_archmeter(program, size, pattern):
    point = {"size": size, "pattern": pattern, "pages": "any"}
    return ratio.run_archmeter(program, "mem.latency", point, "latency")[0]


def measure(options, cases, folder):
    program = build(folder)
    return ratio.in_turn(options, cases, functools.partial(run_archmeter, options.archmeter),
                         lambda size, pattern: run_chase(program, size, pattern, options.cpu))


def verdict(r, low, high):
    if abs(r - 1) <= GOAL:
        return "within 3 %"
    return "3 % lies in the interval" if low <= 1 + GOAL and high >= 1 - GOAL else "apart"


def print_table(options, cases, ours, theirs):
    today = datetime.date.today().isoformat()
    print(f"Measured {today} with `peers/chase.py --rounds {options.rounds}`. Medians in ns per load; in "
          "brackets the spread, (max − min) / median of the rounds.\n")
    ratio.print_head(["order", "working set", "plain chase", "mem.latency",
                      "ratio [95 % interval]", "verdict"])
    apart = 0
    for size, pattern in cases:
        a, b = ours[size, pattern], theirs[size, pattern]
        estimate = ratio.ratio(a, b)
        word = verdict(*estimate)
        apart += word == "apart"
        ratio.print_row([PATTERNS[pattern], ratio.SIZES.get(size, f"{size} B"),
                         ratio.value_cell(b, 1e9, 3), ratio.value_cell(a, 1e9, 3),
                         ratio.ratio_cell(*estimate), word])
    return 1 if apart else 0


def main():
    parser = ratio.parser_of(__doc__.splitlines()[0])
    parser.add_argument("--sizes", default=",".join(map(str, ratio.SIZES)), help="working sets in bytes")
    parser.add_argument("--cpu", type=int, default=min(os.sched_getaffinity(0)))
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("rounds are 1 or more")
    cases = [(int(s), p) for p in PATTERNS for s in options.sizes.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = measure(options, cases, folder)
    return print_table(options, cases, ours, theirs)


if __name__ == "__main__":
    sys.exit(main())
