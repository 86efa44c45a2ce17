# SPDX-License-Identifier: MIT
"""What the comparisons with other programs share: a calm machine, turns, ratios, table cells.

The ratio is the Hodges-Lehmann estimate: the median of all pairs ours / theirs, with the interval
that belongs to the Mann-Whitney test at 95 % or more.
"""

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Hashable, Sequence

SIZES = {16 << 10: "16 KiB", 256 << 10: "256 KiB", 2 << 20: "2 MiB", 256 << 20: "256 MiB"}


def parser_of(description: str) -> argparse.ArgumentParser:
    """A parser with the options that every comparison has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--archmeter", default="build/archmeter", help="the program to run")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--calm", type=float, default=20, help="longest wait for an idle machine, s")
    return parser


def cpu_seconds() -> tuple[float, float]:
    """(all CPUs' time, of it busy or stolen), by the kernel's count."""
    with open("/proc/stat", encoding="ascii") as stat:
        ticks = [int(n) for n in stat.readline().split()[1:9]]
    hz = os.sysconf("SC_CLK_TCK")
    return sum(ticks) / hz, (sum(ticks) - ticks[3] - ticks[4]) / hz


def await_calm(limit: float) -> None:
    end = time.monotonic() + limit
    while time.monotonic() < end:
        total, busy = cpu_seconds()
        time.sleep(0.3)
        total_after, busy_after = cpu_seconds()
        if busy_after - busy <= 0.05 * (total_after - total):
            return


def run_results(program: str, bench: str, point: dict, more: Sequence[str] = ()) -> list[dict]:
    """The results that were measured; without any, the program's words end us. `more`: options."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", bench, "--quick", "--format", "json", "-q",
                   "-o", f"{folder}/run.db", *more]
        for axis, value in point.items():
            command += ["-p", f"{axis}={value}"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        measured = [r for r in json.loads(result.stdout)["results"] if r["state"] == "ok"]
    except (ValueError, LookupError, TypeError):
        measured = []
    if not measured:
        sys.exit(f"{' '.join(command)}\n{result.stdout}{result.stderr}")
    return measured


def run_archmeter(program: str, bench: str, point: dict, metric: str, more: Sequence[str] = ()) -> list[float]:
    """The medians of one metric."""
    return [r["metrics"][metric]["median"] for r in run_results(program, bench, point, more)]


def in_turn(options: argparse.Namespace, cases: Sequence[Hashable],
            run_ours: Callable[..., float], run_theirs: Callable[..., float]) -> tuple[dict, dict]:
    """({case: ours}, {case: theirs}), a value per round; who is first changes with the round."""
    ours, theirs = {c: [] for c in cases}, {c: [] for c in cases}
    sides = [(ours, run_ours), (theirs, run_theirs)]
    for i in range(options.rounds):
        for case in cases:
            for values, run in sides if i % 2 else reversed(sides):
                await_calm(options.calm)
                values[case].append(run(*case))
        print(f"round {i + 1} of {options.rounds}", file=sys.stderr, flush=True)
    return ours, theirs


def pairs_left_out(n: int) -> int:
    """How many of the n*n sorted pairs to leave out at each end for 95 % or more (exact)."""
    counts = {0: 1}  # sums of n ranks chosen of 2n, as the Mann-Whitney statistic
    table = {(0, 0): counts}
    for i, k in itertools.product(range(1, 2 * n + 1), range(0, n + 1)):
        merged = dict(table.get((i - 1, k), {}))
        for total, ways in (table.get((i - 1, k - 1), {}) if k else {}).items():
            merged[total + i] = merged.get(total + i, 0) + ways
        if k == 0:
            merged = {0: 1}
        table[(i, k)] = merged
    sums = table[(2 * n, n)]
    least, ways_all = n * (n + 1) // 2, sum(sums.values())
    tail, out = 0, 0
    while tail + sums.get(least + out, 0) <= 0.025 * ways_all:
        tail += sums.get(least + out, 0)
        out += 1
    return out


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float, float]:
    """(estimate, low, high)"""
    pairs = sorted(a / b for a in ours for b in theirs)
    out = pairs_left_out(len(ours))
    low, high = (pairs[out - 1], pairs[-out]) if out else (pairs[0], pairs[-1])
    return statistics.median(pairs), low, high


def spread(values: Sequence[float]) -> float:
    """(max − min) / median, in percent."""
    return 100 * (max(values) - min(values)) / statistics.median(values)


def value_cell(values: Sequence[float], scale: float, digits: int) -> str:
    return f"{statistics.median(values) * scale:.{digits}f} ({spread(values):.0f} %)"


def ratio_cell(estimate: float, low: float, high: float) -> str:
    return f"**{estimate:.3f}** [{low:.3f}, {high:.3f}]"


def print_row(cells: Sequence[str]) -> None:
    print(f"| {' | '.join(cells)} |")


def print_head(columns: Sequence[str]) -> None:
    print_row(columns)
    print(f"|{'---|' * len(columns)}")
