#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tries to break archmeter, and prints what happened as a table.

    tools/robustness.py BUILD [--quick] [--every N] [--only WORD] [--fuzz BUILD_FUZZ SECONDS] [--fuzzed FILE] [--write FILE]

Each row is a kind of attack: how many cases were tried, and what came of them. A case is bad when a
command dies by a signal, does not end in time, leaves a temporary file, writes a character that
steers a terminal, or says nothing of what it left out. --quick tries a few of each kind (the test
e2e_hostile runs that); without it this takes about half an hour on a quiet machine, with --every N the
Nth part of it. --fuzz runs the fuzz targets, too; --fuzzed takes what they found elsewhere from a file, a line per target and run:
TARGET SECONDS INPUTS FINDINGS (`mended`: one, which is none any more). --write makes doc/results/robustness.md. The exit code is 1 when any case was bad."""
import argparse
import csv
import io
import json
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, Iterator

import robust_trust
from robust_bench import (ALLOWED, CLAIMS, COLUMNS, LIMIT_S, NUMBERS, READERS, READERS_EACH, ROOT, TEXT_COLUMNS, TEXTS, UNSHOWN,
                          Bench, Row, heed_signals, judge, leftovers, make_runs, read_all, spoil)


def hostile_numbers(b: Bench) -> Row:
    row = Row("numbers no machine has (1e308, 5e-324, inf, negative, 2^63, NULL) in every column, through every reading command")
    cases = [(c, n) for c in COLUMNS for n in NUMBERS]
    for (table, column, where), number in b.some(cases, 8):
        where = where.replace("rowid_of", "(visit * 31 + seq)")
        if spoil(b, "bad.db", [(f"UPDATE {table} SET {column} = {number} {where}",)]):
            b.changed = b.changed and (table, column) not in UNSHOWN
            read_all(row, b, f"{table}.{column} = {number}", "bad.db", b.dice.sample(READERS, READERS_EACH))
    return row


def hostile_claims(b: Bench) -> Row:
    row = Row("the machine's own statements (sizes, counts) as no machine states them")
    db = sqlite3.connect(b.path("good.db"))
    keys = [k for (k,) in db.execute("SELECT key FROM machine")]
    db.close()
    for key, value in b.some([(k, v) for k in keys for v in CLAIMS], 5):
        if spoil(b, "bad.db", [("UPDATE machine SET value = ? WHERE key = ?", value, key)]):
            read_all(row, b, f"machine.{key} = {value[:30]}", "bad.db",
                     [words for words in b.dice.sample(READERS, len(READERS)) if words[0] in ("show", "model", "explain", "report")][:2])
    return row


def check_cells(row: Row, b: Bench, what: str) -> None:
    done = b.run("show", "bad.db", "--format", "csv")
    text = done.stdout.decode("utf-8", errors="replace")
    if "\0" in text:
        return
    for cells in csv.reader(io.StringIO(text)):
        for cell in cells:
            if re.match(r"[=+@\t\r]|-(?![\d.])", cell):
                row.fault(f"{what}: the cell {cell[:40]!r} is a formula")
    done = b.run("show", "bad.db", "--format", "json")
    if done.returncode in (0, 1):
        json.loads(done.stdout)


def hostile_texts(b: Bench) -> Row:
    row = Row("texts that steer (escapes, C1, writing direction, formulas, markup, 70,000 letters) in every column of text")
    cases = [(c, t) for c in TEXT_COLUMNS for t in TEXTS]
    for (table, column), text in b.some(cases, 8):
        value = text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else text
        sql = f"UPDATE {table} SET {column} = ?||{column} WHERE rowid IN (SELECT rowid FROM {table} LIMIT 50)"
        if table in ("note", "chosen"):
            sql = f"UPDATE {table} SET {column} = ?||{column}"
        if isinstance(text, bytes):
            sql, value = sql.replace("?", "CAST(x'ff' AS TEXT)"), None
        if spoil(b, "bad.db", [(sql,) if value is None else (sql, value)]):
            what = f"{table}.{column} = {str(value)[:20]!r}"
            read_all(row, b, what, "bad.db", b.dice.sample(READERS, READERS_EACH))
            check_cells(row, b, what)
    return row


def mutated(b: Bench, data: bytes, kind: str) -> bytes:
    out = bytearray(data)
    if kind == "one bit":
        out[b.dice.randrange(len(out))] ^= 1 << b.dice.randrange(8)
    elif kind == "50 bytes":
        for _ in range(50):
            out[b.dice.randrange(len(out))] = b.dice.randrange(256)
    elif kind == "a page of zeros":
        at = b.dice.randrange(len(out) // 4096) * 4096
        out[at:at + 4096] = bytes(4096)
    elif kind == "the header":
        for _ in range(4):
            out[b.dice.randrange(100)] = b.dice.randrange(256)
    elif kind == "cut short":
        del out[b.dice.randrange(len(out)):]
    return bytes(out)


def damaged_files(b: Bench) -> Row:
    row = Row("damaged files: one bit, 50 bytes, a page of zeros, the header, cut short")
    data = Path(b.path("good.db")).read_bytes()
    b.changed = False  # a bit may stand where nothing is; what changes numbers is the row of seals
    for kind in ("one bit", "50 bytes", "a page of zeros", "the header", "cut short"):
        for i in range(2 if b.quick else max(2, 40 // b.every)):
            Path(b.path("bad.db")).write_bytes(mutated(b, data, kind))
            read_all(row, b, f"{kind} #{i}", "bad.db", b.dice.sample(READERS, READERS_EACH))
    return row


def foreign_files(b: Bench) -> Row:
    row = Row("files that are no runs: other schemas (1 and 99), WAL, a foreign trigger and table, FIFO, folder, device, empty")
    b.changed = False
    os.makedirs(b.path("folder"), exist_ok=True)
    if not os.path.exists(b.path("fifo")):
        os.mkfifo(b.path("fifo"))
    Path(b.path("empty.db")).write_bytes(b"")
    for name, sql in (("v99.db", "PRAGMA user_version = 99"), ("v1.db", "PRAGMA user_version = 1"),
                      ("v0.db", "PRAGMA application_id = 0"), ("wal.db", "PRAGMA journal_mode = WAL"),
                      ("trigger.db", "CREATE TRIGGER t AFTER UPDATE ON run BEGIN DELETE FROM sample; END"),
                      ("table.db", "CREATE TABLE pwn (x)"), ("view.db", "DROP VIEW samples")):
        shutil.copy(b.path("good.db"), b.path(name))
        db = sqlite3.connect(b.path(name))
        db.execute(sql)
        db.commit()
        db.close()
    for name in ("v99.db", "v1.db", "v0.db", "wal.db", "trigger.db", "table.db", "view.db", "folder", "fifo", "empty.db",
                 "/dev/null", "/dev/zero"):
        read_all(row, b, name, name, b.some(READERS, 2))
    return row


def interrupted_readers(b: Bench) -> Row:
    row = Row("SIGINT, SIGTERM, SIGHUP to a reading command at a random moment")
    for words in b.some(READERS, 4):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            args = [w.replace("{out}", "out").replace("{other}", "other.db").replace("{}", "good.db") for w in words]
            for name in ("out.html", "out.db"):
                Path(b.path(name)).unlink(missing_ok=True)
            child = subprocess.Popen([b.archmeter, *args], cwd=b.folder, env=b.env, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=heed_signals)
            time.sleep(b.dice.random() * 0.1)
            child.send_signal(number)
            try:
                code = child.wait(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
                row.fault(f"{' '.join(args)}: {number.name} does not end it")
                code = None
            # A signal before main() has set its handlers ends the program as any other.
            row.count("ended by it" if code in (130, -number) else "was done before" if code in ALLOWED else f"code {code}")
            if code not in (130, -number, *ALLOWED):
                row.fault(f"{' '.join(args)}: {number.name} gives {code}")
            for name in leftovers(b):
                row.fault(f"{' '.join(args)}: {number.name} leaves {name}")
                os.unlink(b.path(name))
            if code == 130 and os.path.exists(b.path("out.db")):
                row.fault(f"{' '.join(args)}: {number.name} leaves a file that is half merged")
    return row


def limited(what: int, most: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(what, (most, most))


def is_sanitized(program: str) -> bool:
    """Then it reserves more addresses than any limit on them leaves."""
    with open(program, "rb") as file:
        return b"__asan_init" in file.read()


def small_limits(b: Bench) -> Row:
    row = Row("limits: file size (SIGXFSZ), 8 to 40 open files, address space, no /proc, closed descriptors")
    cases: list[tuple[str, list[str], dict]] = []
    for size in (0, 4096, 65536, 400000):
        cases.append((f"file size {size}", ["run", "fake.work", "-p", "n=1:40", "--quick", "-o", "limited.db"],
                      {"preexec_fn": limited(resource.RLIMIT_FSIZE, size)}))
        cases.append((f"file size {size}", ["report", "good.db", "-o", "out.html"],
                      {"preexec_fn": limited(resource.RLIMIT_FSIZE, size)}))
    for files in (8, 12, 16, 20, 24, 40):
        cases.append((f"{files} open files", ["run", "fake.work", "-p", "n=1", "--quick", "-o", "limited.db"],
                      {"preexec_fn": limited(resource.RLIMIT_NOFILE, files)}))
        cases.append((f"{files} open files", ["show", "good.db"], {"preexec_fn": limited(resource.RLIMIT_NOFILE, files)}))
    for mib in () if is_sanitized(b.archmeter) else (64, 128, 256):
        cases.append((f"{mib} MiB of addresses", ["report", "good.db", "-o", "out.html"],
                      {"preexec_fn": limited(resource.RLIMIT_AS, mib << 20)}))
    for fd in (0, 1, 2):
        cases.append((f"descriptor {fd} closed", ["show", "good.db"], {"preexec_fn": (lambda fd=fd: os.close(fd))}))
    for what, args, how in b.some(cases, 8):
        for name in ("limited.db", "limited.html", "out.html"):
            if os.path.exists(b.path(name)):
                os.unlink(b.path(name))
        try:
            done = b.run(*args, env=b.faking, **how)
        except subprocess.TimeoutExpired:
            done = None
        judge(row, b, what, args, done)
    without_proc(b, row)
    return row


def without_proc(b: Bench, row: Row) -> None:
    """A private mount namespace whose /proc is empty; where none may be made, nothing is tried."""
    script = 'mount -t tmpfs none /proc && exec "$@"'
    words = ["unshare", "-m", "sh", "-c", script, "sh", b.archmeter]
    if subprocess.run([*words, "version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 0:
        row.case += " (no /proc: not tried, mount namespaces are not allowed here)"
        return
    for args in (["run", "fake.work", "-p", "n=1:3", "--quick", "-o", "noproc.db"], ["doctor"], ["show", "good.db"], ["list"]):
        done = subprocess.run([*words, *args], cwd=b.folder, env=b.faking, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=LIMIT_S, check=False)
        judge(row, b, "no /proc", args, done)


def lying_workers(b: Bench) -> Row:
    row = Row("workers that lie, crash, hang, flood, end badly or leave processes behind (fake.act, fake.lie, fake.own)")
    done = b.run("run", "fake.act", "fake.lie", "fake.own", "-p", "act=all", "-p", "lie=all", "--quick", "--launches", "1",
                 "--launch-limit", "3s", "-o", "lies.db", env=b.faking, timeout=900)
    judge(row, b, "lies", ["run"], done)
    row.tried, row.good = 0, {}
    db = sqlite3.connect(f"file:{b.path('lies.db')}?mode=ro", uri=True)
    honest = {"ok", "flood_stdout", "orphan", "note", "chosen", "attach", "late_crash", "none", "hidden_child"}
    for bench, point, state, kind in db.execute(
            "SELECT b.name, p.text, v.state, f.kind FROM point p JOIN bench b ON b.id = p.bench "
            "JOIN visit v ON v.point = p.id LEFT JOIN failure f ON f.visit = v.id"):
        word = point.split("=")[1]
        believed = word in honest or (bench == "fake.own" and word == "elapsed_half")
        row.count(f"failed as {kind}" if state == "fail" else "skipped" if state == "skip" else "believed, as they may be")
        if (state == "ok") != believed:
            row.fault(f"{bench} {point}: {state}")
    db.close()
    return row


def killed_runs(b: Bench) -> Row:
    row = Row("kill -9 of the conductor at a random moment, then resume to the end")
    for i in range(2 if b.quick else max(2, 20 // b.every)):
        name = f"killed{i}.db"
        child = subprocess.Popen([b.archmeter, "run", "fake.work", "-p", "n=1:6", "--quick", "--launches", "5", "-o", name],
                                 cwd=b.folder, env=b.faking, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        time.sleep(b.dice.random() * 2)
        child.kill()
        child.wait()
        if not os.path.exists(b.path(name)):
            row.count("killed before there was a file")
            continue
        done = b.run("resume", name, env=b.faking, timeout=600)
        db = sqlite3.connect(f"file:{b.path(name)}?mode=ro", uri=True)
        try:
            visits = db.execute("SELECT count(*) FROM visit WHERE state = 'ok'").fetchone()[0]
            sound = db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        except sqlite3.Error:
            visits, sound = 0, False
        db.close()
        if done.returncode == 0 and visits == 30 and sound:
            row.count("complete after resume")
        elif done.returncode in (2, 3) and visits == 0 and done.stderr:
            row.count("refused: empty")
        else:
            row.count("broken")
            row.fault(f"kill {i}: resume {done.returncode}, {visits} visits, sound {sound}: {done.stderr[-200:]!r}")
    return row


def schema_versions(b: Bench) -> Row:
    row = Row("files of every released schema (2, 3, 4), read, and resumed where they are open")
    folder = ROOT / "tests" / "unit" / "store"
    b.changed = False
    for version in sorted(folder.glob("version[0-9]*")):
        for script in sorted(version.glob("*.sql")):
            if script.stem == "schema":
                continue
            name = f"{version.name}-{script.stem}.db"
            db = sqlite3.connect(b.path(name))
            for part in (version / "schema.sql", script):
                db.executescript("PRAGMA synchronous = OFF; BEGIN;" + part.read_text(encoding="utf-8") + "COMMIT;")
            db.close()
            read_all(row, b, name, name, [words for words in READERS if words[0] in ("show", "export", "model", "report", "merge")])
    return row


def fuzzed(b: Bench, build: Path, seconds: int) -> Iterator[Row]:
    for program in sorted((build / "tests" / "fuzz").glob("fuzz_*")):
        if not os.access(program, os.X_OK) or program.suffix or "-" in program.name:
            continue
        word = program.name.removeprefix("fuzz_")
        row = Row(f"fuzz target `{word}`, {seconds} s")
        done = subprocess.run(["nice", "-n", "19", sys.executable, str(ROOT / "tests" / "fuzz" / "run_fuzz.py"), str(program),
                               str(ROOT / "tests" / "fuzz" / "seeds" / word), "1"], env=dict(b.env, FUZZ_SECONDS=str(seconds)),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        found = re.search(r"(\d+) inputs tried", done.stdout)
        row.tried = int(found.group(1)) if found else 0
        row.good["without a finding" if done.returncode == 0 else "with a finding"] = row.tried
        if done.returncode != 0:
            row.fault(done.stdout[-1500:])
        yield row


def fuzzed_elsewhere(path: Path) -> Iterator[Row]:
    """A row per target, of all its runs that the file tells of."""
    lines = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    runs = [words for words in lines if words and words[0] != "#"]
    for word in sorted({words[0] for words in runs}):
        own = [words for words in runs if words[0] == word]
        row = Row(f"fuzz target `{word}`, {sum(int(words[1]) for words in own):,} s", sum(int(words[2]) for words in own))
        mended = sum(words[3] == "mended" for words in own)
        row.good["without a finding"] = row.tried - mended
        if mended:
            row.good["with a finding, mended since"] = mended
        for words in own:
            if words[3] not in ("0", "mended"):
                row.fault(f"{word}: {words[3]} findings")
        yield row


PARTS: dict[str, Callable[[Bench], Row]] = {
    "numbers": hostile_numbers, "claims": hostile_claims, "texts": hostile_texts, "damage": damaged_files,
    "foreign": foreign_files, "signals": interrupted_readers, "limits": small_limits, "lies": lying_workers,
    "kills": killed_runs, "schemas": schema_versions,
} | robust_trust.PARTS

# Rows that take less than a minute each on a quiet machine: --every leaves them whole.
WHOLE = {"bits", "flips", "edits", "beside", "signals", "limits", "environments"}

HEAD = """# What was tried to break it

