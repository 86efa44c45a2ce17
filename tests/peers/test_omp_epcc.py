# SPDX-License-Identifier: MIT
"""omp_epcc: what the suite prints is read, and what is linked beside it compiles."""
import pathlib
import shutil
import subprocess
import sys

sys.path[:0] = [sys.argv[1], str(pathlib.Path(__file__).parent.parent / "e2e")]

import omp_epcc  # noqa: E402  (found by the path above)
from e2e import Tap  # noqa: E402

PRINTED = """
PARALLEL FOR median_ovrhd = 7.000000 microseconds
FOR time         = 0.929832 microseconds +/- 0.085849
FOR overhead     = 0.191922 microseconds +/- 1.243109
FOR median_ovrhd = -0.025000 microseconds
"""


def main():
    tap = Tap()
    tap.ok(abs(omp_epcc.overhead_in(PRINTED, "FOR") + 25e-9) < 1e-15, "a median overhead is read, of no other name")
    tap.ok(abs(omp_epcc.overhead_in(PRINTED, "PARALLEL_FOR") - 7e-6) < 1e-15, "also of a name with a blank")
    try:
        omp_epcc.overhead_in(PRINTED, "SINGLE")
        tap.ok(False, "what is not printed ends the comparison")
    except SystemExit as end:
        tap.ok("SINGLE" in str(end.code), "what is not printed ends the comparison")
    compiler = next((c for c in omp_epcc.COMPILERS.values() if shutil.which(c)), None)
    if compiler:
        done = subprocess.run([compiler, "-x", "c", "-fopenmp", "-Wall", "-Werror", "-fsyntax-only", "-"],
                              input=omp_epcc.SHIM, text=True, capture_output=True, check=False)
        tap.ok(done.returncode == 0, "the lock without hints compiles", done.stderr)
    else:
        tap.skip("the lock without hints", "no compiler with OpenMP")
    tap.done()


if __name__ == "__main__":
    main()
