# SPDX-License-Identifier: MIT
"""omp_byhand: the program compiles and gives a number for every construct; intervals and verdicts."""
import pathlib
import subprocess
import sys
import tempfile

sys.path[:0] = [sys.argv[1], str(pathlib.Path(__file__).parent.parent / "e2e")]

import omp_byhand  # noqa: E402  (found by the path above)
from e2e import Tap  # noqa: E402

# Values of the rounds, their interval.
INTERVALS = (
    ([5.0], (5, 5, 5)),
    ([1, 2, 3, 4, 5], (3, 1, 5)),
    ([6, 1, 2, 3, 5, 4], (3.5, 1, 6)),
    (list(range(1, 10)), (5, 2, 8)),  # P(median outside) = 2 * 10 / 512
)


def check_intervals(tap):
    for values, expected in INTERVALS:
        tap.ok(omp_byhand.interval(values) == expected, f"interval of {len(values)} rounds",
               omp_byhand.interval(values))
    tap.ok(omp_byhand.verdict([1, 2, 3], [3, 4, 5]) == "agree", "intervals that touch agree")
    tap.ok(omp_byhand.verdict([1, 2, 3], [4, 5, 6]) == "apart", "intervals that do not are apart")


def main():
    tap = Tap()
    check_intervals(tap)
    with tempfile.TemporaryDirectory() as folder:
        programs = omp_byhand.build(folder)
        if not programs:
            tap.skip("omp_byhand.c", "no compiler with OpenMP")
        for runtime, program in programs.items():
            for construct in omp_byhand.CONSTRUCTS:
                delays = {(runtime, construct): 20e-9}
                value = omp_byhand.run_byhand(programs, 2, delays, runtime, construct, 1)
                tap.ok(abs(value) < 10, f"{runtime}: {construct} by hand is a number", value)
            wrong = subprocess.run([program, "nothing", "1"], capture_output=True, check=False)
            tap.ok(wrong.returncode == 2 and wrong.stderr, f"{runtime}: another word is refused")
    tap.done()


if __name__ == "__main__":
    main()
