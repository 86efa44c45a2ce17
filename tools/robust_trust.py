# SPDX-License-Identifier: MIT
"""Attacks of tools/robustness.py on what a reader trusts: seals, consent, provenance; and on what a machine may refuse."""
import os
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import time
from pathlib import Path

from robust_bench import ALLOWED, LIMIT_S, READERS, ROOT, TEXT_COLUMNS, TEXTS, Bench, Row, heed_signals, judge, read_all, spoil, tells_change

FLIPS, FLIPS_IN_ONE = 100, 1000  # with commands; in one process, of each of two sorts
EXTREMES = ["1e308", "-1e308", "5e-324", "9e999"]
OF_LAST = ("value", "sample", "off_cpu", "note", "chosen", "proposed", "attachment", "failure", "sample_seal")

# What somebody edits first, by SQL alone. {last} is the last launch, {visits} its visits.
EDITS = {
    "a value doubled": "UPDATE value SET value = value * 2 WHERE visit = 1",
    "a value changed in the ninth digit": "UPDATE value SET value = value * 1.000000001 WHERE visit = 1",
    "all values of a metric": "UPDATE value SET value = value * 0.9 WHERE metric = 1",
    "a time": "UPDATE sample SET elapsed_ns = elapsed_ns + 1 WHERE visit = 2 AND seq = 0",
    "a label taken away": "UPDATE sample SET labels = 0",
    "the surroundings made quiet": "UPDATE surroundings SET labels = 0, load = 0, others = 0",
    "a failure made ok": "UPDATE visit SET state = 'ok' WHERE state <> 'ok'; DELETE FROM failure",
    "the machine's name": "UPDATE machine SET value = 'A Faster One' WHERE key = 'model_name'",
    "the machine's key": "UPDATE machine SET value = 'x' WHERE key = 'key'",
    "the commit": "UPDATE build SET value = '0123456789012345678901234567890123456789' WHERE key = 'commit'",
    "a worker's hash": "UPDATE build SET value = replace(value, 'a', 'b') WHERE key LIKE 'worker.%'",
    "the flags": "UPDATE build SET value = '-O0' WHERE key LIKE 'flags%'",
    "the kernel's version": "UPDATE environment SET value = '9.9' WHERE key = 'kernel'",
    "the label": "UPDATE run SET label = 'another'",
    "the date": "UPDATE run SET started = '2030-01-01T00:00:00Z'",
    "synthetic made real": "UPDATE run SET synthetic = 0",
    "a launch deleted": "DELETE FROM launch WHERE id = 2",
    "a launch deleted with all that hangs on it": "{delete}",
    "the last launch deleted with all that hangs on it, and the count": "{delete_last}",
    "two launches exchanged": "UPDATE launch SET id = -id WHERE id IN (1, 2); UPDATE launch SET id = id + 3 WHERE id < 0",
    "two launches exchanged with their seals": "UPDATE launch SET id = -id WHERE id IN (1, 2);"
    "UPDATE launch SET id = id + 3 WHERE id < 0; UPDATE seal SET launch = -launch WHERE launch IN (1, 2);"
    "UPDATE seal SET launch = launch + 3 WHERE launch < 0",
    "a point renamed": "UPDATE point SET text = text || '0' WHERE id = 1",
    "a parameter": "UPDATE param SET value = 4 WHERE point = 1",
    "a unit": "UPDATE metric SET unit = 'B/s' WHERE id = 1",
    "better turned around": "UPDATE metric SET better = CASE better WHEN 'lower' THEN 'higher' ELSE 'lower' END",
    "a finding made ok": "UPDATE finding SET level = 'ok'",
    "the stop reasons": "UPDATE point SET stop_reason = 'target'",
    "a note added": "INSERT INTO note VALUES (1, 'verified', 'by nobody')",
    "the seals emptied": "DELETE FROM seal; DELETE FROM sample_seal; DELETE FROM table_seal; DELETE FROM chain",
    "the version set back": "PRAGMA user_version = 4",
    "a sample deleted": "DELETE FROM sample WHERE visit = 1 AND seq = 0",
}


