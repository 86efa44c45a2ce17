# SPDX-License-Identifier: MIT
"""What the attacks of tools/robustness.py share: runs to spoil, the commands that read them, and how their ends are judged."""
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

ROOT = Path(__file__).resolve().parent.parent
MACHINE = ROOT / "machines" / "gpu-host-8.machine"
LIMIT_S = 120  # of one command; a loop is what takes longer
ALLOWED = range(0, 6)  # exit codes that mean something; 130 is an interrupted command's
SEED = 18
READERS_EACH = 3  # commands that read each spoiled file, drawn anew for each; some rows have all of them
UNSHOWN = {("sample", "iters")}  # what only `export --samples` and `verify` read, and say of

# Everything that reads a results file; {} is the file, {other} a good one, {out} a file to write.
READERS = [
    ["show", "{}"], ["show", "{}", "--format", "csv"], ["show", "{}", "--format", "json"],
    ["show", "{}", "--format", "md"], ["show", "{}", "--format", "tex"], ["show", "{}", "--provenance"],
    ["export", "{}", "--format", "csv", "--samples"], ["export", "{}", "--format", "json"],
    ["model", "{}"], ["model", "{}", "--format", "json"], ["model", "{}", "--facts"],
    ["model", "{}", "{other}"], ["explain", "{}"], ["explain", "{}", "--format", "csv"],
    ["report", "{}", "-o", "{out}.html"], ["report", "{other}", "{}", "-o", "{out}.html"],
    ["compare", "{}", "{other}"], ["compare", "{other}", "{}", "--all-metrics"],
    ["check", "{other}", "{}"], ["history", "{}", "{other}"],
    ["merge", "-o", "{out}.db", "a={}", "b={other}"],
]

NUMBERS = ["1e308", "-1e308", "5e-324", "-5e-324", "9e999", "-9e999", "1e30", "-1e30", "1e-30", "0", "-1",
           "9223372036854775807", "-9223372036854775808", "NULL"]
# Columns of numbers, and which rows of them.
COLUMNS = [
    ("value", "value", ""),
    ("value", "value", "WHERE metric IN (SELECT m.id FROM metric m JOIN bench b ON b.id = m.bench WHERE b.name = 'cpu.flops')"),
    ("value", "value", "WHERE metric IN (SELECT m.id FROM metric m JOIN bench b ON b.id = m.bench WHERE b.name = 'mem.bandwidth')"),
    ("value", "value", "WHERE metric IN (SELECT m.id FROM metric m JOIN bench b ON b.id = m.bench WHERE b.name = 'mem.latency')"),
    ("value", "value", "WHERE rowid_of % 7 = 0"),
    ("visit", "bytes_read", ""), ("visit", "bytes_written", ""), ("visit", "flops", ""), ("visit", "ops", ""),
    ("visit", "residual", ""), ("sample", "elapsed_ns", ""), ("sample", "hz_before", ""), ("sample", "iters", ""),
    ("sample", "labels", ""), ("launch", "started_ns", ""), ("launch", "clock_resolution_ns", ""),
    ("surroundings", "load", ""), ("surroundings", "others", ""), ("surroundings", "labels", ""),
    ("param", "value", "WHERE typeof(value) <> 'text'"), ("run", "target", ""), ("run", "launch_limit_s", ""),
]
CLAIMS = ["1e308", "5e-324", "-1", "0", "nan", "99999999999999999999", "x" * 300]

TEXTS = ["\x1b[2J\x1b]0;gotcha\x07", "\u009b31m", "\u202egnp.exe", "=1+1", "@SUM(A1)", "+1", "-1+cmd|' /C calc'!A0",
         "\t=1", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "](javascript:alert(1))", "|", "\n# x",
         "\\input{/etc/passwd}", "%s%n%x", "'; DROP TABLE run; --", "\udcff".encode("utf-8", "surrogateescape"),
         "x" * 70000, "\u2028", ""]
TEXT_COLUMNS = [("bench", "name"), ("bench", "worker"), ("bench", "summary"), ("axis", "name"), ("axis", "unit"),
                ("metric", "name"), ("metric", "unit"), ("point", "text"), ("machine", "value"), ("machine", "key"),
                ("environment", "value"), ("build", "value"), ("setting", "value"), ("finding", "value"),
                ("finding", "id"), ("run", "command"), ("run", "label"), ("run", "started"), ("failure", "reason"),
                ("launch", "output"), ("note", "value"), ("chosen", "value"), ("attachment", "type")]
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@dataclass
class Row:
    """One line of the table."""
    case: str
    tried: int = 0
    good: dict[str, int] = field(default_factory=dict)
    bad: list[str] = field(default_factory=list)

    def count(self, outcome: str) -> None:
        self.tried += 1
        self.good[outcome] = self.good.get(outcome, 0) + 1

    def fault(self, story: str) -> None:
        self.bad.append(story)

    def outcome(self) -> str:
        told = ", ".join(f"{n} {word}" for word, n in sorted(self.good.items(), key=lambda kv: -kv[1]))
        return f"**{len(self.bad)} bad**; {told}" if self.bad else told


