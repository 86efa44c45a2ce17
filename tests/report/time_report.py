# SPDX-License-Identifier: MIT
"""How long a report of many samples takes and how much memory: time_report.py ARCHMETER MAKE_RUN."""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from e2e import Tap  # noqa: E402

SAMPLES_A_POINT = 25
# samples, seconds, bytes of memory that may be used
GOALS = [(100_000, 3, 500 << 20), (1_000_000, 30, 500 << 20)]


def main():
    archmeter, make_run = map(os.path.abspath, sys.argv[1:3])
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="am-report-") as folder:
        for samples, limit_s, limit_bytes in GOALS:
            run = os.path.join(folder, f"{samples}.db")
            subprocess.run([make_run, run, "many", str(samples // SAMPLES_A_POINT)], check=True)
            begun = time.monotonic()
            out = subprocess.run([archmeter, "report", run], stdout=subprocess.PIPE, text=True, check=True)
            took = time.monotonic() - begun
            # of the largest child so far; runs grow, so the largest is the latest
            memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
            size = os.path.getsize(out.stdout.strip())
            tap.ok(took < limit_s and memory < limit_bytes,
                   f"{samples} samples: {took:.2f} s, {memory / 2**20:.0f} MiB, page of {size / 1000:.0f} kB")
    tap.done()


main()
