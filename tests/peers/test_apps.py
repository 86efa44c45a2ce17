# SPDX-License-Identifier: MIT
"""apps.py: the programs that call libraries directly compile and run, and what they say is judged right."""
import ctypes
import math
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path[:0] = [sys.argv[1], str(pathlib.Path(__file__).parent.parent / "e2e")]

import apps  # noqa: E402  (found by the path above)
import ratio  # noqa: E402
from e2e import Tap  # noqa: E402

# Goal, interval, what it must say.
VERDICTS = ((0.98, 0.99, 1.01, "reached"), (0.98, 0.9, 0.95, "missed"), (0.98, 0.9, 1.0, "undecided"))
# Rows, threads and tile that was asked for; tile.
TILES = (((2048, 1, 0), 2048), ((2048, 2, 0), 1024), ((2047, 4, 0), 1024), ((2048, 16, 0), 512), ((2048, 2, 96), 96))


# Sizes as they may be given, and what they are; what is refused.
SIZES = (("64K,1M", [65536, 1048576]), ("0", [0]), ("16777216,2G", [16777216, 2 << 30]))
NO_SIZES = ("", "16Q", "-1", "1e3", "K", "64,", "\u0664")


def is_here(library):
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def check_blas(tap, folder, cpu):
    program = apps.compile_peer(folder, "blas_whole", "blas_whole.c", [])
    tap.ok(program, "blas_whole.c compiles")
    library = apps.LIBRARIES["openblas"]
    if not is_here(library):
        tap.skip("products", f"no {library} here")
    else:
        for kind in ("f32", "f64"):
            rate = apps.run_peer([program, library, kind, "64", "1"], cpu)
            tap.ok(rate > 0, f"{library} multiplies {kind}", rate)
    for words, status in ((["f64"], 2), ([library, "f16", "64", "1"], 2), ([library, "f64", "64", "0"], 2),
                          (["libnone.so.0", "f64", "64", "1"], 3)):
        done = subprocess.run([program, *words], capture_output=True, check=False)
        tap.ok(done.returncode == status and done.stderr, f"{words} is refused", done.returncode)


def check_sizes(tap):
    for text, sizes in SIZES:
        tap.ok(apps.numbers(text) == sizes, f"{text!r} is {sizes}", apps.numbers(text))
    for text in NO_SIZES:
        done = subprocess.run([sys.executable, apps.__file__, "fft", f"--fft-n={text}"], capture_output=True, text=True, check=False)
        tap.ok(done.returncode == 2 and "--fft-n: '" in done.stderr and "is no number" in done.stderr, f"{text!r} is refused", done.stderr)


def check_paired(tap):
    """Intervals of rounds: known ones, and that they hold the truth as often as they say."""
    tap.ok(ratio.sums_left_out(5, 0.95) == -1 and ratio.sums_left_out(6, 0.95) == 0 and ratio.sums_left_out(10, 0.95) == 8,
           "means left out as tables of the signed-rank test have them")
    estimate, low, high = ratio.paired([2.0] * 5, [1.0] * 5)
    tap.ok(abs(estimate - 2) < 1e-12 and (low, high) == (0.0, math.inf), "five rounds decide nothing")
    rng = random.Random(25)
    print("# seed 25")
    held = 0
    for _ in range(400):
        slow = [math.exp(rng.gauss(0, 0.3)) for _ in range(12)]  # what happens to both sides of a round
        ours = [1.02 * x * math.exp(rng.gauss(0, 0.02)) for x in slow]
        held += (lambda low, high: low <= 1.02 <= high)(*ratio.paired(ours, slow)[1:])
    tap.ok(held >= 368, "the interval holds the truth in 95 % or so of 400", held)  # 380 expected, 4.4 the deviation


def check_deciding(tap):
    sure = [{"own": 1.1 * x, "lib": x} for x in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)]
    tap.ok(apps.is_decided(sure, ["lib"], 1.03), "ten rounds that agree decide")
    tap.ok(not apps.is_decided(sure[:6], ["lib"], 1.03), "six do not end before the budget")
    other = [{**r, "blis": r["own"] / (1.0 if i % 2 else 1.06)} for i, r in enumerate(sure)]
    tap.ok(not apps.is_decided(other, ["lib", "blis"], 1.03), "one rival that is not decided keeps it going")


def check_turns(tap, folder, library):
    for command, status in ((["gemm_turns", "f64", "64"], 2), (["gemm_turns", "f16", "64", "1", "best", library], 2),
                            (["gemm_turns", "f64", "64", "99999", "best", library], 2), (["gemm_turns", "f64", "64", "1", "none", library], 2),
                            (["gemm_turns", "f64", "64", "1", "best", "libnone.so"], 3)):
        done = subprocess.run([f"{folder}/{command[0]}", *command[1:]], capture_output=True, check=False, stdin=subprocess.DEVNULL)
        tap.ok(done.returncode == status and done.stderr, f"{command} is refused", done.returncode)
    cases = [[f"{folder}/gemm_turns", kind, "65", "1", isa, library] for kind in ("f32", "f64") for isa in ("best", "scalar") if is_here(library)]
    cases += [[f"{folder}/{name}", "256", "1", "estimate", "serial"] for name in ("fft_turns", "fft_turns_f32")
              if pathlib.Path(folder, name).exists()]
    for command in cases:
        turns = apps.Turns(command)
        rounds = [turns.round(), turns.round()]
        turns.end()
        tap.ok(turns.sides[0] == "own" and all(rate > 0 for r in rounds for rate in r.values()), f"{command[0]} takes turns",
               rounds)


def main():
    tap = Tap()
    for goal, low, high, word in VERDICTS:
        tap.ok(apps.verdict(goal, low, high) == word, f"[{low}, {high}] of {goal} is {word}")
    for words, tile in TILES:
        tap.ok(apps.tile_of(*words) == tile, f"{words}: tiles of {tile}", apps.tile_of(*words))
    tap.ok(apps.compile_peer("/nonexistent", "x", "none.c", []) == "", "what does not compile is no program")
    cpu = str(min(apps.os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory() as folder:
        check_blas(tap, folder, cpu)
    check_sizes(tap)
    check_paired(tap)
    check_deciding(tap)
    check_turns(tap, sys.argv[2], apps.LIBRARIES["openblas"])
    tap.done()


if __name__ == "__main__":
    main()
