# SPDX-License-Identifier: MIT
"""blackscholes.py: the plain loop runs, our loops have their accuracy, wrong ones are noticed, verdicts."""
import ctypes
import pathlib
import subprocess
import sys
import tempfile

sys.path[:0] = [sys.argv[1], str(pathlib.Path(__file__).parent.parent / "e2e")]

import blackscholes  # noqa: E402  (found by the path above)
from e2e import Tap  # noqa: E402

# Goal, interval, what it must say.
VERDICTS = ((1.2, 1.3, 1.5, "reached"), (1.2, 1.0, 1.1, "missed"), (1.2, 1.1, 1.3, "undecided"))
# The first rows of PARSEC's input with its prices; a third with a wrong one.
PARSEC = "S,K,r,q,vol,T,type,divs,DGrefval\n42,40,0.1,0,0.2,0.5,C,0,4.75942303685175\n"
WRONG = PARSEC + "42,40,0.1,0,0.2,0.5,P,0,0.9\n"


def check_prices(tap, folder, isa):
    kernels = blackscholes.load_kernels(folder, isa)
    tap.ok(kernels.isa == isa.encode(), f"the library has the table of {isa}", kernels.isa)
    rows = [(42.0, 40.0, 0.1, 0.2, 0.5), (100.0, 100.0, 0.05, 0.15, 1.0)] * 5
    most, relative = blackscholes.errors_of(kernels, "f64", rows)
    tap.ok(most <= blackscholes.ERROR_MAX and relative <= 1e-12, f"{isa}, f64 against erfc", most)
    most, _ = blackscholes.errors_of(kernels, "f32", rows)
    tap.ok(1e-8 < most <= blackscholes.PARSEC_MAX, f"{isa}, f32 has an error, and a small one", most)
    for text, right in ((PARSEC, True), (WRONG, False)):
        path = f"{folder}/options.csv"
        pathlib.Path(path).write_text(text, encoding="ascii")
        _, difference = blackscholes.parsec_error(kernels, "f64", path)
        tap.ok((difference <= blackscholes.PARSEC_MAX) == right,
               f"{isa}: PARSEC's price is {'met' if right else 'missed where it is wrong'}", difference)


def check_plain(tap, folder):
    for program in blackscholes.build(folder, ["avx2"])["avx2"]:
        for kind, limit in (("f32", 1e-4), ("f64", 1e-12)):
            rate, error = blackscholes.run_plain(program, kind, 512, min(blackscholes.os.sched_getaffinity(0)))
            tap.ok(rate > 0 and error <= limit, f"the plain loop prices {kind}", (rate, error))
        wrong = subprocess.run([program, "f16", "512"], capture_output=True, check=False)
        tap.ok(wrong.returncode == 2 and wrong.stderr, "another type is refused")


def main():
    tap = Tap()
    for goal, low, high, word in VERDICTS:
        tap.ok(blackscholes.verdict(goal, low, high) == word, f"[{low}, {high}] of {goal} is {word}")
    tap.ok(ctypes.sizeof(blackscholes.Args) == 9 * ctypes.sizeof(ctypes.c_void_p), "arguments as the header's")
    usable = blackscholes.usable() if sys.platform == "linux" else []
    if "avx2" not in usable:
        tap.skip("prices", "no AVX2 here")
    else:
        with tempfile.TemporaryDirectory() as folder:
            check_prices(tap, folder, usable[-1])
            check_plain(tap, folder)
    tap.done()


if __name__ == "__main__":
    main()
