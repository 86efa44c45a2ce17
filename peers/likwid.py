#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs archmeter and likwid-bench side by side and prints their ratio as a Markdown table.

usage: peers/likwid.py [--archmeter PROGRAM] [--rounds N] [--isa NAME] [--threads N] [--only TEXT]
                       [--calm SECONDS] [--retries N] [--best]

Every round measures every case once with each tool, the order of the two changing from round to
round. Load of others does not meet both alike, though: it lowers likwid's average over a second,
while archmeter re-measures disturbed samples. So before each run the machine must have been idle
for a moment (the script waits up to --calm seconds), and a run during which others used more than
2.5 % of the CPUs is repeated, up to --retries times; the attempt with the least foreign load is
kept. Values play no part in that choice. The foreign load that remained is printed: a table in
which it is not small proves nothing. Ratio and interval as in ratio.py. likwid gives one average
over a second; archmeter the median over the launches of a quick run.

likwid-bench 5.2 has no kernel that mixes fma and add, so one is written for it here (mix_kernel)
and handed to it as a file: 15 accumulators, an fma on each, then an addition on each, as later
versions of likwid arrange it.
"""

import datetime
import functools
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import ratio

SIZES = {"16 kB": 16_000, "200 kB": 200_000, "2 MB": 2_000_000, "512 MB": 512_000_000}
# our operation and type, streams, likwid's kernel, least operations per cycle with 256-bit vectors
FLOPS = [
    ("fma", "f64", 13, "peakflops_avx_fma", 15.8),
    ("fma", "f32", 13, "peakflops_sp_avx_fma", 31.6),
    ("mix", "f64", 14, "mix_f64", None),
    ("mix", "f32", 14, "mix_f32", None),
]
# our kernel, non-temporal, likwid's kernel of the same loads and stores, sizes
STREAMS = [
    ("read", 0, "load_avx", list(SIZES)),
    ("write", 0, "store_avx", list(SIZES)),
    ("write", 1, "store_mem_avx", list(SIZES)),
    ("copy", 0, "copy_avx", list(SIZES)),
    ("copy", 1, "copy_mem_avx", ["512 MB"]),
    ("triad", 0, "stream_avx", list(SIZES)),
    ("triad", 1, "stream_mem_avx", ["512 MB"]),
]
FLOPS_GOAL, STREAM_GOAL = 1.00, 0.98
FOREIGN_MAX = 0.025


def cases(threads):
    """(label, bench, points, metric, likwid kernel, bytes, goal); sizes are a thread's share."""
    for op, kind, streams, kernel, _ in FLOPS:
        yield (f"cpu.flops {op} {kind}", "cpu.flops",
               {"op": op, "type": kind, "streams": streams, "threads": threads, "on": "machine"},
               "flops", kernel, SIZES["16 kB"] * threads, FLOPS_GOAL)
    for ours, nt, kernel, sizes in STREAMS:
        for size in sizes:
            # Memory is memory, however many share it.
            total = SIZES[size] * (1 if size == "512 MB" else threads)
            yield (f"mem.bandwidth {ours}{' nt' if nt else ''}, {size}", "mem.bandwidth",
                   {"kernel": ours, "nt": nt, "size": total, "threads": threads, "pages": "any"},
                   "bandwidth", kernel, total, STREAM_GOAL)


def mix_kernel(kind):
    """A kernel in likwid's form: header, what precedes the loop, its body; Intel syntax."""
    suffix, lanes, size, name = {"f64": ("pd", 4, 8, "DOUBLE"), "f32": ("ps", 8, 4, "SINGLE")}[kind]
    load, sums = "ymm1", [f"ymm{i}" for i in range(16) if i != 1]
    lines = ["STREAMS 1", f"TYPE {name}", f"FLOPS {3 * len(sums)}", f"BYTES {size}",
             "DESC fma and add on every accumulator", "LOADS 1", "STORES 0",
             f"INSTR_CONST {len(sums)}", f"INSTR_LOOP {2 * len(sums) + 4}",
             f"UOPS {2 * len(sums) + 3}"]
    lines += [f"vmova{suffix} {r}, [rip+SCALAR]" for r in sums]
    lines += [".align 32", f"LOOP {lanes}", f"vmova{suffix} {load}, [STR0 + GPR1 * {size}]"]
    lines += [f"vfmadd213{suffix} {r}, {r}, {load}" for r in sums]
    lines += [f"vadd{suffix} {r}, {r}, {load}" for r in sums]
    return "\n".join(lines) + "\n"


def write_kernels(folder):
    """likwid-bench looks for NAME.ptt in its working directory."""
    for kind in ("f64", "f32"):
        Path(folder, f"mix_{kind}.ptt").write_text(mix_kernel(kind), encoding="ascii")


def own_seconds():
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
    return sum(u.ru_utime + u.ru_stime for u in usage)


def guarded(options, run):
    """(foreign share of the CPUs, value) of the least disturbed attempt; values are not looked at."""
    attempts = []
    while len(attempts) <= options.retries:
        ratio.await_calm(options.calm)
        (total, busy), own = ratio.cpu_seconds(), own_seconds()
        value = run()
        total_after, busy_after = ratio.cpu_seconds()
        foreign = (busy_after - busy - (own_seconds() - own)) / max(0.01, total_after - total)
        attempts.append((max(0.0, foreign), value))
        if foreign <= FOREIGN_MAX:
            break
    return min(attempts, key=lambda a: a[0])


def run_archmeter(program, bench, point, isa, metric):
    """(value, operations per cycle where the bench counts them)"""
    found = ratio.run_results(program, bench, {**point, "isa": isa})[0]["metrics"]
    per_cycle = found.get("flops_per_cycle", {"median": None})
    return found[metric]["median"], per_cycle["median"]


