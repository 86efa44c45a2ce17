# SPDX-License-Identifier: MIT
"""A part of what tools/robustness.py tries, which makes doc/results/robustness.md: nothing of it may be bad."""
import os
import subprocess
import sys
from pathlib import Path

from e2e import Tap, scratch_place

TOOL = Path(__file__).resolve().parent.parent.parent / "tools" / "robustness.py"
PARTS = ["numbers", "claims", "texts", "damage", "foreign", "signals", "limits", "schemas", "bits", "flips", "edits", "beside", "extremes",
         "limit-numbers", "all-texts", "migrations", "environments", "races"]


def main():
    tap = Tap()
    build = Path(sys.argv[1]).resolve().parent
    place = scratch_place()
    env = {**os.environ, **({"TMPDIR": place} if place else {})}
    only = [word for part in PARTS for word in ("--only", part)]
    done = subprocess.run([sys.executable, str(TOOL), str(build), "--quick", *only], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env=env, check=False)
    rows = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    tap.ok(len(rows) == len(PARTS), f"{len(PARTS)} kinds of attack were tried", done.stdout)
    for row in rows:
        case, tried, outcome = (cell.strip() for cell in row.strip("|").split(" | "))
        tap.ok("bad" not in outcome and int(tried.replace(",", "")) > 0, f"{case}: {outcome}", done.stdout)
    tap.ok(done.returncode == 0, "and nothing broke", done.stdout)
    tap.done()


main()
