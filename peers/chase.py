#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs mem.latency and an independent pointer chase in turn and prints their ratio as Markdown.

usage: peers/chase.py [--archmeter PROGRAM] [--rounds N] [--sizes BYTES,...] [--calm SECONDS]
                      [--cpu N]

chase.c, beside this file, shares no code with archmeter; it is compiled here. Every round measures
every plateau once with each program, the order of the two changing from round to round. TLB-local
and page-random chases are stated apart. Ratio and interval as in likwid.py.
"""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from likwid import await_calm, ratio, spread

GOAL = 0.03  # plateaus of the two agree within this
SIZES = {16 << 10: "16 KiB", 256 << 10: "256 KiB", 2 << 20: "2 MiB", 256 << 20: "256 MiB"}
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


def run_archmeter(program, size, pattern, folder):
    path = f"{folder}/run.db"
    command = [program, "run", "mem.latency", "--quick", "--format", "json", "-q", "-o", path,
               "-p", f"size={size}", "-p", f"pattern={pattern}", "-p", "pages=any"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    pathlib.Path(path).unlink(missing_ok=True)
    try:
        return json.loads(result.stdout)["results"][0]["metrics"]["latency"]["median"]
    except (ValueError, LookupError, TypeError):
        sys.exit(f"{' '.join(command)}\n{result.stdout}{result.stderr}")


def measure(options, cases, folder):
    program = build(folder)
    ours = {c: [] for c in cases}
    theirs = {c: [] for c in cases}
    for i in range(options.rounds):
        for size, pattern in cases:
            turns = [
                lambda s=size, p=pattern: ours[s, p].append(
                    run_archmeter(options.archmeter, s, p, folder)),
                lambda s=size, p=pattern: theirs[s, p].append(
                    run_chase(program, s, p, options.cpu)),
            ]
            for turn in turns if i % 2 else reversed(turns):
                await_calm(options.calm)
                turn()
        print(f"round {i + 1} of {options.rounds}", file=sys.stderr, flush=True)
    return ours, theirs


def verdict(r, low, high):
    if abs(r - 1) <= GOAL:
        return "within 3 %"
    return "3 % lies in the interval" if low <= 1 + GOAL and high >= 1 - GOAL else "apart"


def print_table(options, cases, ours, theirs):
    today = datetime.date.today().isoformat()
    print(f"Measured {today} with `peers/chase.py --rounds {options.rounds}`. Medians in ns a load; in "
          "brackets the spread, (max − min) / median of the rounds.\n")
    print("| order | working set | plain chase | mem.latency | ratio [95 % interval] | verdict |")
    print("|---|---|---|---|---|---|")
    apart = 0
    for size, pattern in cases:
        a, b = ours[size, pattern], theirs[size, pattern]
        r, low, high = ratio(a, b)
        word = verdict(r, low, high)
        apart += word == "apart"
        name = SIZES.get(size, f"{size} B")
        print(f"| {PATTERNS[pattern]} | {name} | {statistics.median(b) * 1e9:.3f} ({spread(b):.0f} %) "
              f"| {statistics.median(a) * 1e9:.3f} ({spread(a):.0f} %) "
              f"| **{r:.3f}** [{low:.3f}, {high:.3f}] | {word} |")
    return 1 if apart else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--archmeter", default="build/archmeter", help="the program to run")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="working sets in bytes")
    parser.add_argument("--calm", type=float, default=20, help="longest wait for an idle machine, s")
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