@dataclass
class Bench:
    """The program, a scratch folder and good runs to spoil."""
    build: Path
    folder: Path
    quick: bool
    every: int
    dice: random.Random = field(default_factory=lambda: random.Random(SEED))
    changed: bool = False  # whether the file spoiled last holds something else than the good one

    def __post_init__(self) -> None:
        self.archmeter = str((self.build / "archmeter").resolve())
        self.env = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8", XDG_DATA_HOME=str(self.folder / "data"),
                        ARCHMETER_WAIT="0s")
        self.env.pop("ARCHMETER_WORKERS", None)
        self.faking = dict(self.env, ARCHMETER_WORKERS=str((self.build / "tests" / "e2e").resolve()))

    def run(self, *args: str, env: Optional[dict] = None, timeout: float = LIMIT_S, **kwargs) -> subprocess.CompletedProcess:
        return subprocess.run([self.archmeter, *args], cwd=self.folder, env=env or self.env, timeout=timeout,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              **kwargs)

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def some(self, items: list, n: int) -> list:
        """So many of them where it must be quick; else a part of them, all by default."""
        least = min(n, len(items))
        return self.dice.sample(items, least if self.quick else max(least, len(items) // self.every))


def heed_signals() -> None:
    """In a child: who runs this behind a shell's & has it ignore SIGINT, and archmeter heeds that."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def make_runs(b: Bench) -> None:
    """A simulated machine with accelerators, and a second run of it, short enough to be read often."""
    names = ["cpu.*", "mem.*", "omp.sync", "app.*", "ocl.*", "null"]
    for name, seed in (("good.db", "1"), ("other.db", "2")):
        done = b.run("run", *names, "--machine", str(MACHINE), "--quick", "--budget", "20s", "--seed", seed, "-o", name, timeout=900)
        if done.returncode not in (0, 1):
            sys.exit(f"robustness: the run to spoil was not made: {done.stderr.decode(errors='replace')}")


def leftovers(b: Bench) -> list[str]:
    return [p.name for p in b.folder.iterdir() if re.search(r"\.(html|db|json)\.\w{6}$", p.name)]


def judge(row: Row, b: Bench, what: str, args: list[str], done: Optional[subprocess.CompletedProcess]) -> None:
    """How a command on a spoiled file ended."""
    shown = f"{what}: archmeter {' '.join(args)}"
    if done is None:
        row.count("hung")
        row.fault(f"{shown}: did not end within {LIMIT_S} s")
        return
    if done.returncode not in ALLOWED:
        row.count("died")
        row.fault(f"{shown}: ended with {done.returncode}: {done.stderr.decode(errors='replace')[-400:]}")
        return
    row.count("refused with a reason" if done.returncode in (2, 3) and done.stderr else "read")
    if done.returncode in (2, 3) and not done.stderr.strip():
        row.fault(f"{shown}: refused without a word")
    for stream in (done.stdout, done.stderr):
        text = stream.decode("utf-8", errors="surrogateescape")
        found = STEERING.search(text) or re.search("[\ud800-\udfff]", text)
        if found:
            row.fault(f"{shown}: wrote {found.group()!r}")
    for name in leftovers(b):
        row.fault(f"{shown}: left {name}")
        os.unlink(b.path(name))


def tells_change(done: Optional[subprocess.CompletedProcess]) -> bool:
    """A command that refuses a file changes nothing silently; a merge tells that it lost a node, and why."""
    words = b"" if done is None else b" ".join((done.stdout + done.stderr).split())
    return done is None or done.returncode in (2, 3) or b"not as it was written" in words or b"the file is damaged" in words


def read_all(row: Row, b: Bench, what: str, file: str, readers: list[list[str]]) -> None:
    """Where the file was changed behind archmeter's back, each reader must say so."""
    for words in readers:
        for name in ("out.html", "out.db"):
            if os.path.exists(b.path(name)):
                os.unlink(b.path(name))
        args = [w.replace("{out}", "out").replace("{other}", "other.db").replace("{}", file) for w in words]
        try:
            done = b.run(*args)
        except subprocess.TimeoutExpired:
            done = None
        judge(row, b, what, args, done)
        if b.changed and not tells_change(done):
            row.fault(f"{what}: archmeter {' '.join(args)}: shows a changed file without a word")
        if os.path.exists(b.path("out.html")):
            check_page(row, what, Path(b.path("out.html")))


def check_page(row: Row, what: str, page: Path) -> None:
    text = page.read_text(encoding="utf-8", errors="surrogateescape")
    if text.count("<script") != 1 or "<img" in text or re.search(r'=\s*"?javascript:', text):
        row.fault(f"{what}: the page has code of the file's")
    found = STEERING.search(text)
    if found:
        row.fault(f"{what}: the page holds {found.group()!r}")


def contents(db: sqlite3.Connection, tables: set[str]) -> list:
    db.text_factory = bytes
    return [db.execute(f"SELECT * FROM {table}").fetchall() for table in sorted(tables)]


def spoil(b: Bench, name: str, statements: list[tuple]) -> Optional[str]:
    """A copy of the good run with statements carried out; None where SQLite itself refuses them."""
    shutil.copy(b.path("good.db"), b.path(name))
    tables = {match.group(1) for sql, *_ in statements for match in [re.match(r"UPDATE (\w+)", sql)] if match}
    db = sqlite3.connect(b.path(name))
    try:
        before = contents(db, tables)
        for sql, *values in statements:
            db.execute(sql, values)
        db.commit()
        b.changed = contents(db, tables) != before
    except sqlite3.Error:
        return None
    finally:
        db.close()
    return name
