# SPDX-License-Identifier: MIT
"""omp_shape.py judges made-up runs: those with the paper's shape, and those without."""
import pathlib
import sys

sys.path[:0] = [sys.argv[1], str(pathlib.Path(__file__).parent.parent / "e2e")]

import omp_shape  # noqa: E402  (found by the path above)
from e2e import Tap  # noqa: E402


def row(bench, overhead_ns, spread=0.0, threads=2, **point):
    median = overhead_ns * 1e-9
    point = {"runtime": "libgomp", "threads": threads, "binding": "close", "wait": "default", **point}
    return {"bench": bench, "state": "ok", "point": point,
            "metrics": {"overhead": {"median": median,
                                     "ci": [median * (1 - spread), median * (1 + spread)]}}}


def sync(spread=0.0, **overheads):
    return [row("omp.sync", v, spread, construct=c) for c, v in overheads.items()]


def sched(schedule, overheads, spread=0.0):
    return [row("omp.sched", v, spread, schedule=schedule, chunk=c) for c, v in overheads.items()]


def array(clause, overheads, spread=0.0):
    return [row("omp.array", v, spread, clause=clause, elements=n) for n, v in overheads.items()]


# Sentence, results, finding, what it must say: True, False, None for undecided, "absent".
CASES = (
    ("constructs with a barrier are alike", sync(barrier=200, **{"for": 220}, single=310),
     "barrier ~ for ~ single", True),
    ("a single of five barriers is not", sync(barrier=200, **{"for": 220}, single=1000),
     "barrier ~ for ~ single", False),
    ("wide intervals leave it open", sync(0.5, barrier=200, **{"for": 220}, single=600),
     "barrier ~ for ~ single", None),
    ("parallel costs more than a barrier", sync(parallel=900, barrier=200), "parallel >= barrier", True),
    ("parallel for less than a barrier is a contradiction", sync(parallel=100, barrier=200),
     "parallel >= barrier", False),
    ("without its bench nothing is said", sync(parallel=100), "parallel >= barrier", "absent"),
    ("static,n comes down to static", sched("static", {0: 500, 1: 3000, 64: 550}),
     "static,n tends to static", True),
    ("static,n that goes up does not", sched("static", {0: 500, 1: 600, 64: 5000}),
     "static,n tends to static", False),
    ("dynamic falls", sched("dynamic", {0: 9000, 1: 9000, 4: 3000, 16: 1000, 1024: 1500}),
     "dynamic falls with its chunk", True),
    ("dynamic that rises is a contradiction", sched("dynamic", {1: 1000, 4: 3000, 16: 9000}),
     "dynamic falls with its chunk", False),
    ("private is flat", array("private", {1: 900, 729: 950, 59049: 1000}), "private is flat in size", True),
    ("private that grows is not", array("private", {1: 900, 729: 950, 59049: 90000}),
     "private is flat in size", False),
    ("copyin is linear", array("copyin", {1: 900, 729: 1000, 6561: 1800, 19683: 3600, 59049: 9000}),
     "copyin is linear in size", True),
    ("a quadratic copyin is not",
     array("copyin", {1: 900, 729: 1000, 6561: 1900, 19683: 9900, 59049: 81900}),
     "copyin is linear in size", False),
)


def main():
    tap = Tap()
    for sentence, results, what, expected in CASES:
        found = {f.what: f.holds for f in omp_shape.judge(results)}
        tap.ok(found.get(what, "absent") is expected or found.get(what, "absent") == expected == "absent",
               sentence, found)
    small = sync(parallel=100, barrier=200)
    for r in small:
        r["point"]["threads"] = 1
    found = {f.what: f.holds for f in omp_shape.judge(small + sync(parallel=900, barrier=200))}
    tap.ok(found["parallel >= barrier"] is True, "the largest team counts", found)
    skipped = [{"bench": "omp.sync", "state": "skip", "point": {"runtime": "libomp"}, "metrics": {}}]
    tap.ok(not omp_shape.judge(skipped), "what was skipped says nothing")
    tap.done()


if __name__ == "__main__":
    main()
