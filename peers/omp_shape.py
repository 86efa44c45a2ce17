#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints which findings of the EPCC paper a run of the omp benches shows, with the numbers.

usage: peers/omp_shape.py [--archmeter PROGRAM] RUN.db...

Of every runtime the largest team counts, with binding=close and wait=default. A finding needs its
benches in the run: omp.sync, omp.sched, omp.array. Exit code 1 when one is contradicted: by the
medians and by the intervals.
"""

import argparse
import json
import subprocess
import sys
from typing import NamedTuple, Optional

ALIKE = 2.5  # constructs that are mostly a barrier differ less than this
FLAT = 1.5  # largest over smallest of what does not depend on the size
LINEAR = (0.7, 1.3)  # exponent of what does, over the last factor of nine
USUAL = {"binding": "close", "wait": "default"}


class Value(NamedTuple):
    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median * 1e9:.4g} ns"


class Finding(NamedTuple):
    runtime: str
    what: str
    holds: Optional[bool]  # None: undecided, the intervals hold both answers
    numbers: str


class Run:
    """The overheads of one runtime's largest team."""

    def __init__(self, results: list, runtime: str):
        rows = [r for r in results if r["state"] == "ok" and r["point"].get("runtime") == runtime
                and all(r["point"].get(k) == v for k, v in USUAL.items())
                and "overhead" in r["metrics"]]
        most = max((r["point"]["threads"] for r in rows), default=0)
        self.rows = [r for r in rows if r["point"]["threads"] == most]
        self.threads = most

    def of(self, bench: str, **point) -> Optional[Value]:
        for row in self.rows:
            if row["bench"] == bench and all(row["point"].get(k) == v for k, v in point.items()):
                metric = row["metrics"]["overhead"]
                low, high = metric.get("ci") or (metric["median"],) * 2
                median = metric["median"]  # none where it is not resolved from zero
                return Value((low + high) / 2 if median is None else median, low, high)
        return None

    def sweep(self, bench: str, axis: str, **point) -> dict[int, Value]:
        keys = sorted({r["point"][axis] for r in self.rows if r["bench"] == bench
                       and all(r["point"].get(k) == v for k, v in point.items())})
        return {k: self.of(bench, **point, **{axis: k}) for k in keys}


def decide(holds: bool, possible: bool) -> Optional[bool]:
    """Contradicted only when not even the intervals allow it."""
    return True if holds else None if possible else False


def barriers(run: Run):
    values = {c: run.of("omp.sync", construct=c) for c in ("barrier", "for", "single")}
    if None in values.values():
        return None
    most = max(v.median for v in values.values()) / min(v.median for v in values.values())
    least = max(v.low for v in values.values()) / min(v.high for v in values.values())
    return (decide(0 < most <= ALIKE, least <= ALIKE),
            ", ".join(f"{c} {v}" for c, v in values.items()))


def parallel(run: Run):
    a, b = run.of("omp.sync", construct="parallel"), run.of("omp.sync", construct="barrier")
    if a is None or b is None:
        return None
    return decide(a.median >= b.median, a.high >= b.low), f"parallel {a}, barrier {b}"


def static_converges(run: Run):
    plain = run.of("omp.sched", schedule="static", chunk=0)
    chunks = {c: v for c, v in run.sweep("omp.sched", "chunk", schedule="static").items() if c > 0}
    if plain is None or len(chunks) < 2:
        return None
    fine, coarse = chunks[min(chunks)], chunks[max(chunks)]
    near = abs(coarse.median - plain.median) <= max(abs(fine.median - plain.median),
                                                    0.25 * abs(plain.median))
    overlap = coarse.low <= plain.high and plain.low <= coarse.high
    return (decide(near, overlap),
            f"static {plain}, static,{min(chunks)} {fine}, static,{max(chunks)} {coarse}")


def dynamic_falls(run: Run):
    chunks = {c: v for c, v in run.sweep("omp.sched", "chunk", schedule="dynamic").items() if c > 0}
    if len(chunks) < 2:
        return None
    steps = list(chunks.values())
    # Behind the least one only imbalance is left: chunks as large as a thread's share wait for each other.
    least = min(range(len(steps)), key=lambda i: steps[i].median)
    pairs = list(zip(steps[:least + 1], steps[1:least + 1]))
    falls = least > 0 and all(a.median >= b.median for a, b in pairs)
    possible = steps[0].high >= steps[-1].low and all(a.high >= b.low for a, b in pairs)
    return decide(falls, possible), ", ".join(f"{c}: {v}" for c, v in chunks.items())


def flat(run: Run):
    sizes = run.sweep("omp.array", "elements", clause="private")
    if len(sizes) < 2:
        return None
    values = list(sizes.values())
    most = max(v.median for v in values) / min(v.median for v in values)
    least = max(v.low for v in values) / min(v.high for v in values)
    return (decide(0 < most <= FLAT, least <= FLAT),
            f"{min(sizes)} elements {sizes[min(sizes)]}, {max(sizes)} {sizes[max(sizes)]}")


def linear(clause: str):
    """Without what the smallest array costs, the overhead grows as the elements do."""
    def judge(run: Run):
        sizes = run.sweep("omp.array", "elements", clause=clause)
        if len(sizes) < 4:
            return None
        keys = list(sizes)
        base, at, far = sizes[keys[0]], sizes[keys[-3]], sizes[keys[-1]]
        growth = (far.median - base.median) / max(at.median - base.median, 1e-12)
        ratio = keys[-1] / keys[-3]
        holds = ratio ** LINEAR[0] <= growth <= ratio ** LINEAR[1]
        possible = ((far.high - base.low) / max(at.low - base.high, 1e-12) >= ratio ** LINEAR[0]
                    and (far.low - base.high) / max(at.high - base.low, 1e-12) <= ratio ** LINEAR[1])
        return (decide(holds, possible),
                f"{keys[-3]} elements {at}, {keys[-1]} {far}: {growth:.3g} times for {ratio:.3g}")
    return judge


FINDINGS = {
    "barrier ~ for ~ single": barriers,
    "parallel >= barrier": parallel,
    "static,n tends to static": static_converges,
    "dynamic falls with its chunk": dynamic_falls,
    "private is flat in size": flat,
    **{f"{clause} is linear in size": linear(clause)
       for clause in ("firstprivate", "copyin", "copyprivate")},
}


def judge(results: list) -> list[Finding]:
    found = []
    for runtime in sorted({r["point"]["runtime"] for r in results if "runtime" in r["point"]}):
        run = Run(results, runtime)
        for what, judge_one in FINDINGS.items():
            answer = judge_one(run)
            if answer:
                found.append(Finding(f"{runtime}, {run.threads} threads", what, *answer))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--archmeter", default="build/archmeter", help="the program to run")
    parser.add_argument("runs", nargs="+", metavar="RUN.db")
    options = parser.parse_args()
    results = []
    for path in options.runs:
        command = [options.archmeter, "show", path, "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stderr)
        results += json.loads(done.stdout)["results"]
    found = judge(results)
    words = {True: "pass", False: "fail", None: "open"}
    for f in found:
        print(f"{words[f.holds]}  {f.runtime}: {f.what} ({f.numbers})")
    if not found:
        sys.exit("the runs have none of omp.sync, omp.sched and omp.array with what a finding needs")
    return 1 if any(f.holds is False for f in found) else 0


if __name__ == "__main__":
    sys.exit(main())
