#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Long and large: how file, time and memory grow with the size of what was measured.

    tools/scale.py BUILD [--launches N] [--points N] [--nodes N] [--all] [--write FILE]

A campaign of many hours is compressed: a simulated machine is measured for a short while, and its launches are
repeated as further rounds until there are N (a million by default: a day at twelve per second), and sealed as if each
had been stored. Then every command that reads it is run on it and on a tenth of it. Two runs of many points are compared, and files of many nodes merged,
the same way. Printed per case: wall and processor time, the largest memory, and the factor by which both grew; work
that is linear in the size grows tenfold. Nothing here is a test: e2e_scale asserts factors on small sizes."""
import argparse
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

ROOT = Path(__file__).resolve().parent.parent
MACHINE = ROOT / "machines" / "tiny-guest-1.machine"
BENCHES = ["null", "cpu.flops", "mem.latency", "mem.bandwidth"]
SHRINK = 10


@dataclass
class Cost:
    wall_s: float
    cpu_s: float
    memory_mib: float
    code: int


@dataclass
class Row:
    what: str
    size: str
    small: Cost
    large: Cost

    def line(self) -> str:
        grown = self.large.cpu_s / max(self.small.cpu_s, 1e-3)
        more = self.large.memory_mib / max(self.small.memory_mib, 1)
        return (f"| {self.what} | {self.size} | {self.large.wall_s:.1f} s | {self.large.cpu_s:.1f} s | "
                f"{self.large.memory_mib:.0f} MiB | {grown:.1f} | {more:.1f} |")


def measure(args: list[str], folder: Path) -> Cost:
    """One command as a child of its own, so that its memory is its own."""
    begun = time.monotonic()
    with open(folder / "stderr", "wb") as errors:
        child = subprocess.Popen(args, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                                 env=dict(os.environ, XDG_DATA_HOME=str(folder / "data"), ARCHMETER_WAIT="0s"))
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    cost = Cost(time.monotonic() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, child.returncode)
    if cost.code not in range(0, 6):
        sys.exit(f"scale: {' '.join(args)} ended with {cost.code}: {(folder / 'stderr').read_text()[-500:]}")
    return cost


LAUNCHED = ("launch", "surroundings", "visit", "sample", "value", "chosen")
# Columns that name a launch, a visit or a round.
SHIFTED = {("launch", "id"): "launches", ("launch", "round"): "rounds", ("surroundings", "launch"): "launches", ("visit", "id"): "visits",
           ("visit", "launch"): "launches", ("visit", "round"): "rounds", ("sample", "visit"): "visits", ("value", "visit"): "visits",
           ("chosen", "visit"): "visits"}


def grow(base: Path, path: Path, launches: int) -> int:
    """A copy of a run whose launches are repeated as further rounds until there are so many; returns how many there are. It is as
    if the run had been interrupted before the last launch of its first point. Rows are added in the order of their keys."""
    shutil.copy(base, path)
    db = sqlite3.connect(path)
    db.executescript("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA cache_size = -65536;")
    db.execute("ATTACH ? AS base", (str(base),))
    own = dict(zip(("launches", "visits", "rounds"), db.execute(
        "SELECT (SELECT max(id) FROM launch), (SELECT max(id) FROM visit), (SELECT max(round) + 1 FROM launch)").fetchone()))
    times = (launches + own["launches"] - 1) // own["launches"]
    db.execute("CREATE TEMP TABLE series (k INTEGER PRIMARY KEY)")
    db.executemany("INSERT INTO series VALUES (?)", ((k,) for k in range(1, times)))
    for table in LAUNCHED:
        names = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        picked = ", ".join(f"{n} + k * {own[SHIFTED[table, n]]}" if (table, n) in SHIFTED else n for n in names)
        db.execute(f"INSERT INTO main.{table} SELECT {picked} FROM temp.series CROSS JOIN base.{table}")
    visited = db.execute("SELECT count(*) FROM visit WHERE point = 1").fetchone()[0]
    db.execute("UPDATE point SET stop_reason = CASE id WHEN 1 THEN NULL ELSE 'max-launches' END")
    db.execute("UPDATE run SET state = 'interrupted', min_launches = ?1, max_launches = ?1, budget_s = 0", (visited + 1,))
    db.commit()
    db.close()
    return times * own["launches"]


def loading(make_run: str, path: Path, size: str) -> str:
    """What comparing the seals adds to loading a file, in processor time."""
    told = subprocess.run([make_run, str(path), "load"], check=True, stdout=subprocess.PIPE, text=True).stdout
    without, compared = (float(word) for word in told.split())
    return f"| {size} | {without:.2f} s | {compared:.2f} s | {100 * (compared / without - 1):.0f} % |"


# What reads a campaign; {} is its file. The others do the same work again, and take long.
READERS = {"show": ["show", "{}"], "report": ["report", "{}", "-o", "page.html"], "verify": ["verify", "{}"]}
MORE = {"model": ["model", "{}"], "explain": ["explain", "{}"], "export --samples": ["export", "{}", "--samples", "--format", "csv"]}


def make_campaign(program: str, make_run: str, folder: Path, launches: int) -> tuple[Path, Path, int]:
    """A file of so many launches and one of a tenth, and how many there are."""
    base = folder / "base.db"
    measure([program, "run", *BENCHES, "--machine", str(MACHINE), "--quick", "--launches", "5", "-o", str(base)], folder)
    small, large = folder / "small.db", folder / "large.db"
    for path, wanted in ((small, launches // SHRINK), (large, launches)):
        begun = time.monotonic()
        made = grow(base, path, wanted)
        grown = time.monotonic()
        subprocess.run([make_run, str(path), "seal"], check=True)
        print(f"{made:,} launches made in {grown - begun:.0f} s, sealed in {time.monotonic() - grown:.0f} s", file=sys.stderr, flush=True)
    return small, large, made


def campaign(program: str, make_run: str, folder: Path, launches: int, readers: dict[str, list[str]]) -> Iterator[Row]:
    small, large, made = make_campaign(program, make_run, folder, launches)
    size = f"{made:,} launches, {os.path.getsize(large) / 2**20:.0f} MiB"
    for what, words in readers.items():
        costs = [measure([program] + [w.replace("{}", str(path)) for w in words], folder) for path in (small, large)]
        yield Row(what, size, *costs)
    for what in ("resume, one launch left", "resume, nothing left"):
        yield Row(what, size, *(measure([program, "resume", str(path)], folder) for path in (small, large)))


def many_points(program: str, make_run: str, folder: Path, points: int) -> Row:
    costs = []
    for n in (points // SHRINK, points):
        for name in ("a", "b"):
            subprocess.run([make_run, str(folder / f"{name}{n}.db"), "many", str(n)], check=True)
        costs.append(measure([program, "compare", str(folder / f"a{n}.db"), str(folder / f"b{n}.db")], folder))
    return Row("compare", f"{points:,} points, 5 launches each", *costs)


def many_nodes(program: str, make_run: str, folder: Path, nodes: int) -> Row:
    subprocess.run([make_run, str(folder / "node.db"), "small"], check=True)
    for i in range(nodes):
        shutil.copy(folder / "node.db", folder / f"n{i}.db")
    costs = []
    for n in (nodes // SHRINK, nodes):
        merged = folder / f"merged{n}.db"
        costs.append(measure([program, "merge", "-o", str(merged), *(f"n{i}={folder}/n{i}.db" for i in range(n))], folder))
    return Row("merge", f"{nodes:,} nodes of {os.path.getsize(folder / 'node.db') // 1024} KiB", *costs)


HEAD = """# Long and large

