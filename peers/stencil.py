#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs app.stencil in turn with a plain loop and other programs that step the heat equation, as Markdown.

usage: peers/stencil.py [--archmeter PROGRAM] [--rounds N] [--calm SECONDS] [--cpu N] [--cases DIM:SIDE:STEPS,...]
                        [--types f32,f64] [--variants NAME,...] [--isa NAME] [--cc COMMAND] [--rival NAME=COMMAND]...
                        [--describe FILE] [--flags TEXT] [--launches N] [--threads N,...]

One core, --cpu, for all of them. stencil.c, beside this file, shares no code with archmeter: two arrays at their natural pitch, periodic, compiled
with -O3 -march=native. `auto` is compared with it since it is the baseline of everything else; the other variants to see
what they gain. A variant `own:NAME` is that of the described stencil examples/stencil/heatDd.sten (own:wave), which is compared
with the hand-made kernels of app.stencil, too. With --describe the stencil of that file takes its place (iso3dfd.sten, beside this
file, is YASK's), compared with its own plain sweeps and with rivals only. --flags are those that described stencils are compiled
with ("-O3 -march=native -mno-avx512f" beside --isa avx2). A rival (VecTime, testencil, bench_fd1, YASK, built
outside of this tree) is a command in which {dim}, {side}, {steps} and {type} are replaced, and whose last printed number is updates
per second. Rates are the best that a program reached in its run, since that is what rivals print: by CPU time in stencil.c, by wall
time in archmeter. In a round ours and all rivals of a case are run one after the other, and another one of them is first with each
round. Ratio and interval as in ratio.py. --calm 0 takes the machine as it is, in archmeter too.

With --threads nothing is compiled and there are no rivals: in each round every case is run by each number of threads, and
cpu.flops (fused products of the same type) by as many right behind it. What the stencil gains from one thread to so many is
divided by what the units gain in the same round: 1 is all that these CPUs could give.
"""

import datetime
import functools
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

import ratio

HERE = pathlib.Path(__file__).resolve().parent
REALS = {"f32": "float", "f64": "double"}
OURS, PLAIN, HAND_MADE, SWEEPS, UNITS = "ours", "plain loop", "hand-made", "its plain sweeps", "units"
OWN = "own:"  # variants of described stencils
EXAMPLES = HERE.parent / "examples" / "stencil"
NUMBER = re.compile(r"\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")


def compile_plain(folder: str, compiler: str, kind: str) -> str:
    """The program, or nothing where it cannot be built."""
    program = f"{folder}/stencil_{kind}"
    command = [*shlex.split(compiler), "-O3", "-march=native", f"-DREAL={REALS[kind]}", "-o", program,
               str(HERE / "stencil.c")]
    return program if subprocess.run(command, capture_output=True, check=False).returncode == 0 else ""


def last_number(text: str) -> float:
    """The last number that a program printed; what has none is no result."""
    found = NUMBER.findall(text)
    if not found:
        raise ValueError("no number was printed")
    return float(found[-1])


def run_command(words: list[str], cpu: int) -> float:
    done = subprocess.run(["taskset", "-c", str(cpu), *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stdout}{done.stderr}")
    return last_number(done.stdout)


def run_one(options, programs: dict, rivals: dict, who: str, variant: str, kind: str, dim: int, side: int,
            steps: int) -> float:
    """Updates per second of ours, or of a rival."""
    rival, cpu = who, options.cpu
    if who == OURS:
        return run_ours(options, variant, kind, dim, side, steps)
    if rival == SWEEPS:
        return run_ours(options, OWN + "plain", kind, dim, side, steps)
    if rival == PLAIN:
        return run_command([programs[kind], str(dim), str(side), str(steps)], cpu)
    if rival == HAND_MADE:
        return run_ours(options, "wave" if dim > 1 else "slice", kind, dim, side, steps)
    place = {"{dim}": dim, "{side}": side, "{steps}": steps, "{type}": kind}
    text = rivals[rival]
    for word, value in place.items():
        text = text.replace(word, str(value))
    return run_command(shlex.split(text), cpu)


def more_of(options) -> list[str]:
    return [*([] if options.calm > 0 else ["--no-wait"]), *(["--launches", str(options.launches)] if options.launches else [])]


def best_rate(options, bench: str, point: dict, more: tuple[str, ...] = ()) -> float:
    """Of all samples: rivals print the best of their batches too."""
    return max(r["metrics"]["updates"]["max"]
               for r in ratio.run_results(options.archmeter, bench, point, [*more_of(options), *more], options.cpu))


def run_described(options, variant: str, kind: str, dim: int, side: int, steps: int) -> float:
    described = options.describe or str(EXAMPLES / f"heat{dim}d.sten")
    point = {"variant": variant, "type": kind, "n": side, "steps": steps, "threads": 1}
    return best_rate(options, described, point, ("--flags", options.flags) if options.flags else ())


def run_ours(options, variant: str, kind: str, dim: int, side: int, steps: int) -> float:
    if variant.startswith(OWN):
        return run_described(options, variant[len(OWN):], kind, dim, side, steps)
    point = {"executor": "serial", "threads": 1, "variant": variant, "type": kind, "dim": dim, "n": side ** dim,
             "steps": steps, "form": "paper", **({"isa": options.isa} if options.isa else {})}
    return best_rate(options, "app.stencil", point)


def cases_of(text: str) -> list[tuple[int, int, int]]:
    """Of "2:256:96,3:64:48": dimensions, side, steps."""
    cases = [tuple(int(n) for n in word.split(":")) for word in text.split(",")]
    if any(len(c) != 3 or not 1 <= c[0] <= 3 or min(c) < 1 for c in cases):
        raise ValueError(f"{text}: DIM:SIDE:STEPS,...")
    return cases


def variants_of(names: str, dim: int) -> list[str]:
    """Those that there are in so many dimensions."""
    return [n for n in names.split(",") if n != "wave" or dim > 1]


def rivals_of(variant: str, rivals: dict, described: str = "") -> list[str]:
    if described:
        return [SWEEPS, *rivals]
    return [PLAIN, *([HAND_MADE] if variant.startswith(OWN) else []), *rivals]


def in_turns(options, cases: list, participants, run) -> dict:
    """{(who, *case): a value per round}; who is first changes with the round."""
    values = {(who, *case): [] for case in cases for who in participants(case)}
    for i in range(options.rounds):
        for case in cases:
            order = participants(case)
            for who in order[i % len(order):] + order[:i % len(order)]:
                values[(who, *case)].append(
                    ratio.while_calm(options.calm, ratio.cpus_of(options), functools.partial(run, who, *case)))
        print(f"round {i + 1} of {options.rounds}", file=sys.stderr, flush=True)
    return values


def print_table(options, cases: list, participants, values: dict) -> None:
    print(f"Measured {datetime.date.today().isoformat()} with `peers/stencil.py --rounds {options.rounds}`. Medians of the "
          "rounds, of each the best that a program reached in its run, in 10⁹ updates per second; in brackets the spread, "
          "(max − min) / median.\n")
    ratio.print_head(["against", "variant", "type", "grid", "theirs", "ours", "ratio [95 % interval]"])
    for case in cases:
        variant, kind, dim, side, _steps = case
        ours = values[(OURS, *case)]
        for rival in participants(case)[1:]:
            theirs = values[(rival, *case)]
            ratio.print_row([rival, variant, kind, f"{side}^{dim}", ratio.value_cell(theirs, 1e-9, 2),
                             ratio.value_cell(ours, 1e-9, 2), ratio.ratio_cell(*ratio.ratio(ours, theirs))])


def median_of(results: list[dict], bench: str, metric: str) -> float:
    """Of the bench itself: others are measured beside it to judge it by; of several instruction sets the best."""
    return max(r["metrics"][metric]["median"] for r in results if r["bench"] == bench)


def run_threads(options, who: str, kind: str, dim: int, side: int, steps: int, threads: int) -> float:
    """The median rate of the stencil, or of the units (flops)."""
    more = ["--launches", "1", "--samples", "5", *(["--no-wait"] if options.calm <= 0 else [])]
    if who == UNITS:
        point = {"op": "fma", "type": kind, "isa": "best", "threads": threads, "streams": 14, "on": "machine"}
        return median_of(ratio.run_results(options.archmeter, "cpu.flops", point, more), "cpu.flops", "flops")
    point = {"executor": "task:default" if threads > 1 else "serial", "threads": threads, "variant": options.variants,
             "type": kind, "dim": dim, "n": side ** dim, "steps": steps, "form": "paper"}
    return median_of(ratio.run_results(options.archmeter, "app.stencil", point, more), "app.stencil", "updates")


def gains(values: dict, who: str, case: tuple, threads: int) -> list[float]:
    """Of each round, from one thread to so many."""
    return [many / one for many, one in zip(values[(who, *case, threads)], values[(who, *case, 1)], strict=True)]


def print_threads(values: dict, cases: list, counts: list[int]) -> None:
    ratio.print_head(["type", "grid", "threads", "G updates/s", "gain", "units' gain", "of the units' gain [95 % interval]"])
    for case in cases:
        kind, dim, side, _steps = case
        for threads in counts:
            ours, units = gains(values, OURS, case, threads), gains(values, UNITS, case, threads)
            ratio.print_row([kind, f"{side}^{dim}", str(threads), ratio.value_cell(values[(OURS, *case, threads)], 1e-9, 2),
                             f"{statistics.median(ours):.2f}", f"{statistics.median(units):.2f}",
                             "" if threads == 1 else ratio.ratio_cell(*ratio.paired(ours, units))])


def compare_threads(options) -> int:
    counts = sorted({1, *(int(n) for n in options.threads.split(","))})
    cases = [(kind, *case) for kind in options.types.split(",") for case in options.cases]
    all_of = [(*case, threads) for case in cases for threads in counts]
    values = in_turns(options, all_of, lambda case: [OURS, UNITS], functools.partial(run_threads, options))
    print_threads(values, cases, counts)
    return 0


def main() -> int:
    parser = ratio.parser_of(__doc__.splitlines()[0])
    parser.add_argument("--cpu", type=int, default=min(os.sched_getaffinity(0)))
    parser.add_argument("--cases", default="1:65536:120,2:256:96,2:4096:24,3:64:48,3:256:12", type=cases_of)
    parser.add_argument("--types", default="f64")
    parser.add_argument("--variants", default="auto,slice,wave,own:wave")
    parser.add_argument("--isa", default="", help="of app.stencil; without it the best")
    parser.add_argument("--threads", default="", metavar="N,...", help="compare numbers of threads in place of programs")
    parser.add_argument("--flags", default="", help="of the compiler, for described stencils")
    parser.add_argument("--launches", type=int, default=0, help="of ours per run; without it as many as --quick takes")
    parser.add_argument("--cc", default=os.environ.get("CC", "cc"))
    parser.add_argument("--rival", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--describe", default="", metavar="FILE", help="a stencil in place of the heat equation; variants own:NAME only")
    options = parser.parse_args()
    if options.threads:
        return compare_threads(options)
    if options.describe and not all(name.startswith(OWN) for name in options.variants.split(",")):
        sys.exit("--describe has variants own:NAME only")
    rivals = dict(word.split("=", 1) for word in options.rival)

    def participants(case: tuple) -> list[str]:
        return [OURS, *rivals_of(case[0], rivals, options.describe)]

    with tempfile.TemporaryDirectory() as folder:
        programs = {kind: compile_plain(folder, options.cc, kind) for kind in options.types.split(",")}
        if not all(programs.values()):
            sys.exit(f"stencil.c does not compile with {options.cc}")
        cases = [(variant, kind, *case) for kind in programs for case in options.cases
                 for variant in variants_of(options.variants, case[0])]
        values = in_turns(options, cases, participants, functools.partial(run_one, options, programs, rivals))
    print_table(options, cases, participants, values)
    return 0


if __name__ == "__main__":
    sys.exit(main())
