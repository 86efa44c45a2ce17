#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs app.gemm and app.fft in turn with the libraries called directly, as Markdown.

usage: peers/apps.py [gemm] [fft] [--archmeter PROGRAM] [--rounds N] [--calm SECONDS] [--cpu N]
                     [--gemm-n N,...] [--gemm-threads N,...] [--tiles N,...] [--libraries NAME,...]
                     [--tiles-by library,own] [--fft-n N,...] [--types f32,f64]
                     [--plan estimate|measure] [--threads N] [--executors NAME,...]

Matrix products: the library multiplies tiles that an executor hands to it, against the same library
called once on the whole matrices with its own threads; and our own kernels against that. Tiles of 0 are
as large as they can be for the threads: the whole matrix for one, a quarter for up to four. Fourier
transforms: FFTW's loops handed to an executor by its callback, against FFTW's own threads. With
--plan estimate both sides have the same plan, so that only who runs the loops differs. blas_whole.c and
fftw_threads.c, beside this file, share no code with archmeter; they are compiled here. Ratio and interval
as in ratio.py; every round measures every case once with each, the order changing from round to round.
"""

import datetime
import functools
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import ratio

HERE = pathlib.Path(__file__).resolve().parent
GOALS = {"gemm": 0.98, "fft": 0.98}  # of the library called directly, at least
OWN_GOAL = 1.03  # our own kernels
LIBRARIES = {"openblas": "libopenblas.so.0", "blis": "libblis.so.4", "atlas": "libcblas.so.3"}
FFTW = {"f32": ["-DF32", "-lfftw3f_threads", "-lfftw3f"], "f64": ["-lfftw3_threads", "-lfftw3"]}


def compile_peer(folder: str, name: str, source: str, words: list[str]) -> str:
    """The program, or nothing where it cannot be built."""
    program = f"{folder}/{name}"
    command = [os.environ.get("CC", "cc"), "-O2", "-o", program, str(HERE / source), *words, "-ldl", "-lm"]
    return program if subprocess.run(command, capture_output=True, check=False).returncode == 0 else ""


def run_peer(command: list[str], cpus: str) -> float:
    done = subprocess.run(["taskset", "-c", cpus, *command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return float(done.stdout)


def tile_of(n: int, threads: int, tile: int) -> int:
    return tile or math.ceil(n / math.ceil(math.sqrt(threads)))


def run_gemm(program: str, library: str, variant: str, kind: str, n: int, threads: int, tile: int) -> float:
    """`library` is whom the case compares with: our own kernels stand beside each of them."""
    del library
    point = {"executor": "serial" if threads == 1 else "task:dbf", "threads": threads, "variant": variant,
             "type": kind, "n": n, "task_size": tile_of(n, threads, tile)}
    return ratio.run_archmeter(program, "app.gemm", point, "flops")[0]


def run_fft(program: str, plan: str, threads: int, executor: str, kind: str, n: int) -> float:
    point = {"executor": executor, "threads": threads, "variant": "callback", "type": kind, "n": n,
             "plan": plan, "task_size": 0}
    return max(ratio.run_archmeter(program, "app.fft", point, "flops"))


def verdict(goal: float, low: float, high: float) -> str:
    if low >= goal:
        return "reached"
    return "missed" if high < goal else "undecided"


def print_table(options, app: str, columns: list[str], cases: list, ours: dict, theirs: dict) -> bool:
    """Whether a case missed its goal."""
    print(f"Measured {datetime.date.today().isoformat()} with `peers/apps.py {app} --rounds "
          f"{options.rounds}`. Medians of the rounds in Gflop/s; in brackets the spread, (max − min) / "
          "median.\n")
    ratio.print_head([*columns, "directly", app, "ratio [95 % interval]", "goal"])
    missed = False
    for case in cases:
        goal = OWN_GOAL if "own" in case else GOALS[app]
        estimate = ratio.ratio(ours[case], theirs[case])
        word = verdict(goal, *estimate[1:])
        missed = missed or word == "missed"
        ratio.print_row([*map(str, case), ratio.value_cell(theirs[case], 1e-9, 1),
                         ratio.value_cell(ours[case], 1e-9, 1), ratio.ratio_cell(*estimate),
                         f"≥ {goal}: {word}"])
    print()
    return missed


def first_cpus(n: int) -> str:
    return ",".join(map(str, sorted(os.sched_getaffinity(0))[:n]))


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def compare_gemm(options, folder: str) -> bool:
    program = compile_peer(folder, "blas_whole", "blas_whole.c", [])
    cases = [(library, library if by == "library" else by, kind, n, threads, tile)
             for library in options.libraries.split(",") for by in options.tiles_by.split(",")
             for kind in options.types.split(",") for n in numbers(options.gemm_n)
             for threads in numbers(options.gemm_threads) for tile in numbers(options.tiles) if tile <= n]

    def directly(library, _variant, kind, n, threads, _tile):
        cpus = str(options.cpu) if threads == 1 else first_cpus(threads)
        return run_peer([program, LIBRARIES[library], kind, str(n), str(threads)], cpus)
    ours, theirs = ratio.in_turn(options, cases, functools.partial(run_gemm, options.archmeter), directly)
    return print_table(options, "gemm", ["library", "tiles by", "type", "n", "threads", "tile"], cases, ours,
                       theirs)


def compare_fft(options, folder: str) -> bool:
    kinds = options.types.split(",")
    programs = {k: compile_peer(folder, f"fftw_{k}", "fftw_threads.c", FFTW[k]) for k in kinds}
    if not all(programs.values()):
        sys.exit("fftw_threads.c does not compile: install libfftw3-dev")
    cases = [(executor, kind, n) for executor in options.executors.split(",") for kind in kinds
             for n in numbers(options.fft_n)]

    def directly(_executor, kind, n):
        return run_peer([programs[kind], str(n), str(options.threads), options.plan],
                        first_cpus(options.threads))
    ours, theirs = ratio.in_turn(
        options, cases, functools.partial(run_fft, options.archmeter, options.plan, options.threads), directly)
    return print_table(options, "fft", ["executor", "type", "n"], cases, ours, theirs)


def main() -> int:
    parser = ratio.parser_of(__doc__.splitlines()[0])
    parser.add_argument("apps", nargs="*", choices=[[], *GOALS], help="which; both if none is named")
    parser.add_argument("--cpu", type=int, default=min(os.sched_getaffinity(0)))
    parser.add_argument("--types", default="f32,f64")
    parser.add_argument("--gemm-n", default="2048")
    parser.add_argument("--gemm-threads", default="1")
    parser.add_argument("--tiles", default="0,1024")
    parser.add_argument("--tiles-by", default="library,own")
    parser.add_argument("--libraries", default="openblas,blis")
    parser.add_argument("--fft-n", default="65536,1048576")
    parser.add_argument("--plan", choices=["estimate", "measure"], default="estimate")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--executors", default="task:default,task:dbf")
    options = parser.parse_args()
    if options.rounds < 1 or options.threads < 1:
        parser.error("rounds and threads are 1 or more")
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for app in options.apps or list(GOALS):
            missed = {"gemm": compare_gemm, "fft": compare_fft}[app](options, folder) or missed
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
