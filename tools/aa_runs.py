#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often compare errs between real runs of one machine in which nothing was changed.

    aa_runs.py ARCHMETER FOLDER RUNS [what `archmeter run` takes]

Measures RUNS runs into FOLDER (those that are there already are kept), then compares every pair of them, and every six
that follow each other as three against three in turns (ABBAAB). Every faster or slower is false. Pairs share runs, so
that their shares are not as sure as their number suggests.
"""
import itertools
import json
import os
import subprocess
import sys


def compare(archmeter, a, b):
    """The verdicts of two sides, each a list of files."""
    got = subprocess.run([archmeter, "compare", ",".join(a), ",".join(b), "--format", "json"], check=True,
                         stdout=subprocess.PIPE, text=True)
    return json.loads(got.stdout)["count"]


def tell(what, counts):
    """A line of the table: comparisons, those with a false verdict, rows, false rows, suspects."""
    wrong = [c["faster"] + c["slower"] + c["faster?"] + c["slower?"] for c in counts]
    rows = sum(sum(c.values()) for c in counts)
    same = sum(c["same"] for c in counts)
    print(f"| {what} | {len(counts)} | {sum(w > 0 for w in wrong)} ({100 * sum(w > 0 for w in wrong) / len(counts):.1f} %) "
          f"| {rows} | {sum(wrong)} | {sum(c['suspect'] for c in counts)} | {100 * same / rows:.0f} % |")


def main():
    archmeter, folder, n, *args = sys.argv[1:]
    files = [os.path.join(folder, f"aa{i:03}.db") for i in range(int(n))]
    os.makedirs(folder, exist_ok=True)
    for path in files:
        if not os.path.exists(path):
            subprocess.run([archmeter, "run", *args, "-q", "-o", path], check=True, stdout=subprocess.DEVNULL)
    print("| sides | comparisons | with a false verdict | rows | false | suspects | same |\n"
          "| --- | --- | --- | --- | --- | --- | --- |")
    tell("one run against one", [compare(archmeter, [a], [b]) for a, b in itertools.combinations(files, 2)])
    turns = [files[i:i + 6] for i in range(len(files) - 5)]
    if turns:
        tell("three against three, in turns",
             [compare(archmeter, [t[0], t[3], t[4]], [t[1], t[2], t[5]]) for t in turns])


if __name__ == "__main__":
    main()