Made by one command (a day's campaign is compressed as the tool's head says):

    {command}

The factors say by how much processor time and memory grew from a tenth of the size; 10 is linear.

| command | size | wall | processor | memory | time x | memory x |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
"""

SEALS = """
Of loading, this is the part of comparing what is loaded with its seals (processor time):

| file | without | with | more |
| --- | ---: | ---: | ---: |
"""


def bounds(rows: list[Row], launches: int, size: int) -> str:
    """What a launch costs, from the difference of both sizes: what does not grow is left out."""
    told = [f"\nA launch takes {size / launches:.0f} B of the file. Each further launch costs"]
    for what in ("show", "report", "resume, nothing left"):
        row = next(r for r in rows if r.what == what)
        more = launches * (1 - 1 / SHRINK)
        told.append(f"{what.split(',')[0]} {(row.large.cpu_s - row.small.cpu_s) / more * 1e6:.1f} µs and "
                    f"{max(0, row.large.memory_mib - row.small.memory_mib) * 2**20 / more:.0f} B of memory"
                    + ("." if what.startswith("resume") else ","))
    return " ".join(told) + """ Reading is bounded whatever a file says of itself: 64 steps of SQLite's machine and 16 bytes of
results per byte of the file, beside 20 million steps and 64 MiB (`src/store/rows.c`); beyond that it is refused as damaged.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--launches", type=int, default=1_000_000)
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--nodes", type=int, default=1_000)
    parser.add_argument("--all", action="store_true", help="also the readers that take long: model, explain, export --samples")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    program = str((options.build / "archmeter").resolve())
    make_run = str((options.build / "tests" / "report" / "make_run").resolve())
    rows: list[Row] = []
    seals: list[str] = []

    def tell(row: Row) -> None:
        rows.append(row)
        print(row.line(), flush=True)

    with tempfile.TemporaryDirectory(prefix="am-scale-") as place:
        folder = Path(place)
        tell(many_points(program, make_run, folder, options.points))
        seals.append(loading(make_run, folder / f"a{options.points}.db", f"{options.points:,} points, 25 samples each"))
        tell(many_nodes(program, make_run, folder, options.nodes))
        for row in campaign(program, make_run, folder, options.launches, READERS | (MORE if options.all else {})):
            tell(row)
        large = folder / "large.db"
        seals.append(loading(make_run, large, f"{options.launches:,} launches"))
        told = bounds(rows, options.launches, os.path.getsize(large))
    load = f"\nLoad of the machine meanwhile (average of 1 min at the end): {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs.\n"
    text = SEALS + "".join(line + "\n" for line in seals) + told + load
    if options.write:
        head = HEAD.replace("{command}", " ".join(["tools/scale.py", *sys.argv[1:]]))
        options.write.write_text(head + "".join(row.line() + "\n" for row in rows) + text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
