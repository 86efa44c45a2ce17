#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often compare errs between real runs of one machine in which nothing was changed.

    aa_runs.py ARCHMETER FOLDER RUNS [--machine FILE] [what `archmeter run` takes]

Measures RUNS runs into FOLDER (those that are there already are kept), then compares every pair of them; every pair with
the others as its record; every six that follow each other as three against three in turns (ABBAAB); and neighbours with
what looks changed measured again in fresh pairs, both sides being this program. Every faster or slower is false. Pairs
share runs, so that their shares are not as sure as their number suggests. 15 runs give 105 pairs.
"""
import itertools
import json
import os
import subprocess
import sys


def compare(archmeter, a, b, *args):
    """The verdicts of two sides, each a list of files."""
    got = subprocess.run([*archmeter, "compare", ",".join(a), ",".join(b), "--format", "json", *args], check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return json.loads(got.stdout)["count"]


def share(n, of):
    return f"{n} ({100 * n / of:.1f} %)"


def tell(what, counts):
    """A line of the table: comparisons, those flagged, those with a false verdict, rows, false rows, suspects."""
    if not counts:
        return
    flagged = [c["faster?"] + c["slower?"] for c in counts]
    wrong = [c["faster"] + c["slower"] for c in counts]
    rows = sum(sum(c.values()) for c in counts)
    same = sum(c["same"] for c in counts)
    print(f"| {what} | {len(counts)} | {share(sum(f > 0 for f in flagged), len(counts))} "
          f"| {share(sum(w > 0 for w in wrong), len(counts))} | {rows} | {sum(flagged)} | {sum(wrong)} "
          f"| {sum(c['suspect'] for c in counts)} | {100 * same / rows:.0f} % |", flush=True)


def measure(archmeter, folder, n, args):
    files = [os.path.join(folder, f"aa{i:03}.db") for i in range(n)]
    os.makedirs(folder, exist_ok=True)
    for path in files:
        if not os.path.exists(path):
            subprocess.run([*archmeter, "run", *args, "-q", "-o", path], check=True, stdout=subprocess.DEVNULL)
    return files


def main():
    program, folder, n, *args = sys.argv[1:]
    machine = args[:2] if args[:1] == ["--machine"] else []
    archmeter = [program, *machine]
    files = measure(archmeter, folder, int(n), args[len(machine):])
    nowhere = ("--record", os.path.join(folder, "none"))
    os.makedirs(nowhere[1], exist_ok=True)
    print("| sides | comparisons | with a `?` | with a false verdict | rows | rows with a `?` | false | suspects | same |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    pairs = list(itertools.combinations(files, 2))
    tell("one run against one", [compare(archmeter, [a], [b], *nowhere) for a, b in pairs])
    tell("the same with the others as record", [compare(archmeter, [a], [b], "--record", folder) for a, b in pairs])
    turns = [files[i:i + 6] for i in range(len(files) - 5)]
    tell("three against three, in turns",
         [compare(archmeter, [t[0], t[3], t[4]], [t[1], t[2], t[5]]) for t in turns])
    tell("neighbours, then fresh pairs",
         [compare(archmeter, [a], [b], *nowhere, "--rerun", "--against-env", "ARCHMETER_AA=1")
          for a, b in zip(files, files[1:])])


if __name__ == "__main__":
    main()
