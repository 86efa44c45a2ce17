#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs app.blackscholes in turn with the plain loop that gcc gives to libmvec, as Markdown.

usage: peers/blackscholes.py [--archmeter PROGRAM] [--rounds N] [--options N] [--cpu N] [--calm SECONDS]
                             [--parsec CSV] [--accuracy-only]

blackscholes.c, beside this file, shares no code with archmeter; it is compiled here with -Ofast (without
it gcc does not use libmvec), for AVX2 alone and as -march=native with 256-bit and with 512-bit vectors.
The rival is the best of those builds and of our own loop with libmvec's functions (variant=libmvec), one
core, both prices of each option, nx=erf. Ratio and interval as in ratio.py. After that the accuracy: our
loops, compiled here for the widest ISA, against erfc in double and, with --parsec, against the prices of
PARSEC's file (columns S,K,r,q,vol,T,type,divs,DGrefval).
"""

import collections
import csv
import ctypes
import datetime
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import ratio

HERE = pathlib.Path(__file__).resolve().parent
GOALS = {"f32": 1.2, "f64": 1.1}  # of the best rival, at least
ERROR_MAX = 1e-12  # of a price of f64, against erfc
PARSEC_MAX = 1e-4  # what PARSEC allows
RANGES = ((42, 100), (40, 110), (0.0275, 0.1), (0.05, 0.65), (0.05, 1))

# ISA of ours: [builds of the rival that may use no more than it], flags of our kernels, bytes of a vector
WIDTHS = {
    "avx2": ([["-mavx2", "-mfma"]], ["-mavx2", "-mfma"], 32),
    "avx512": ([["-march=native"], ["-march=native", "-mprefer-vector-width=512"]],
               ["-mavx2", "-mfma", "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl"], 64),
}


def cpu_flags() -> set[str]:
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
        return {word for line in info if line.startswith("flags") for word in line.split()}


def usable() -> list[str]:
    have = cpu_flags()
    needs = {"avx2": {"avx2", "fma"}, "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"}}
    return [isa for isa in WIDTHS if needs[isa] <= have]


def compiler() -> str:
    return os.environ.get("CC", "gcc")


def build(folder: str, isas: list[str]) -> dict[str, list[str]]:
    """{isa: programs}; the narrower builds serve the wider ISA too."""
    programs, so_far = {}, []
    for isa in isas:
        for flags in WIDTHS[isa][0]:
            program = f"{folder}/plain-{isa}-{len(so_far)}"
            subprocess.run([compiler(), "-Ofast", *flags, "-o", program, str(HERE / "blackscholes.c"), "-lm"],
                           check=True)
            so_far.append(program)
        programs[isa] = list(so_far)
    return programs


def run_plain(program: str, kind: str, options: int, cpu: int) -> tuple[float, float]:
    command = ["taskset", "-c", str(cpu), program, kind, str(options)]
    words = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(words[0]), float(words[1])


def run_variants(program: str, isas: str, kind: str, options: int) -> dict[str, float]:
    """{variant: options per second}, the best ISA of each: both in one run."""
    point = {"executor": "serial", "threads": 1, "isa": isas, "type": kind, "nx": "erf",
             "variant": "own,libmvec", "n": options, "task_size": options}
    best = collections.defaultdict(float)
    for result in ratio.run_results(program, "app.blackscholes", point):
        name = result["point"]["variant"]
        best[name] = max(best[name], result["metrics"]["options_per_s"]["median"])
    return best


def measure(options, cases: list, programs: dict) -> tuple[dict, dict, dict]:
    """({case: ours}, {case: theirs by name}, {case: error of the plain loop})"""
    ours, theirs, errors = ({c: [] for c in cases} for _ in range(3))
    for turn in range(options.rounds):
        for case in cases if turn % 2 else reversed(cases):
            isa, kind = case
            ratio.await_calm(options.calm)
            upto = ",".join(list(programs)[:list(programs).index(isa) + 1])
            variants = run_variants(options.archmeter, upto, kind, options.options)
            plain = [run_plain(p, kind, options.options, options.cpu) for p in programs[isa]]
            ours[case].append(variants["own"])
            theirs[case].append({"plain C": max(p[0] for p in plain), "libmvec": variants["libmvec"]})
            errors[case].append(max(p[1] for p in plain))
        print(f"round {turn + 1} of {options.rounds}", file=sys.stderr, flush=True)
    return ours, theirs, errors


def verdict(goal: float, low: float, high: float) -> str:
    if low >= goal:
        return "reached"
    return "missed" if high < goal else "undecided"


def print_speed(options, cases: list, ours: dict, theirs: dict, errors: dict) -> bool:
    print(f"Measured {datetime.date.today().isoformat()} with `peers/blackscholes.py --rounds "
          f"{options.rounds}`, {options.options} options in cache, one core. Millions of options per second, "
          "medians of the rounds; in brackets the spread, (max − min) / median.\n")
    ratio.print_head(["type", "up to", "plain C, libmvec", "our loop, libmvec", "own",
                      "own / best rival [95 % interval]", "goal", "", "plain C's error"])
    missed = False
    for case in cases:
        isa, kind = case
        best = [max(r.values()) for r in theirs[case]]
        estimate = ratio.ratio(ours[case], best)
        word = verdict(GOALS[kind], *estimate[1:])
        missed = missed or word == "missed"
        ratio.print_row([kind, isa, ratio.value_cell([r["plain C"] for r in theirs[case]], 1e-6, 0),
                         ratio.value_cell([r["libmvec"] for r in theirs[case]], 1e-6, 0),
                         ratio.value_cell(ours[case], 1e-6, 0), ratio.ratio_cell(*estimate),
                         f"{GOALS[kind]}", word, f"{max(errors[case]):.2g}"])
    return missed


# ---- accuracy ----

class Args(ctypes.Structure):
    _fields_ = ([(name, ctypes.c_void_p) for name in
                 ("spot", "strike", "rate", "volatility", "time", "call", "put")]
                + [("begin", ctypes.c_size_t), ("n", ctypes.c_size_t)])


class Variant(ctypes.Structure):
    _fields_ = [("isa", ctypes.c_char_p), ("fn", (ctypes.CFUNCTYPE(None, ctypes.POINTER(Args)) * 2) * 2)]


def load_kernels(folder: str, isa: str) -> Variant:
    """Our loops as the build compiles them, in a library of their own."""
    library = f"{folder}/kernels-{isa}.so"
    _, flags, width = WIDTHS[isa]
    subprocess.run([compiler(), "-O2", "-ffp-contract=fast", "-march=x86-64", *flags, "-fPIC", "-shared",
                    f"-DAM_ISA={isa}", f"-DAM_VEC_BYTES={width}", "-D_GNU_SOURCE", f"-I{HERE.parent / 'src'}",
                    "-o", library, str(HERE.parent / "src/kernels/blackscholes.k.c")], check=True)
    return Variant.in_dll(ctypes.CDLL(library), f"am_bs_{isa}")


def price(kernels: Variant, kind: str, rows: list) -> list[tuple[float, float]]:
    """(call, put) of (spot, strike, rate, volatility, time), as the type rounds them."""
    real = ctypes.c_float if kind == "f32" else ctypes.c_double
    columns = [(real * len(rows))(*column) for column in zip(*rows)]
    prices = [(real * len(rows))() for _ in range(2)]
    args = Args(*(ctypes.addressof(a) for a in columns + prices), 0, len(rows))
    kernels.fn[0 if kind == "f32" else 1][1](ctypes.byref(args))
    return list(zip(*prices))


def reference(s: float, k: float, r: float, v: float, t: float) -> tuple[float, float]:
    dev, present = v * math.sqrt(t), k * math.exp(-r * t)
    d1 = (math.log(s / k) + (r + v * v / 2) * t) / dev
    d2 = d1 - dev

    def beyond(x: float) -> float:
        return math.erfc(x / math.sqrt(2)) / 2
    return s * beyond(-d1) - present * beyond(-d2), present * beyond(d2) - s * beyond(d1)


def rounded(rows: list, kind: str) -> list:
    """The options that a kernel of this type sees."""
    if kind == "f64":
        return rows
    return [tuple(ctypes.c_float(x).value for x in row) for row in rows]


def errors_of(kernels: Variant, kind: str, rows: list) -> tuple[float, float]:
    """The greatest error of a price: as it is, and relative to the reference where that is above 1."""
    most = relative = 0.0
    for row, prices in zip(rounded(rows, kind), price(kernels, kind, rows)):
        for ours, exact in zip(prices, reference(*row)):
            most = max(most, abs(ours - exact))
            if exact > 1:
                relative = max(relative, abs(ours - exact) / exact)
    return most, relative


def parsec_error(kernels: Variant, kind: str, path: str) -> tuple[int, float]:
    with open(path, encoding="ascii", newline="") as text:
        lines = list(csv.DictReader(text))
    rows = [tuple(float(line[c]) for c in ("S", "K", "r", "vol", "T")) for line in lines]
    differences = [abs(prices[0 if line["type"] == "C" else 1] - float(line["DGrefval"]))
                   for line, prices in zip(lines, price(kernels, kind, rows))]
    return len(lines), max(differences)


def print_accuracy(options, folder: str, isas: list[str]) -> bool:
    random.seed(7)
    rows = [tuple(random.uniform(*r) for r in RANGES) for _ in range(20000)]
    ratio.print_head(["type", "isa", "greatest error against erfc", "relative, prices above 1",
                      "against PARSEC's prices"])
    wrong = False
    for kind in GOALS:
        for isa in isas:
            kernels = load_kernels(folder, isa)
            most, relative = errors_of(kernels, kind, rows)
            cell = "not looked at"
            if options.parsec:
                n, difference = parsec_error(kernels, kind, options.parsec)
                cell = f"{difference:.3g} ({n} options)"
                wrong = wrong or difference > PARSEC_MAX
            wrong = wrong or (kind == "f64" and most > ERROR_MAX)
            ratio.print_row([kind, isa, f"{most:.3g}", f"{relative:.3g}", cell])
    return wrong


def main() -> int:
    parser = ratio.parser_of(__doc__.splitlines()[0])
    parser.add_argument("--options", type=int, default=2048, help="options, all in cache")
    parser.add_argument("--cpu", type=int, default=min(os.sched_getaffinity(0)))
    parser.add_argument("--parsec", help="PARSEC's options and prices, as CSV")
    parser.add_argument("--accuracy-only", action="store_true", help="measure no speed")
    options = parser.parse_args()
    isas = usable()
    if options.rounds < 1 or options.options < 1:
        parser.error("rounds and options are 1 or more")
    if not isas:
        sys.exit("neither AVX2 nor AVX-512: libmvec has nothing to compare with here")
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        if not options.accuracy_only:
            cases = [(isa, kind) for kind in GOALS for isa in isas]
            missed = print_speed(options, cases, *measure(options, cases, build(folder, isas)))
            print()
        missed = print_accuracy(options, folder, isas) or missed
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