Made by one command, which fails when a case is bad:

    {command}

A case is bad when a command dies by a signal, does not end within two minutes, leaves a temporary file, writes a
character that steers a terminal, writes code or a formula of the file's into a page or a table, stores a lie as a
result, shows a file that was changed without saying so, or runs or removes something unasked. What may be asked of each kind of file: [SECURITY.md](../../SECURITY.md). Large files: [scale.md](scale.md).

| case | tried | outcome |
| --- | ---: | --- |
"""


def table(rows: list[Row]) -> str:
    return "".join(f"| {r.case} | {r.tried:,} | {r.outcome()} |\n" for r in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one case in N, drawn, of the rows that take long")
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--fuzz", nargs=2, metavar=("BUILD_FUZZ", "SECONDS"))
    parser.add_argument("--fuzzed", type=Path, metavar="FILE")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="am-robust-") as folder:
        b = Bench(options.build, Path(folder), options.quick, options.every)
        make_runs(b)
        for word in options.only or PARTS:
            begun = time.monotonic()
            b.every = 1 if word in WHOLE else options.every
            rows.append(PARTS[word](b))
            print(table(rows[-1:]), end="", flush=True)
            print(f"{word}: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
            for story in rows[-1].bad[:20]:
                print(f"  bad: {story}", flush=True)
        if options.fuzz:
            for row in fuzzed(b, Path(options.fuzz[0]), int(options.fuzz[1])):
                rows.append(row)
                print(table(rows[-1:]), end="", flush=True)
    if options.fuzzed:
        rows.extend(fuzzed_elsewhere(options.fuzzed))
    if options.write:
        options.write.write_text(HEAD.replace("{command}", " ".join(["tools/robustness.py", *sys.argv[1:]])) + table(rows),
                                 encoding="utf-8")
    return 1 if any(r.bad for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
