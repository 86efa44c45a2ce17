#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of schema version 2 and workers of protocol 1, as a user of this version meets them."""
import json
import os
import shutil
import sqlite3
import sys

from e2e import Bench, Tap

FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit", "store", "version2")


def make(bench, name):
    """The file as the program of version 2 wrote it."""
    db = sqlite3.connect(bench.path(f"{name}.db"))
    for part in ("schema", name):
        with open(os.path.join(FILES, f"{part}.sql"), encoding="utf-8") as file:
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


def check_resumed(tap, bench):
    before = bench.run("show", make(bench, "settings"), "--format", "csv").stdout
    got = bench.run("resume", "settings.db", env=bench.real_env)
    visits = bench.query("settings.db", "SELECT text, count(*) FROM visit v JOIN point p ON p.id = v.point "
                                        "GROUP BY text ORDER BY text")
    tap.ok(before and got.returncode == 0 and visits == [("n=1", 2), ("n=2", 2)],
           "resume measures what an old file lacks, and no more", f"{got.stderr} {visits}")
    version = bench.query("settings.db", "PRAGMA user_version")
    state = bench.query("settings.db", "SELECT state FROM run")
    tap.ok(version == [(4,)] and state == [("done",)], "which is then of version 4", (version, state))
    tap.ok(bench.query("settings.db", "SELECT key FROM environment WHERE key GLOB 'experiment.*'") == [],
           "with its settings in their table")


def check_merged(tap, bench):
    shutil.copy(bench.path("tracks.db"), bench.path("other.db"))
    got = bench.run("merge", "-o", "merged.db", "a=tracks.db", "b=other.db")
    kept = bench.query("merged.db", "SELECT count(*), count(DISTINCT data) FROM attachment")
    tap.ok(got.returncode == 0 and kept == [(2, 1)], "merge takes old files with their tracks",
           f"{got.stderr} {kept}")


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
    check_worker(tap, bench)
    tap.done()


main()
