# SPDX-License-Identifier: MIT
"""What the comparisons with other programs share: a calm machine, turns, ratios, table cells.

Calm: the CPUs are idle, and nobody works on the other thread of our core (alone.c), who may be a stranger of another
guest and takes up to half of it for a second at a time. What was measured while either changed is measured again.

The ratio is the Hodges-Lehmann estimate: the median of all pairs ours / theirs, with the interval
that belongs to the Mann-Whitney test at 95 % or more. Of rounds whose two values were measured next to
each other it is the median of the means of all pairs of rounds' ratios, with the interval of the
signed-rank test (`paired`).
"""

import argparse
import functools
import itertools
import json
import math
import os
import pathlib
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


@functools.cache
def alone_program() -> str | None:
    """alone.c, compiled; None where that cannot be done."""
    folder = tempfile.TemporaryDirectory()
    program = f"{folder.name}/alone"
    source = pathlib.Path(__file__).with_name("alone.c")
    command = [os.environ.get("CC", "cc"), "-O1", "-o", program, str(source), "-lm"]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    alone_program.folder = folder  # kept until we end
    return program


class Core:
    """Whether a CPU has its core for itself, by the least that was ever seen there."""

    SLOWER = 1.05  # of the least: alone it varies by a thousandth, shared it rises by a fifth or more

    def __init__(self, probe: Callable[[], float]):
        self.probe, self.seen = probe, []

    def is_alone(self) -> bool:
        quotient = self.probe()
        if quotient:
            self.seen.append(quotient)
        return not quotient or quotient <= self.SLOWER * min(self.seen)


def probe_cpu(cpu: int) -> float:
    """0 where nothing can be told."""
    program = alone_program()
    result = subprocess.run([program, str(cpu)], capture_output=True, text=True, check=False) if program else None
    return float(result.stdout) if result and result.returncode == 0 else 0


@functools.cache
def core_of(cpu: int) -> Core:
    return Core(lambda: probe_cpu(cpu))


def await_calm(limit: float, cpus: Sequence[int] = ()) -> bool:
    """Waits until the machine is idle and `cpus` have their cores for themselves; whether they do."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        total, busy = cpu_seconds()
        time.sleep(0.3)
        total_after, busy_after = cpu_seconds()
        if busy_after - busy <= 0.05 * (total_after - total) and all(core_of(cpu).is_alone() for cpu in cpus):
            return True
    return False


def cpus_of(options: argparse.Namespace) -> list[int]:
    """Those whose cores are looked at: the one of --cpu, where the comparison has it."""
    return [options.cpu] if hasattr(options, "cpu") else []


def while_calm(limit: float, cpus: Sequence[int], run: Callable[[], float], again: int = 2) -> float:
    """What `run` gives, with our cores alone before and after it; after so many more turns, however they were."""
    for _ in range(again):
        calm = await_calm(limit, cpus)
        value = run()
        if not calm or all(core_of(cpu).is_alone() for cpu in cpus):
            return value
    await_calm(limit, cpus)
    return run()


def run_results(program: str, bench: str, point: dict, more: Sequence[str] = (), cpu: int | None = None) -> list[dict]:
    """The results that were measured, on `cpu` where it is given; without any, the program's words end us. `more`: options."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*([] if cpu is None else ["taskset", "-c", str(cpu)]), program, "run", bench, "--quick", "--format", "json",
                   "-q", "-o", f"{folder}/run.db", *more]
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
                values[case].append(while_calm(options.calm, cpus_of(options), functools.partial(run, *case)))
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
    """(estimate, low, high); of too few values for 95 % the interval is everything."""
    pairs = sorted(a / b for a in ours for b in theirs)
    out = pairs_left_out(len(ours))
    low, high = (pairs[out - 1], pairs[-out]) if out else (0.0, math.inf)
    return statistics.median(pairs), low, high


def sums_left_out(n: int, level: float) -> int:
    """How many of the n (n + 1) / 2 sorted means of pairs to leave out at each end (exact); -1: there are too few."""
    ways = [1]  # of sums of some of the ranks 1 to n, as the signed-rank statistic
    for rank in range(1, n + 1):
        longer = ways + [0] * rank
        for total, count in enumerate(ways):
            longer[total + rank] += count
        ways = longer
    tail, out = 0, 0
    while out < len(ways) and tail + ways[out] <= (1 - level) / 2 * 2 ** n:
        tail += ways[out]
        out += 1
    return out - 1


def paired(ours: Sequence[float], theirs: Sequence[float], level: float = 0.95) -> tuple[float, float, float]:
    """(estimate, low, high) of rounds; of too few rounds for the level the interval is everything."""
    logs = [math.log(a / b) for a, b in zip(ours, theirs, strict=True)]
    means = sorted((x + y) / 2 for i, x in enumerate(logs) for y in logs[i:])
    out = sums_left_out(len(logs), level)
    estimate = math.exp(statistics.median(means))
    return (estimate, math.exp(means[out]), math.exp(means[-1 - out])) if out >= 0 else (estimate, 0.0, math.inf)


def spread(values: Sequence[float]) -> float:
    """(max − min) / median, in percent."""
    return 100 * (max(values) - min(values)) / statistics.median(values)


def value_cell(values: Sequence[float], scale: float, digits: int) -> str:
    return f"{statistics.median(values) * scale:.{digits}f} ({spread(values):.0f} %)"


def ratio_cell(estimate: float, low: float, high: float) -> str:
    interval = f"[{low:.3f}, {high:.3f}]" if math.isfinite(high) else "(too few for an interval)"
    return f"**{estimate:.3f}** {interval}"


def print_row(cells: Sequence[str]) -> None:
    print(f"| {' | '.join(cells)} |")


def print_head(columns: Sequence[str]) -> None:
    print_row(columns)
    print(f"|{'---|' * len(columns)}")
