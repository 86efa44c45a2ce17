# SPDX-License-Identifier: MIT
"""apps.py: the programs that call libraries directly compile and run, and what they say is judged right."""
import ctypes
import pathlib
import subprocess
import sys
import tempfile

sys.path[:0] = [sys.argv[1], str(pathlib.Path(__file__).parent.parent / "e2e")]

import apps  # noqa: E402  (found by the path above)
from e2e import Tap  # noqa: E402

# Goal, interval, what it must say.
VERDICTS = ((0.98, 0.99, 1.01, "reached"), (0.98, 0.9, 0.95, "missed"), (0.98, 0.9, 1.0, "undecided"))
# Rows, threads and tile that was asked for; tile.
TILES = (((2048, 1, 0), 2048), ((2048, 2, 0), 1024), ((2047, 4, 0), 1024), ((2048, 16, 0), 512), ((2048, 2, 96), 96))


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


def check_fftw(tap, folder, cpu):
    for kind, words in apps.FFTW.items():
        program = apps.compile_peer(folder, f"fftw_{kind}", "fftw_threads.c", words)
        if not program:
            tap.skip(f"transforms of {kind}", "no FFTW to compile with")
            continue
        rate = apps.run_peer([program, "256", "1", "estimate"], cpu)
        tap.ok(rate > 0, f"FFTW transforms {kind}", rate)
        done = subprocess.run([program, "256", "0", "estimate"], capture_output=True, check=False)
        tap.ok(done.returncode == 2 and done.stderr, "no thread is refused", done.returncode)


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
        check_fftw(tap, folder, cpu)
    tap.done()


if __name__ == "__main__":
    main()
