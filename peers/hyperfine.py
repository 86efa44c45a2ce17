#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs archmeter time and hyperfine in turn on the same commands and prints both as Markdown.

usage: peers/hyperfine.py [--archmeter PROGRAM] [--rounds N] [--runs N] [--calm SECONDS] [COMMAND...]

hyperfine (Debian's package of that name) starts the commands without a shell, as archmeter does, and sends their output to
/dev/null; so does archmeter here (--discard). Every round each program measures every command, the order of the two programs
changing from round to round. Per command: the ratio of medians with its interval, as in ratio.py. Per pair of commands: what
archmeter concludes from its first round, and what hyperfine prints of its own, which has no interval and no verdict.
"""

import datetime
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import ratio

WORDS = 200_000  # of the text that is compressed: 1.3 MB
COMMANDS = ("sleep 0.05", "gzip -1 -c {file}", "gzip -6 -c {file}", "gzip -7 -c {file}", "sha256sum {file}", "sha256sum -b {file}")


def make_text(path):
    """Words by Zipf's law, the same every time."""
    draw = random.Random(1)
    vocabulary = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9))) for _ in range(5000)]
    weights = [1 / (i + 1) for i in range(len(vocabulary))]
    pathlib.Path(path).write_text(" ".join(draw.choices(vocabulary, weights, k=WORDS)), encoding="ascii")


def run_ours(program, commands, runs, folder):
    """({command: median}, the report)"""
    database = pathlib.Path(folder, "ours.db")
    database.unlink(missing_ok=True)
    words = [program, "time", *commands, "--discard", "--launches", str(runs), "--no-wait", "-q", "--format", "json",
             "-o", str(database)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    report = json.loads(done.stdout)
    medians = {r["point"]["command"]: r["metrics"]["time"]["median"] for r in report["results"]
               if r["bench"] == "exec.time"}
    named = {c["command"]: medians[c["point"]["command"]] for c in report["commands"]}
    return named, report


def run_theirs(commands, runs, folder):
    """({command: median}, the report)"""
    path = pathlib.Path(folder, "theirs.json")
    words = ["hyperfine", "-N", "--warmup", "1", "--runs", str(runs), "--style", "none", "--export-json", str(path), *commands]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    report = json.loads(path.read_text(encoding="utf-8"))
    return {r["command"]: r["median"] for r in report["results"]}, report


def agrees(estimate, low, high):
    """What two medians of the same command say of the two programs."""
    if low <= 1 <= high:
        return "same within the interval"
    return "within 3 %" if abs(estimate - 1) <= 0.03 else "apart"


def their_words(report, faster, slower):
    """What hyperfine prints of a pair: the ratio of means, with deviations propagated as if they were normal."""
    a, b = (next(r for r in report["results"] if r["command"] == c) for c in (faster, slower))
    factor = b["mean"] / a["mean"]
    spread = factor * ((a["stddev"] / a["mean"]) ** 2 + (b["stddev"] / b["mean"]) ** 2) ** 0.5
    return f"{factor:.2f} ± {spread:.2f} times faster"


def our_words(verdict):
    low, high = verdict["ci"]
    if low is None or verdict["factor"] is None:
        return verdict["verdict"]
    return f"{verdict['factor']:.2f} ({low:.2f}..{high:.2f}), {verdict['verdict']}"


def measure(options, commands, folder):
    ours, theirs, first = {c: [] for c in commands}, {c: [] for c in commands}, {}
    sides = [("ours", ours, lambda: run_ours(options.archmeter, commands, options.runs, folder)),
             ("theirs", theirs, lambda: run_theirs(commands, options.runs, folder))]
    for i in range(options.rounds):
        for name, values, run in sides if i % 2 else reversed(sides):
            ratio.await_calm(options.calm)
            medians, report = run()
            first.setdefault(name, report)
            for command in commands:
                values[command].append(medians[command])
        print(f"round {i + 1} of {options.rounds}", file=sys.stderr, flush=True)
    return ours, theirs, first


def print_tables(options, commands, folder, measured):
    ours, theirs, first = measured
    short = {c: c.replace(str(folder) + "/", "") for c in commands}
    today = datetime.date.today().isoformat()
    print(f"Measured {today} with `peers/hyperfine.py --rounds {options.rounds} --runs {options.runs}`. Medians in ms; in brackets "
          "the spread, (max − min) / median of the rounds.\n")
    ratio.print_head(["command", "hyperfine", "archmeter time", "ratio [95 % interval]", ""])
    apart = 0
    for c in commands:
        estimate = ratio.ratio(ours[c], theirs[c])
        word = agrees(*estimate)
        apart += word == "apart"
        ratio.print_row([f"`{short[c]}`", ratio.value_cell(theirs[c], 1e3, 2), ratio.value_cell(ours[c], 1e3, 2),
                         ratio.ratio_cell(*estimate), word])
    print()
    ratio.print_head(["faster", "slower", "hyperfine says", "archmeter time says"])
    names = {c["name"]: c["command"] for c in first["ours"]["commands"]}
    for v in first["ours"]["verdicts"]:
        a, b = names[v["faster"]], names[v["slower"]]
        ratio.print_row([f"`{short[a]}`", f"`{short[b]}`", their_words(first["theirs"], a, b), our_words(v)])
    return 1 if apart else 0


def main():
    parser = ratio.parser_of(__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10, help="executions of each command per round and program")
    parser.add_argument("commands", nargs="*", default=COMMANDS)
    options = parser.parse_args()
    if not shutil.which("hyperfine"):
        sys.exit("hyperfine is not here; Debian's package of that name has it")
    with tempfile.TemporaryDirectory() as folder:
        make_text(f"{folder}/text")
        commands = [c.replace("{file}", f"{folder}/text") for c in options.commands]
        return print_tables(options, commands, folder, measure(options, commands, folder))


if __name__ == "__main__":
    sys.exit(main())
