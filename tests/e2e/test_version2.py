#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of every schema version that is read, and workers of protocol 1, as a user of this version meets them."""
import json
import os
import re
import shutil
import sqlite3
import sys

from e2e import Bench, Tap

FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit", "store")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def current_version():
    """As src/store/store.h has it."""
    with open(os.path.join(ROOT, "src", "store", "store.h"), encoding="utf-8") as file:
        return int(re.search(r"AM_SCHEMA_VERSION = (\d+)", file.read()).group(1))


def make(bench, name, version=2):
    """The file as the program of that version wrote it."""
    db = sqlite3.connect(bench.path(f"{name}.db"))
    for part in ("schema", name):
        with open(os.path.join(FILES, f"version{version}", f"{part}.sql"), encoding="utf-8") as file:
            db.executescript("PRAGMA synchronous = OFF; BEGIN;" + file.read() + "COMMIT;")
    db.close()
    return f"{name}.db"


def check_read(tap, bench):
    got = bench.run("show", make(bench, "tracks"), "--format", "csv")
    tap.ok(got.returncode == 0 and "app.leukocyte" in got.stdout, "show reads it", got.stderr)
    got = bench.run("report", "tracks.db", "-o", "page.html")
    with open(bench.path("page.html"), encoding="utf-8") as file:
        page = file.read()
    tap.ok(got.returncode == 0 and "3 cells through 2 frames" in page
           and "cell 1: (303.0, 239.0)" in page, "the report draws its tracks", got.stderr)
    shown = json.loads(bench.run("show", make(bench, "tuned"), "--format", "json").stdout)
    tap.ok(shown["settings"].get("tuning.mode") == "measure"
           and "tuning.mode" not in shown["environment"], "settings are settings", shown["settings"])


def bring_here(bench, name):
    """The file as if it had been measured on this machine: no launches are added to those of another."""
    if not os.path.exists(bench.path("here.db")):
        bench.run("run", "null", "--quick", "--launches", "1", "-o", "here.db", env=bench.real_env)
    key = bench.query("here.db", "SELECT value FROM machine WHERE key = 'key'")[0]
    with sqlite3.connect(bench.path(name)) as file:
        file.execute("UPDATE machine SET value = ? WHERE key = 'key'", key)
    file.close()


def check_resumed(tap, bench):
    before = bench.run("show", make(bench, "settings"), "--format", "csv").stdout
    got = bench.run("resume", "settings.db", env=bench.real_env)
    tap.ok(got.returncode == 3 and "another machine" in got.stderr, "an old file of another machine gets no launches of this one", got.stderr)
    bring_here(bench, "settings.db")
    got = bench.run("resume", "settings.db", env=bench.real_env)
    visits = bench.query("settings.db", "SELECT text, count(*) FROM visit v JOIN point p ON p.id = v.point "
                                        "GROUP BY text ORDER BY text")
    tap.ok(before and got.returncode == 0 and visits == [("n=1", 2), ("n=2", 2)],
           "resume measures what an old file lacks, and no more", f"{got.stderr} {visits}")
    version = bench.query("settings.db", "PRAGMA user_version")
    state = bench.query("settings.db", "SELECT state FROM run")
    tap.ok(version == [(current_version(),)] and state == [("done",)], "which is then of this version", (version, state))
    tap.ok(bench.query("settings.db", "SELECT key FROM environment WHERE key GLOB 'experiment.*'") == [],
           "with its settings in their table")


def check_merged(tap, bench):
    shutil.copy(bench.path("tracks.db"), bench.path("other.db"))
    got = bench.run("merge", "-o", "merged.db", "a=tracks.db", "b=other.db")
    kept = bench.query("merged.db", "SELECT count(*), count(DISTINCT data) FROM attachment")
    tap.ok(got.returncode == 0 and kept == [(2, 1)], "merge takes old files with their tracks",
           f"{got.stderr} {kept}")


def check_released(tap, bench):
    """Every version from 3 on that this program reads has a file here: read, resumed to its end, merged."""
    for version in range(3, current_version() + 1):
        if not os.path.isdir(os.path.join(FILES, f"version{version}")):
            tap.ok(version == current_version(), f"version {version} has a file of its own, or is this one")
            continue
        name = make(bench, "open", version)
        got = bench.run("show", name, "--format", "json")
        rows = json.loads(got.stdout)["results"] if got.returncode == 0 else []
        tap.ok([r["metrics"]["time"]["samples"] for r in rows] == [5, 5], f"version {version} is read", got.stderr)
        got = bench.run("merge", "-o", f"merged{version}.db", f"a={name}")
        tap.ok(got.returncode == 1 and bench.query(f"merged{version}.db", "SELECT count(*) FROM value") == [(10,)],
               "merged, and told to be a part", got.stderr)
        bring_here(bench, name)
        got = bench.run("resume", name)
        visits = bench.query(name, "SELECT count(*) FROM visit WHERE state = 'ok'")
        told = bench.query(name, "PRAGMA user_version")
        tap.ok(got.returncode == 0 and visits == [(4,)] and told == [(current_version(),)],
               "and resumed to its end, as a file of this version", f"{got.stderr} {visits} {told}")
        os.unlink(bench.path(name))
    first = sqlite3.connect(bench.path("first.db"))
    first.executescript("PRAGMA application_id = 0x414d7472; PRAGMA user_version = 1; CREATE TABLE run (id);")
    first.close()
    got = bench.run("show", "first.db")
    tap.ok(got.returncode == 2 and "older archmeter (schema version 1" in got.stderr,
           "version 1 is refused with that reason", got.stderr)


def check_worker(tap, bench):
    """A worker that was built with an archmeter of protocol 1."""
    os.mkdir(bench.path("workers"))
    path = bench.path("workers/archmeter-worker-old")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nprintf 'listing 1 old\\nend\\n'\n")
    os.chmod(path, 0o755)
    got = bench.run("run", "null", "-v", env=dict(bench.env, ARCHMETER_WORKERS=bench.path("workers")))
    tap.ok(got.returncode != 0 and "worker speaks protocol 1, not 3" in got.stderr,
           "an old worker is refused with that reason", got.stderr)


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    check_read(tap, bench)
    check_resumed(tap, bench)
    check_merged(tap, bench)
    check_released(tap, bench)
    check_worker(tap, bench)
    tap.done()


main()
