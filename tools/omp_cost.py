#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Advice of `archmeter omp cost` against what following it brings: the gain that was predicted, and the gain that
`archmeter time` measures between a program before and after the change. Programs are those of examples/directives.c, and
the applications blackscholes, stencil and leukocyte (tools/omp_apps.c, built by `ninja omp-apps-gcc omp-apps-clang`).

    tools/omp_cost.py --archmeter build/archmeter [--cc gcc --cc clang] [--program sweep ...] [--rounds 15]

Prints a table in Markdown. `inside`: the intervals of prediction and measurement meet.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent



class Change(NamedTuple):
    """What the second form of a program does otherwise."""

    words: str  # of the advice that it follows
    amount: int  # of work
    prefix: str = ""  # what it is started with
    grown: float = 1  # times the gain of the advice: it goes further
    program: str = "directives"  # -COMPILER


CHANGES = {
    "sweep": Change("join regions", 20),
    "price": Change("iterations at once", 1000, grown=(1 - 1 / 64) / (1 - 1 / 16)),
    "count": Change("in place of the critical", 400),
    "rest": Change("OMP_WAIT_POLICY", 60, prefix="env OMP_WAIT_POLICY=active "),
    "blackscholes": Change("iterations at once", 1000, program="omp-apps"),
    "stencil": Change("join regions", 20, program="omp-apps"),
    "leukocyte": Change("on one thread", 200, program="omp-apps"),
}


class Interval(NamedTuple):
    value: float
    lo: float
    hi: float


def interval(told: dict) -> Interval:
    return Interval(told["value"], *told["ci"])


def predicted(told: dict, change: Change) -> Interval | None:
    """The gain of the advice that the change follows."""
    for advice in told["omp_cost"]["advice"]:
        if change.words in advice["text"]:
            return Interval(*(x * change.grown for x in interval(advice["gain_s"])))
    return None


def measured(told: dict) -> Interval:
    """The first command's time less the second's; widths add."""
    first, second = ([m["median"], *m["ci"]] for m in
                     (r["metrics"]["time"] for r in told["results"] if r["bench"] == "exec.time"))
    return Interval(first[0] - second[0], first[1] - second[2], first[2] - second[1])


def run(archmeter: Path, folder: str, *words: str) -> dict:
    done = subprocess.run([str(archmeter), *words, "--format", "json"] if "--" not in words else
                          [str(archmeter), *words[: words.index("--")], "--format", "json", *words[words.index("--") :]],
                          cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"archmeter {' '.join(words)} ended with {done.returncode}")
    return json.loads(done.stdout)


def check(archmeter: Path, folder: str, cc: str, name: str, options: argparse.Namespace) -> str:
    change = CHANGES[name]
    amount = max(1, int(change.amount * options.amount))
    program = f"./{change.program}-{Path(cc).name}"
    cost = run(archmeter, folder, "omp", "cost", "-q", "--launches", str(options.launches), "--budget", options.budget, "-o",
               f"{name}-{Path(cc).name}-cost.db", "--", program, name, "before", str(amount))
    time = run(archmeter, folder, "time", "-q", "--no-wait", "--launches", str(options.rounds), "-o", f"{name}-{Path(cc).name}-time.db",
               f"{program} {name} before {amount}", f"{change.prefix}{program} {name} after {amount}")
    gain, want = measured(time), predicted(cost, change)
    alone = cost["omp_cost"].get("alone_s")  # missing where the budget was too small
    row = [name, Path(cc).name, f"{alone['value'] * 1e3:.4g}" if alone else "not measured",
           f"{gain.value * 1e3:.4g} [{gain.lo * 1e3:.4g}, {gain.hi * 1e3:.4g}]"]
    if not want:
        return "| " + " | ".join([*row, "no such advice", "", ""]) + " |"
    error = (want.value - gain.value) / abs(gain.value)
    meets = want.lo <= gain.hi and gain.lo <= want.hi
    return "| " + " | ".join([*row, f"{want.value * 1e3:.4g} [{want.lo * 1e3:.4g}, {want.hi * 1e3:.4g}]", f"{100 * error:+.0f} %",
                              "inside" if meets else "apart"]) + " |"


def bring(program: str, cc: str, folder: str, options: argparse.Namespace) -> None:
    """The program in the folder, where it is not there yet: compiled, or out of archmeter's build folder."""
    there = Path(folder, f"{program}-{Path(cc).name}")
    if there.exists():
        return
    if program == "directives":
        subprocess.run([cc, "-O2", "-fopenmp", "-o", str(there), str(options.source), "-lm"], check=True)
        return
    built = options.archmeter.resolve().parent / "src/bench/omp" / there.name
    if not built.exists():
        sys.exit(f"{built} is not there: ninja -C {options.archmeter.resolve().parent} {there.name}")
    shutil.copy(built, there)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--archmeter", type=Path, required=True)
    parser.add_argument("--cc", action="append", help="compilers; gcc and clang unless named")
    parser.add_argument("--rounds", type=int, default=15, help="executions of each form")
    parser.add_argument("--launches", type=int, default=5, help="launches of each point of omp cost")
    parser.add_argument("--budget", default="60s", help="of each omp cost")
    parser.add_argument("--amount", type=float, default=1, help="times the usual work")
    parser.add_argument("--program", action="append", choices=CHANGES)
    parser.add_argument("--keep", help="a folder for programs and results; a program that is in it is taken as it is")
    parser.add_argument("--source", type=Path, default=ROOT / "examples/directives.c")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or scratch
        os.makedirs(folder, exist_ok=True)
        print("| program | compiler | time, ms | gain measured, ms | gain predicted, ms | error | |\n|---|---|---|---|---|---|---|", flush=True)
        for cc in options.cc or ["gcc", "clang"]:
            for name in options.program or CHANGES:
                bring(CHANGES[name].program, cc, folder, options)
                print(check(options.archmeter.resolve(), folder, cc, name, options), flush=True)


if __name__ == "__main__":
    main()