def tap_row(b: Bench, case: str, script: str, *more: str) -> Row:
    """An end-to-end test as a row: each of its sentences is a case."""
    row = Row(case)
    done = subprocess.run([sys.executable, str(ROOT / "tests" / "e2e" / script), b.archmeter, str((b.build / "tests" / "e2e").resolve()),
                           *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(os.environ), check=False)
    for line in done.stdout.splitlines():
        found = re.match(r"(not )?ok \d+ - (.*)", line)
        if not found:
            continue
        row.count("not as it should be" if found.group(1) else "skipped" if "# SKIP" in line else "as it should be")
        if found.group(1):
            row.fault(found.group(2))
    if done.returncode != 0 and not row.bad:
        row.fault(f"{script} ended with {done.returncode}: {done.stdout[-500:]}")
    return row


# ---- seals ----

def small_run(b: Bench) -> None:
    """Small enough that a part of its bits is numbers."""
    if os.path.exists(b.path("sealed.db")):
        return
    done = b.run("run", "null", "mem.latency", "--machine", str(ROOT / "machines" / "tiny-guest-1.machine"), "--quick", "--launches",
                 "3", "-o", "sealed.db")
    if done.returncode not in (0, 1):
        sys.exit(f"robustness: no small run: {done.stderr.decode(errors='replace')}")


def flips(b: Bench) -> Row:
    row = Row("seals: a bit flipped in a results file, half of them in stored values; `show`, `export --samples` and `verify` each")
    small_run(b)
    data = bytearray(Path(b.path("sealed.db")).read_bytes())
    values = list(places_of_values(b, bytes(data)))
    readers = (("show", "flip.db", "--format", "csv"), ("export", "flip.db", "--samples", "--format", "csv"))
    Path(b.path("flip.db")).write_bytes(data)
    before = [b.run(*words).stdout for words in readers]
    for i in range(10 if b.quick else max(10, FLIPS // b.every)):
        at = b.dice.choice(values) + b.dice.randrange(8) if i % 2 and values else b.dice.randrange(len(data))
        bit = 1 << b.dice.randrange(8)
        data[at] ^= bit
        Path(b.path("flip.db")).write_bytes(data)
        data[at] ^= bit
        done = [b.run(*words) for words in readers]
        verified = b.run("verify", "flip.db").returncode
        refused = any(d.returncode in (2, 3) for d in done)
        changed = any(d.stdout != text for d, text in zip(done, before))
        row.count("refused" if refused else "changes what is shown, and is found" if changed else "changes nothing that is shown")
        if any(d.returncode not in ALLOWED for d in done):
            row.fault(f"bit {bit} of byte {at}: {[d.returncode for d in done]}")
        if (refused or changed) and verified == 0:
            row.fault(f"bit {bit} of byte {at}: verify says that all is well")
        if changed and not refused and not all(tells_change(d) for d, text in zip(done, before) if d.stdout != text):
            row.fault(f"bit {bit} of byte {at}: shown without a word")
    return row


def flips_in_one(b: Bench) -> Row:
    """The unit test of seals: everything that any command can show is compared, without a process per bit."""
    row = Row("seals: a bit flipped anywhere, or in a stored value; everything that can be shown of the file compared, in one process")
    seed, bits = 18, 20 if b.quick else max(20, FLIPS_IN_ONE // b.every)
    done = subprocess.run([str((b.build / "tests" / "unit" / "test_seal").resolve()), str(bits), str(seed)], cwd=b.folder,
                          stdout=subprocess.PIPE, text=True, check=False)
    for found in re.finditer(r"(not )?ok \d+ - of (\d+) bits (anywhere|of values)[^\n]*", done.stdout):
        row.tried += int(found.group(2))
        numbers = re.findall(r"(\d+) (change what is shown|make it unreadable|do neither)", found.group())
        for n, word in numbers:
            row.good[word] = row.good.get(word, 0) + int(n)
        if found.group(1):
            row.fault(found.group())
    if done.returncode != 0 or not row.tried:
        row.fault(f"test_seal ended with {done.returncode}")
    return row


def places_of_values(b: Bench, data: bytes):
    """Where values of samples stand, by their eight bytes."""
    db = sqlite3.connect(f"file:{b.path('sealed.db')}?mode=ro", uri=True)
    for (value,) in db.execute("SELECT value FROM value WHERE value NOT NULL LIMIT 400"):
        at = data.find(struct.pack(">d", value))
        if at >= 0:
            yield at
    db.close()


def delete_launch(last: int, count: bool) -> str:
    visits = f"(SELECT id FROM visit WHERE launch = {last})"
    sql = "".join(f"DELETE FROM {table} WHERE visit IN {visits};" for table in OF_LAST)
    sql += f"DELETE FROM visit WHERE launch = {last}; DELETE FROM surroundings WHERE launch = {last};"
    sql += f"DELETE FROM seal WHERE launch = {last}; DELETE FROM launch WHERE id = {last};"
    return sql + ("UPDATE chain SET launches = launches - 1" if count else "")


def edit(b: Bench, name: str, sql: str) -> bool:
    shutil.copy(b.path("sealed.db"), b.path(name))
    db = sqlite3.connect(b.path(name))
    last = db.execute("SELECT max(id) FROM launch").fetchone()[0]
    before = list(db.iterdump())
    db.execute("PRAGMA ignore_check_constraints = ON")
    db.executescript(sql.replace("{delete_last}", delete_launch(last, True)).replace("{delete}", delete_launch(2, False)))
    changed = list(db.iterdump()) != before or "PRAGMA" in sql
    db.commit()
    db.close()
    return changed


def edits(b: Bench) -> Row:
    row = Row("seals: what somebody edits by SQL first (values, labels, machine, commit, dates, launches deleted and exchanged, seals "
              "emptied), read, resumed and merged afterwards")
    small_run(b)
    for what, sql in b.some(list(EDITS.items()), 6):
        if not edit(b, "edited.db", sql):
            continue
        shown, verified = b.run("show", "edited.db"), b.run("verify", "edited.db").returncode
        row.count("found")
        if verified == 0 or not tells_change(shown):
            row.fault(f"{what}: verify {verified}, show {shown.returncode}: {shown.stderr.decode(errors='replace')[:200]}")
        if os.path.exists(b.path("merged.db")):
            os.unlink(b.path("merged.db"))
        merged = b.run("merge", "-o", "merged.db", "a=edited.db", "b=sealed.db")
        row.count("found when merged")
        if merged.returncode == 0 or (os.path.exists(b.path("merged.db")) and b.run("verify", "merged.db").returncode == 0
                                      and b"lost" not in merged.stdout):
            row.fault(f"{what}: merged, it holds: {merged.returncode} {merged.stderr.decode(errors='replace')[:200]}")
        b.run("resume", "edited.db")
        row.count("found when resumed")
        if b.run("verify", "edited.db").returncode == 0:
            row.fault(f"{what}: resumed, it holds")
    return row


def beside(b: Bench) -> Row:
    """SQLite takes files beside a database for a part of it."""
    row = Row("files beside a results file: a journal that names another file (SQLite would remove that), a write-ahead log")
    small_run(b)
    magic = bytes.fromhex("d9d505f920a163d7")
    for words in b.some([r for r in READERS if r[0] != "merge"] + [["verify", "{}"], ["resume", "{}"]], 4):
        shutil.copy(b.path("sealed.db"), b.path("beside.db"))
        victim = b.path("precious")
        Path(victim).write_text("mine\n", encoding="utf-8")
        size, name = os.path.getsize(b.path("beside.db")), victim.encode()
        total = sum(x if x < 128 else x - 256 for x in name) & 0xffffffff
        head = (magic + b"".join(n.to_bytes(4, "big") for n in (0, 7, size // 4096, 512, 4096))).ljust(512, b"\0")
        Path(b.path("beside.db-journal")).write_bytes(
            head + (0x40000000 // 4096 + 1).to_bytes(4, "big") + name + len(name).to_bytes(4, "big") + total.to_bytes(4, "big") + magic)
        args = [w.replace("{out}", "out").replace("{other}", "other.db").replace("{}", "beside.db") for w in words]
        judge(row, b, "journal", args, b.run(*args))
        if not os.path.exists(victim):
            row.fault(f"{' '.join(args)}: removed a file that a journal named")
        os.unlink(b.path("beside.db-journal"))
        Path(b.path("beside.db-wal")).write_bytes(b"x")
        judge(row, b, "log", args, b.run(*args))
        os.unlink(b.path("beside.db-wal"))
    return row


def consent(b: Bench) -> Row:
    return tap_row(b, "consent: commands of results files, meters and experiments; tables and outputs over others' files, through links, "
                   "changed while it asks, of another user, in another folder", "test_consent.py")


def provenance(b: Bench) -> Row:
    return tap_row(b, "provenance: commit, programs, compilers, flags, libraries on record and shown; another program is another build",
                   "test_provenance.py")


def lies(b: Bench) -> Row:
    return tap_row(b, "workers' failures and lies one by one: what is stored, and that no process is left, also one that hides by setsid",
                   "test_failures.py")


# ---- numbers and texts, everywhere at once ----

def extremes(b: Bench) -> Row:
    row = Row("1e308, -1e308, 5e-324, inf as every value, every work, every clock, through every reading command")
    places = [("value", "value"), ("visit", "bytes_read"), ("visit", "flops"), ("visit", "ops"), ("sample", "hz_before")]
    for (table, column), number in b.some([(p, n) for p in places for n in EXTREMES], 2):
        if spoil(b, "bad.db", [(f"UPDATE {table} SET {column} = {number}",)]):
            read_all(row, b, f"{table}.{column} = {number}", "bad.db", b.some(READERS, 4) if b.quick else READERS)
    return row


def at_the_limits(b: Bench) -> Row:
    """The largest and least numbers that are read: nothing may loop over their decades, and SIGINT ends what takes long."""
    row = Row("1e30 and 1e-30, the limits of what is read, as every value; every reading command, and SIGINT to each")
    for number in ("1e30", "1e-30"):
        if not spoil(b, "bad.db", [(f"UPDATE value SET value = {number}",)]):
            continue
        read_all(row, b, f"value = {number}", "bad.db", b.some(READERS, 4))
        for words in b.some(READERS, 4):
            args = [w.replace("{out}", "out").replace("{other}", "other.db").replace("{}", "bad.db") for w in words]
            interrupt(row, b, args, b.dice.random() * 0.05)
    return row


def interrupt(row: Row, b: Bench, args: list[str], after_s: float) -> None:
    for name in ("out.html", "out.db"):
        if os.path.exists(b.path(name)):
            os.unlink(b.path(name))
    child = subprocess.Popen([b.archmeter, *args], cwd=b.folder, env=b.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, preexec_fn=heed_signals)
    time.sleep(after_s)
    child.send_signal(signal.SIGINT)
    begun = time.monotonic()
    try:
        code = child.wait(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        child.kill()
        code = child.wait()
        row.fault(f"{' '.join(args)}: SIGINT does not end it within {time.monotonic() - begun:.0f} s")
    row.count("ended by SIGINT" if code in (130, -signal.SIGINT) else "done before SIGINT")
    if code not in (130, -signal.SIGINT, *ALLOWED):
        row.fault(f"{' '.join(args)}: SIGINT gives {code}")


def texts_at_once(b: Bench) -> Row:
    row = Row("texts that steer, in every column of text at once, through every writer")
    for text in b.some([t for t in TEXTS if isinstance(t, str)], 2):
        value = text[:2000]
        statements = [(f"UPDATE {table} SET {column} = ? || {column}", value) for table, column in TEXT_COLUMNS
                      if (table, column) not in (("bench", "worker"), ("run", "started"))]
        if spoil(b, "bad.db", statements):
            read_all(row, b, f"everywhere {value[:20]!r}", "bad.db", b.some(READERS, 4) if b.quick else READERS)
    return row


# ---- what a machine may refuse ----

def memory_group() -> Path | None:
    """A control group of our own below this process's; None where none may be made."""
    lines = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines()]
    for _, kinds, path in lines:
        root = Path("/sys/fs/cgroup/memory") if "memory" in kinds.split(",") else Path("/sys/fs/cgroup") if not kinds else None
        group = root / path.lstrip("/") / f"am-robust-{os.getpid()}" if root else None
        try:
            if group:
                group.mkdir()
            if group and any((group / name).exists() for name in ("memory.max", "memory.limit_in_bytes")):
                return group
            if group:
                group.rmdir()
        except OSError:
            continue
    return None


def cgroups(b: Bench) -> Row:
    row = Row("memory limited by a control group (16 to 256 MiB): a run, a report, all of `list`")
    group = memory_group()
    if not group:
        row.case += " (not tried: no control group may be made here)"
        return row
    limit = group / ("memory.max" if (group / "memory.max").exists() else "memory.limit_in_bytes")
    try:
        for mib in (16, 32, 64, 256):
            limit.write_text(str(mib << 20), encoding="ascii")
            for args in (["run", "fake.work", "-p", "n=1:3", "--quick", "-o", f"cgroup{mib}.db"], ["report", "good.db", "-o", "out.html"],
                         ["list"], ["doctor"], ["show", "good.db"]):
                if os.path.exists(b.path("out.html")):
                    os.unlink(b.path("out.html"))
                words = ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh", b.archmeter, *args]
                done = subprocess.run(words, cwd=b.folder, env=b.faking, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, timeout=LIMIT_S, check=False)
                if done.returncode == -signal.SIGKILL:
                    row.count("killed by the kernel, for its memory")  # no program can answer that
                    for left in b.folder.glob("out.html.*"):
                        left.unlink()
                else:
                    judge(row, b, f"{mib} MiB", args, done)
        for mib in (16, 32, 64, 256):
            if os.path.exists(b.path(f"cgroup{mib}.db")):
                done = b.run("verify", f"cgroup{mib}.db")
                row.count("what was stored holds")
                if done.returncode not in (0, 2):
                    row.fault(f"the run in {mib} MiB: verify ends with {done.returncode}: {done.stdout.decode(errors='replace')[-300:]}")
    finally:
        for _ in range(50):
            try:
                group.rmdir()
                break
            except OSError:
                time.sleep(0.1)
    return row


def migrations(b: Bench) -> Row:
    row = Row("files of every released schema (2, 3, 4) opened for writing: verified before, resumed, verified and read afterwards")
    b.changed = False
    for version in sorted((ROOT / "tests" / "unit" / "store").glob("version[0-9]*")):
        for script in sorted(version.glob("*.sql")):
            if script.stem == "schema":
                continue
            name = f"migrated-{version.name}-{script.stem}.db"
            db = sqlite3.connect(b.path(name))
            for part in (version / "schema.sql", script):
                db.executescript("PRAGMA synchronous = OFF; BEGIN;" + part.read_text(encoding="utf-8") + "COMMIT;")
            values = db.execute("SELECT count(*), total(value) FROM value").fetchone()
            db.close()
            before = b.run("verify", name)
            if before.returncode != 4:
                row.fault(f"{name}: verify ends with {before.returncode}: {before.stdout.decode(errors='replace')[-300:]}")
            for args in (["resume", name], ["verify", name], ["show", name], ["export", name, "--samples", "--format", "csv"]):
                judge(row, b, name, args, b.run(*args, env=b.faking))
            db = sqlite3.connect(b.path(name))
            after = db.execute("SELECT count(*), total(value) FROM value").fetchone()
            version_now = db.execute("PRAGMA user_version").fetchone()[0]
            db.close()
            if after[0] < values[0] or version_now != 5:
                row.fault(f"{name}: {values} became {after}, version {version_now}")
    return row


def odd_environments(b: Bench) -> Row:
    row = Row("odd environments: none at all, locales with other letters and commas, no HOME, TZ, one column, nice, SIGCHLD ignored, one CPU, "
              "no /sys; a run, its `show` and its `verify` each")
    bare = {"ARCHMETER_WORKERS": b.faking["ARCHMETER_WORKERS"], "ARCHMETER_WAIT": "0s"}
    cases = [("env -i", [], bare)]
    for what, more in (("LANG=C", {"LC_ALL": "C"}), ("tr_TR", {"LC_ALL": "tr_TR.UTF-8"}), ("de_DE", {"LC_ALL": "de_DE.UTF-8"}),
                       ("TZ", {"TZ": "Pacific/Kiritimati"}), ("no HOME", {"HOME": "", "XDG_DATA_HOME": ""}), ("COLUMNS=1", {"COLUMNS": "1"}),
                       ("a data folder that is a file", {"XDG_DATA_HOME": b.path("good.db")}), ("TERM=dumb", {"TERM": "dumb"})):
        cases.append((what, [], dict(b.faking, **more)))
    for what, words in (("nice", ["nice", "-n", "19"]), ("one CPU", ["taskset", "-c", "0"]), ("SIGCHLD ignored", ["sh", "-c", 'trap "" CHLD; exec "$@"', "sh"]),
                        ("no /sys", ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /sys && exec "$@"', "sh"])):
        if subprocess.run([*words, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            cases.append((what, words, b.faking))
    for number, (what, words, env) in enumerate(b.some(cases, 3)):
        name = f"odd{number}.db"
        for args in (["run", "fake.work", "-p", "n=1:2", "--quick", "-o", name], ["show", name], ["verify", name]):
            done = subprocess.run([*words, b.archmeter, *args], cwd=b.folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=LIMIT_S, check=False)
            judge(row, b, what, args, done)
            if done.returncode not in (0, 1):
                row.fault(f"{what}: {' '.join(args)} ends with {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}")
    return row


def races(b: Bench) -> Row:
    row = Row("two who resume one file at once, and readers beside them")
    for i in range(2 if b.quick else max(2, 20 // b.every)):
        name = f"race{i}.db"
        b.run("run", "fake.work", "-p", "n=1:4", "--quick", "--launches", "4", "-o", name, env=b.faking)
        db = sqlite3.connect(b.path(name))
        db.executescript("UPDATE point SET stop_reason = NULL; UPDATE run SET state = 'interrupted', min_launches = 6, max_launches = 6")
        db.close()
        two = [subprocess.Popen([b.archmeter, "resume", name], cwd=b.folder, env=b.faking, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)]
        judge(row, b, "beside two writers", ["show", name], b.run("show", name))
        said = [child.communicate(timeout=600)[1] for child in two]
        codes = sorted(child.returncode for child in two)
        db = sqlite3.connect(f"file:{b.path(name)}?mode=ro", uri=True)
        visits = db.execute("SELECT count(*) FROM visit").fetchone()[0]
        db.close()
        row.count("one went on, the other was refused" if codes == [0, 3] else "one after the other")
        if codes not in ([0, 3], [0, 0]) or visits != 24:
            row.fault(f"{name}: codes {codes}, {visits} visits: {said}")
    return row


PARTS = {
    "bits": flips_in_one, "flips": flips, "edits": edits, "beside": beside, "consent": consent, "provenance": provenance, "failures": lies,
    "extremes": extremes, "limit-numbers": at_the_limits, "all-texts": texts_at_once, "cgroup": cgroups, "migrations": migrations,
    "environments": odd_environments, "races": races,
}
