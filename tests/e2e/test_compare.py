# SPDX-License-Identifier: MIT
"""compare and check: verdicts on runs whose true ratio is known; the JSON contract; stdout is data."""
import json
import os
import shutil
import sqlite3
import sys

from e2e import Bench, Tap


def run(bench, db, scale, launches="10"):
    env = dict(bench.env, FAKE_SCALE=str(scale))
    return bench.run("run", "fake.work", "-p", "n=1:4", "-p", "pause=1", "--quick", "--launches",
                     launches, "--format", "json", "-o", db, env=env)


def contract(tap, out):
    """The JSON that scripts rely on, as the design writes it."""
    doc = json.loads(out)
    tap.ok(doc["schema"] == 1 and isinstance(doc["run"], dict) and isinstance(doc["machine"], dict),
           "JSON has schema, run and machine")
    row = doc["results"][0]
    tap.ok(row["bench"] == "fake.work" and row["point"]["n"] == 1 and row["state"] == "ok"
           and row["reason"] is None, "a result has bench, point, state and reason", row)
    time = row["metrics"]["time"]
    tap.ok(time["unit"] == "s" and time["better"] == "lower" and 5 <= time["launches"] <= 10
           and time["samples"] == 5 * time["launches"], "a metric has unit, direction and counts", time)
    tap.ok(time["ci"][0] <= time["median"] <= time["ci"][1] and time["min"] <= time["median"],
           "the interval holds the median", time)


def verdicts(bench, *args):
    out = bench.run("compare", *args, "--format", "json")
    return {r["verdict"] for r in json.loads(out.stdout)["rows"]}


def plant(bench, source, target, factor, points):
    """A copy of a run in which the first points are `factor` times as slow."""
    shutil.copy(bench.path(source), bench.path(target))
    with sqlite3.connect(bench.path(target)) as db:
        db.execute("update value set value = value * ? where visit in (select v.id from visit v "
                   "join point p on p.id = v.point where p.id <= ?)", (factor, points))
    db.close()


def gate(tap, bench):
    """One row among 40 that is slower at five launches per side is never passed by check."""
    for db in ("base.db", "again.db"):
        bench.run("run", "fake.work", "-p", "n=1:40", "-p", "pause=1", "--quick", "--launches", "5", "-o", db)
    for factor, points in ((1000, 1), (2, 1), (1.3, 1), (2, 8)):
        plant(bench, "again.db", "slow1.db", factor, points)
        got = bench.run("check", "base.db", "slow1.db", "--format", "json")
        rows = [r["verdict"] for r in json.loads(got.stdout)["rows"]]
        tap.ok(got.returncode == 4 and rows.count("slower?") == points and "slower" not in rows,
               f"{points} of 40 rows times {factor}: flagged, and not passed", f"{got.returncode} {rows}")
    got = bench.run("check", "base.db", "again.db", "--format", "json")
    told = json.loads(got.stdout)
    tap.ok(got.returncode == 0 and told["count"]["same"] == 40, "unchanged rows pass", got.stdout[-600:])
    tap.ok(told["basis"].startswith("one run per side"), "the basis is said", told["basis"])
    got = bench.run("compare", "again.db", "slow1.db")
    tap.ok("note: A and B are one run" in got.stdout and "would have shown" in got.stdout
           and "basis: one run per side" in got.stdout, "a file against its copy is told", got.stdout)


def several(tap, bench):
    """Runs in turns decide; all runs of one side before the other's do not."""
    for i, scale in enumerate((1, 1.3) * 3):
        run(bench, f"r{i}.db", scale, launches="5")
        with sqlite3.connect(bench.path(f"r{i}.db")) as db:  # however fast they were
            db.execute("update run set started = ?", (f"2026-01-01T00:00:0{i}Z",))
        db.close()
    old, new = "r0.db,r2.db,r4.db", "r1.db,r3.db,r5.db"
    tap.ok(verdicts(bench, old, new) == {"slower"}, "three runs per side, in turns, decide")
    got = bench.run("check", old, new)
    tap.ok(got.returncode == 1 and "basis: several runs per side, interleaved" in got.stdout,
           "check fails then", f"{got.returncode} {got.stdout}")
    for i in range(6):
        with sqlite3.connect(bench.path(f"r{i}.db")) as db:
            db.execute("update run set started = ?", (f"2026-01-01T00:00:{i % 2}{i}Z",))
        db.close()
    tap.ok(verdicts(bench, old, new) == {"slower?"}, "one side after the other leaves a question")
    for a, b, word in ((old, "r1.db,r3.db", "at least 3"), (old, "r1.db,r3.db,r0.db", "one run"),
                       (old, "r1.db,r9.db", "r9.db")):
        got = bench.run("compare", a, b)
        tap.ok(got.returncode == 2 and word in got.stderr, f"{a} {b}: {word}", got.stderr)


