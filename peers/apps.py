#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs app.gemm and app.fft in turn with the libraries called directly, as Markdown.

usage: peers/apps.py [gemm] [fft] [--archmeter PROGRAM] [--rounds N] [--calm SECONDS] [--cpu N]
                     [--gemm-n N,...] [--gemm-threads N,...] [--isa NAME] [--tiles N,...] [--libraries NAME,...]
                     [--tiles-by library,own] [--fft-n N,...] [--types f32,f64] [--turns FOLDER] [--budget SECONDS]
                     [--plan estimate|measure] [--threads N,...] [--executors NAME,...]

Our own kernels, and FFTW's loops run by our executors: FOLDER/gemm_turns and FOLDER/fft_turns (`ninja
tests/peers/gemm_turns tests/peers/fft_turns` builds them) have both sides in one process, alternating after
some 20 ms or one product. Which pages the kernel gives decides some percent of a transform, so fft_turns is started anew for
each --rounds of it: the medians of these are one draw, which counts as a round does. Rounds are asked for until every goal is reached or missed, at most for --budget per case; the
interval is that of the rounds' ratios. To stop early it must decide at 99.5 %, since it is looked at again and again; what is
printed is the one at 95 % of all rounds.

Tiles by a library (--tiles-by library): the library multiplies tiles that an executor hands to it, against the
same library called once on the whole matrices with its own threads, by blas_whole.c, which shares no code with
archmeter; --rounds of both, in turn. Tiles of 0 are as large as they can be for the threads: the whole matrix for one, a
quarter for up to four.

A library that does not know this CPU takes kernels of an old one: the table says which it took. OPENBLAS_CORETYPE and
BLIS_ARCH_TYPE choose others; --isa chooses ours (best: the widest that there is), so that both sides can have the same.
"""

import argparse
import datetime
import functools
import itertools
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import ratio

HERE = pathlib.Path(__file__).resolve().parent
GOALS = {"gemm": 0.98, "fft": 0.98}  # of the library called directly, at least
OWN_GOAL = 1.03  # our own kernels
EARLY = 0.995  # the level at which rounds end before the budget does
RIVALS_FFT = ["fftw", "fftw-huge"]  # as fft_turns names them
LIBRARIES = {"openblas": "libopenblas.so.0", "blis": "libblis.so.4", "atlas": "libcblas.so.3"}


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
    """`variant` multiplies the tiles."""
    del library
    point = {"executor": "serial" if threads == 1 else "task:dbf", "threads": threads, "variant": variant,
             "type": kind, "n": n, "task_size": tile_of(n, threads, tile)}
    return ratio.run_archmeter(program, "app.gemm", point, "flops")[0]


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
        goal = GOALS[app]
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


def number(word: str) -> int:
    """As archmeter reads it: 64K is 65536. Tiles may be 0."""
    unit = "KMG".find(word[-1:].upper()) + 1 if word else 0
    digits = word[:-1] if unit else word
    if not (digits.isascii() and digits.isdigit()):
        raise argparse.ArgumentTypeError(f"'{word}' is no number of 0 or more, with K, M or G behind it or not")
    return int(digits) << 10 * unit


def numbers(text: str) -> list[int]:
    return [number(word) for word in text.split(",")]


class Turns:
    """A program of which each line asks for a round."""

    def __init__(self, command: list[str]):
        self.command = command
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.notes: list[str] = []
        for line in self.process.stdout:
            if line.startswith("sides "):
                self.sides = line.split()[1:]
                return
            self.notes.append(line[2:].strip())
        sys.exit(f"{' '.join(command)} ended with {self.process.wait()}")

    def round(self) -> dict[str, float]:
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        words = self.process.stdout.readline().split()
        if len(words) != len(self.sides):
            sys.exit(f"{' '.join(self.command)} ended with {self.process.wait()}")
        return dict(zip(self.sides, map(float, words), strict=True))

    def end(self) -> None:
        """Every outcome was right, or we end."""
        words, _ = self.process.communicate()
        if self.process.returncode != 0:
            sys.exit(f"{' '.join(self.command)} ended with {self.process.returncode}: {words}")


def is_decided(rounds: list[dict[str, float]], rivals: list[str], goal: float) -> bool:
    return all(verdict(goal, *ratio.paired([r["own"] for r in rounds], [r[rival] for r in rounds], EARLY)[1:])
               != "undecided" for rival in rivals)


def until_decided(ask, rivals: list[str], goal: float, budget: float) -> list[dict[str, float]]:
    """What `ask` answers, again and again."""
    begin = time.monotonic()
    rounds: list[dict[str, float]] = []
    longest = 0.0
    while not is_decided(rounds, rivals, goal) if rounds else True:
        started = time.monotonic()
        if rounds and started + longest - begin > budget:
            break
        rounds.append(ask())
        longest = max(longest, time.monotonic() - started)
    return rounds


def take_turns(command: list[str], rivals: list[str], goal: float, budget: float) -> tuple[Turns, list[dict[str, float]]]:
    """The program, for its notes, and its rounds."""
    turns = Turns(command)
    rounds = until_decided(turns.round, rivals, goal, budget)
    turns.end()
    return turns, rounds


def draw(command: list[str], rounds: int) -> dict[str, float]:
    """The medians of a program's rounds: which pages it got is one draw for each side."""
    turns = Turns(command)
    asked = [turns.round() for _ in range(rounds)]
    turns.end()
    return {side: statistics.median(r[side] for r in asked) for side in turns.sides}


def print_turns(rounds: list[dict[str, float]], rival: str, goal: float, cells: list[str]) -> bool:
    """A row; whether the goal was missed."""
    ours, theirs = [r["own"] for r in rounds], [r[rival] for r in rounds]
    estimate = ratio.paired(ours, theirs)
    word = verdict(goal, *estimate[1:])
    peak = [f"{100 * max(ours) / max(r['peak'] for r in rounds):.0f} %"] if "peak" in rounds[0] else []
    ratio.print_row([*cells, ratio.value_cell(theirs, 1e-9, 1), ratio.value_cell(ours, 1e-9, 1), *peak,
                     ratio.ratio_cell(*estimate), str(len(rounds)), f"≥ {goal}: {word}"])
    return word == "missed"


def kernels_of(turns: Turns, rival: str) -> str:
    """What the program said of the library: which kernels it chose."""
    return next((note.split("kernels for ")[-1] for note in turns.notes if note.startswith(f"{rival}: ")), "")


def print_turns_head(what: str, columns: list[str]) -> None:
    print(f"Measured {datetime.date.today().isoformat()} with `peers/apps.py {what}`. Medians of the rounds in Gflop/s; in "
          "brackets the spread, (max − min) / median.\n")
    ratio.print_head(columns)


def compare_own(options) -> bool:
    libraries = {LIBRARIES[name]: name for name in options.libraries.split(",")}
    missed = False
    print_turns_head("gemm", ["library", "its kernels", "type", "n", "threads", "library", "own", "best of peak",
                              "ratio [95 % interval]", "rounds", "goal"])
    for kind, n, threads in itertools.product(options.types.split(","), options.gemm_n, options.gemm_threads):
        command = [f"{options.turns}/gemm_turns", kind, str(n), str(threads), options.isa, *libraries]
        turns, rounds = take_turns(command, list(libraries), OWN_GOAL, options.budget)
        for file, name in libraries.items():
            missed = print_turns(rounds, file, OWN_GOAL,
                                 [name, kernels_of(turns, file), kind, str(n), str(threads)]) or missed
        sys.stdout.flush()
    print()
    return missed


def compare_gemm(options, folder: str) -> bool:
    by = options.tiles_by.split(",")
    missed = compare_own(options) if "own" in by else False
    return (compare_library(options, folder) if "library" in by else False) or missed


def compare_library(options, folder: str) -> bool:
    program = compile_peer(folder, "blas_whole", "blas_whole.c", [])
    cases = [(library, library, kind, n, threads, tile)
             for library in options.libraries.split(",")
             for kind in options.types.split(",") for n in options.gemm_n
             for threads in options.gemm_threads for tile in options.tiles if tile <= n]

    def directly(library, _variant, kind, n, threads, _tile):
        cpus = str(options.cpu) if threads == 1 else first_cpus(threads)
        return run_peer([program, LIBRARIES[library], kind, str(n), str(threads)], cpus)
    ours, theirs = ratio.in_turn(options, cases, functools.partial(run_gemm, options.archmeter), directly)
    return print_table(options, "gemm", ["library", "tiles by", "type", "n", "threads", "tile"], cases, ours,
                       theirs)


def compare_fft(options) -> bool:
    missed = False
    print_turns_head("fft", ["beside", "executor", "type", "n", "threads", "FFTW", "app.fft", "ratio [95 % interval]", "draws",
                             "goal"])
    for kind, n, threads in itertools.product(options.types.split(","), options.fft_n, options.threads):
        for executor in ["serial"] if threads == 1 else options.executors.split(","):
            command = [f"{options.turns}/fft_turns{'_f32' if kind == 'f32' else ''}", str(n), str(threads), options.plan,
                       executor]
            draws = until_decided(lambda: draw(command, options.rounds), RIVALS_FFT, GOALS["fft"], options.budget)
            for rival in RIVALS_FFT:
                missed = print_turns(draws, rival, GOALS["fft"], [rival, executor, kind, str(n), str(threads)]) or missed
            sys.stdout.flush()
    print()
    return missed


def main() -> int:
    parser = ratio.parser_of(__doc__.splitlines()[0])
    parser.add_argument("apps", nargs="*", choices=[[], *GOALS], help="which; both if none is named")
    parser.add_argument("--cpu", type=int, default=min(os.sched_getaffinity(0)))
    parser.add_argument("--types", default="f32,f64")
    parser.add_argument("--gemm-n", type=numbers, default="2048")
    parser.add_argument("--gemm-threads", type=numbers, default="1")
    parser.add_argument("--isa", default="best", help="of our own products")
    parser.add_argument("--tiles", type=numbers, default="0,1024")
    parser.add_argument("--tiles-by", default="library,own")
    parser.add_argument("--libraries", default="openblas,blis")
    parser.add_argument("--fft-n", type=numbers, default="64K,1M")
    parser.add_argument("--plan", choices=["estimate", "measure"], default="estimate")
    parser.add_argument("--threads", type=numbers, default=f"1,{len(os.sched_getaffinity(0))}")
    parser.add_argument("--executors", default="task:dbf")
    parser.add_argument("--turns", default="build/tests/peers", help="folder of gemm_turns and fft_turns")
    parser.add_argument("--budget", type=float, default=25, help="longest per case, s")
    options = parser.parse_args()
    if options.rounds < 1 or min(options.threads) < 1:
        parser.error("rounds and threads are 1 or more")
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for app in options.apps or list(GOALS):
            missed = (compare_gemm(options, folder) if app == "gemm" else compare_fft(options)) or missed
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
