#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether tune's mode measure finds what an exhaustive sweep finds, and in time.

check_tuner.py ARCHMETER BENCH [-p AXIS=VALUES...]   of one point, e.g. -p n=4M -p type=f32

Tunes the point by every candidate (patient) and by the search (measure), then measures both choices
in one run, interleaved. Ends with 0 when the search took less than 20 s and its choice is within
2 % of the other's.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS, SHARE = 20, 0.98
LAUNCHES = "9"


def call(*words: str) -> dict:
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}")
    return json.loads(done.stdout)


def tune(archmeter: str, words: list[str], mode: str, folder: Path) -> dict:
    points = call(archmeter, "tune", *words, "--mode", mode, "--format", "json", "--quiet",
                  "--tuning", str(folder / mode), "-o", str(folder / f"{mode}.db"))["points"]
    if len(points) != 1 or points[0]["reason"]:
        sys.exit(f"{len(points)} points; one that can be tuned is needed: give more -p")
    print(f"{mode:8} {points[0]['use']}  {points[0]['tried']} of {points[0]['candidates']} tried, "
          f"{points[0]['seconds']:.1f} s", flush=True)
    return points[0]


def together(archmeter: str, words: list[str], a: dict, b: dict, folder: Path) -> list[float]:
    """The first metric's medians of both choices, from one run."""
    axes = sorted({*a["use"], *b["use"]})
    both = [w for axis in axes for w in
            ("-p", f"{axis}={','.join(sorted({str(p['use'][axis]) for p in (a, b)}))}")]
    given = [w for w in zip(words[1::2], words[2::2]) if w[1].split("=")[0] not in axes]
    rows = call(archmeter, "run", words[0], *[w for pair in given for w in pair], *both, "--quick",
                "--no-tuning", "--launches", LAUNCHES, "--format", "json", "--quiet", "-o",
                str(folder / "both.db"))["results"]
    found = []
    for choice in (a, b):
        row = next(r for r in rows if all(r["point"][x] == choice["use"][x] for x in axes))
        found.append(row["metrics"][choice["metric"]])
    return [m["median"] if m["better"] == "higher" else 1 / m["median"] for m in found]


def main() -> int:
    if len(sys.argv) < 3 or len(sys.argv) % 2 == 0:
        sys.exit(__doc__)
    archmeter, words = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        best = tune(archmeter, words, "patient", folder)
        mine = tune(archmeter, words, "measure", folder)
        if mine["use"] == best["use"]:
            share = 1.0
        else:
            reference, found = together(archmeter, words, best, mine, folder)
            share = found / reference
    good = share >= SHARE and mine["seconds"] < SECONDS
    print(f"{'good' if good else 'NOT GOOD'}: {100 * share:.1f} % of the best of all candidates, "
          f"{mine['seconds']:.1f} s")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