def against_itself(tap, bench):
    """selftest --aa passes a worker that is the same in every round and run, and no other."""
    args = ("selftest", "--aa", "fake.work", "-p", "n=1:12", "-p", "pause=1")
    got = bench.run(*args, "--record", bench.path("record"))
    said = " ".join(got.stdout.split())
    tap.ok(got.returncode == 0 and said.count(": 0 of 12 rows") == 2 and "100 % in 12 of 12" in said,
           "selftest --aa passes within a run and between runs, and finds what was planted", got.stdout)
    runs = sorted(os.listdir(bench.path("record")))
    told = json.loads(bench.run("compare", os.path.join("record", runs[0]), os.path.join("record", runs[1]), "--record",
                                "record", "--format", "json").stdout)
    tap.ok(len(runs) == 6 and {r["runs"] for r in told["rows"]} == {4}, "its runs are a record of those that are not compared",
           f"{runs} {told['rows'][:1]}")
    got = bench.run(*args, "--runs", "1", env=dict(bench.env, FAKE_ALTERNATE=bench.path("visits")))
    tap.ok(got.returncode == 1 and ": 1 of 12 rows" in " ".join(got.stdout.split()),
           "one row of 12 that is slow in every second round fails it", got.stdout)
    got = bench.run(*args, "--runs", "4")
    tap.ok(got.returncode == 2 and "--runs" in got.stderr, "two runs per side are refused", got.stderr)


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    first = run(bench, "a.db", 1)
    tap.ok(first.returncode == 0, "a run succeeds", first.stderr)
    contract(tap, first.stdout)
    run(bench, "same.db", 1)
    run(bench, "fast.db", 0.8)
    run(bench, "slow.db", 1.3)
    run(bench, "few.db", 1.03, launches="2")
    run(bench, "few2.db", 1.03, launches="2")
    tap.ok(verdicts(bench, "a.db", "same.db") == {"same"}, "equal runs are the same")
    tap.ok(verdicts(bench, "a.db", "fast.db") == {"faster?"}, "20 % less time is faster")
    tap.ok(verdicts(bench, "a.db", "slow.db") == {"slower?"}, "30 % more time is slower")
    tap.ok(verdicts(bench, "few2.db", "few.db") == {"undecided"}, "two launches prove nothing")
    tap.ok(verdicts(bench, "a.db", "--between", "n=1,2") == {"slower"},
           "two values of an axis compare within one run")
    for args, code in [(["slow.db", "--against", "a.db"], 4), (["same.db", "--against", "a.db"], 0),
                       (["fast.db", "--against", "a.db"], 0),
                       (["few.db", "--against", "few2.db", "--fail-on", "inconclusive"], 4)]:
        got = bench.run("check", *args)
        tap.ok(got.returncode == code, f"check {' '.join(args)}: exit code {code}",
               f"{got.returncode}\n{got.stdout}{got.stderr}")
    gate(tap, bench)
    several(tap, bench)
    against_itself(tap, bench)
    for fmt in ("table", "json", "csv", "md", "tex"):
        got = bench.run("show", "a.db", "--format", fmt)
        tap.ok(got.returncode == 0 and "fake" in got.stdout and not got.stderr,
               f"show --format {fmt}", got.stderr)
    exported = json.loads(bench.run("export", "a.db").stdout)
    tap.ok(exported["results"] == json.loads(first.stdout)["results"],
           "export gives what run printed")
    kept = bench.run("export", "a.db", "-o", "same.db")
    tap.ok(kept.returncode == 2 and "same.db" in kept.stderr and bench.results("same.db"),
           "export does not replace a run", kept.stderr)
    raw = bench.run("export", "a.db", "--samples", "--format", "csv").stdout.splitlines()
    tap.ok(len(raw) == 1 + 4 * 10 * 5, "export --samples gives every sample", len(raw))
    tap.done()


main()