def run_likwid(folder, kernel, size, threads, metric):
    command = ["likwid-bench", "-t", kernel, "-w", f"S0:{size}B:{threads}", "-s", "1", "-f", folder]
    if size % 1000 == 0:
        command[4] = f"S0:{size // 1000}kB:{threads}"
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    name = "MFlops/s" if metric == "flops" else "MByte/s"
    found = re.search(rf"^{name}:\s+([0-9.]+)", result.stdout, re.M)
    if not found:
        sys.exit(f"{' '.join(command)}\n{result.stdout}{result.stderr}")
    return float(found.group(1)) * 1e6, None


def measure(options, chosen, folder):
    """{label: {who: [(foreign share, (value, operations per cycle))]}}"""
    results = {c[0]: {"ours": [], "theirs": [], "best": []} for c in chosen}
    for i in range(options.rounds):
        for label, bench, point, metric, kernel, size, _ in chosen:
            turn = [
                ("theirs", functools.partial(run_likwid, folder, kernel, size, options.threads,
                                             metric)),
                ("ours", functools.partial(run_archmeter, options.archmeter, bench, point,
                                           options.isa, metric)),
            ]
            turn = turn if i % 2 else turn[::-1]
            if options.best:
                turn.append(("best", functools.partial(run_archmeter, options.archmeter, bench,
                                                       point, "widest", metric)))
            for who, run in turn:
                results[label][who].append(guarded(options, run))
            print(f"round {i + 1} of {options.rounds}: {label}", file=sys.stderr, flush=True)
    return results


def verdict_of(low, high, goal, foreign):
    """Only an interval that lies on one side of the goal decides, and only on a quiet machine."""
    if foreign > FOREIGN_MAX:
        return "disturbed"
    return "met" if low >= goal else "short" if high < goal else "open"


def print_table(options, chosen, results):
    today = datetime.date.today().isoformat()
    print(f"Measured {today} with `peers/likwid.py --rounds {options.rounds} --isa {options.isa} "
          f"--threads {options.threads}{' --best' if options.best else ''}`. Medians in 10⁹ flop/s "
          "or B/s; in brackets the spread, (max − min) / median of the rounds. Foreign: the largest "
          "share of the CPUs that others used in a kept run, likwid's / archmeter's.\n")
    columns = ["case", "likwid kernel", "likwid", f"archmeter {options.isa}",
               "ratio [95 % interval]", "goal", "verdict", "foreign"]
    columns += ["isa=widest", "its ratio"] if options.best else []
    ratio.print_head(columns)
    verdicts = []
    for label, _, _, _, kernel, _, goal in chosen:
        a, b, x = ([v for _, (v, _) in results[label][who]] for who in ("ours", "theirs", "best"))
        loads = [max(share for share, _ in results[label][who]) for who in ("theirs", "ours")]
        estimate = ratio.ratio(a, b)
        verdicts.append(verdict_of(*estimate[1:], goal, max(loads)))
        row = [label, kernel, ratio.value_cell(b, 1e-9, 1), ratio.value_cell(a, 1e-9, 1),
               ratio.ratio_cell(*estimate), f"{goal:.2f}", verdicts[-1],
               " / ".join(f"{100 * share:.0f} %" for share in loads)]
        row += [f"{statistics.median(x) / 1e9:.1f}", f"{ratio.ratio(x, b)[0]:.3f}"] if x else []
        ratio.print_row(row)
    verdicts += print_cycles(options, results)
    print("\n" + ", ".join(f"{verdicts.count(v)} {v}" for v in ("met", "short", "open", "disturbed")))
    return 1 if "short" in verdicts else 0 if set(verdicts) == {"met"} else 4


def print_cycles(options, results):
    """Operations per cycle of one thread; the interval is that of the rounds, least to most."""
    goals = {f"cpu.flops {op} {kind}": goal for op, kind, _, _, goal in FLOPS}
    verdicts = []
    if not any(label in results for label in goals):
        return verdicts
    print("\nOperations per cycle and thread of the core clock measured around each batch:\n")
    ratio.print_head(["case", f"archmeter {options.isa}", "least to most", "goal", "verdict"])
    for label, goal in goals.items():
        runs = results.get(label, {"ours": []})["ours"]
        if not runs:
            continue
        values = [cycles / options.threads for _, (_, cycles) in runs]
        row = [label, ratio.value_cell(values, 1, 2), f"{min(values):.2f} to {max(values):.2f}"]
        if goal and options.isa == "avx2":
            verdicts.append(verdict_of(min(values), max(values), goal, max(f for f, _ in runs)))
            row += [f"{goal}", verdicts[-1]]
        ratio.print_row(row if len(row) > 3 else row + ["", ""])
    return verdicts


def main():
    parser = ratio.parser_of(__doc__.splitlines()[0])
    parser.add_argument("--isa", default="avx2", help="ours against likwid's avx kernels")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--retries", type=int, default=3, help="repeats of a disturbed run")
    parser.add_argument("--best", action="store_true", help="measure isa=widest too")
    parser.add_argument("--only", default="", help="cases whose label contains this text")
    options = parser.parse_args()
    if options.rounds < 4 or options.threads < 1:
        parser.error("at least 4 rounds, which an interval of 95 % needs, and 1 thread")
    chosen = [c for c in cases(options.threads) if options.only in c[0]]
    if not chosen:
        parser.error(f"no case contains \"{options.only}\"")
    with tempfile.TemporaryDirectory() as folder:
        write_kernels(folder)
        results = measure(options, chosen, folder)
    return print_table(options, chosen, results)


if __name__ == "__main__":
    sys.exit(main())
