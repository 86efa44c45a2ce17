# SPDX-License-Identifier: MIT
"""Workers that crash, hang, flood, lie or die half-way: a stored failure each, and the rest goes on."""
import sys

from e2e import Bench, Tap

# act -> (state of the point, kind of the stored failure, words its reason must have)
EXPECTED = {
    "ok": ("ok", None, ""),
    "skip": ("skip", "skip", "not for this machine"),
    "fail": ("fail", "reported", "residual"),
    "segv": ("fail", "signal", "Segmentation fault"),
    "ill": ("fail", "signal", "Illegal instruction"),
    "hang": ("fail", "timeout", "killed"),
    "exit": ("fail", "exit", "exit code 3"),
    "die_half_way": ("fail", "signal", "Killed"),
    "flood": ("fail", "flood", "more than the"),
    "flood_text": ("fail", "flood", "too much"),
    "flood_stdout": ("ok", None, ""),
    "bad_line": ("fail", "protocol", "unknown message"),
    "long_line": ("fail", "protocol", "longer than"),
    "lie_time": ("fail", "protocol", "time that cannot be"),
    "lie_values": ("fail", "protocol", "2 values for 1 metrics"),
    "lie_point": ("ok", None, ""),
    "no_sample": ("fail", "protocol", "without a sample"),
    "no_done": ("fail", "protocol", "without saying"),
    "close": ("fail", "timeout", "killed"),
    "orphan": ("ok", None, ""),
    "note": ("ok", None, ""),
    "note_axis": ("fail", "protocol", 'note "act" is named like an axis'),
    "note_twice": ("fail", "protocol", "said twice"),
    "chosen": ("ok", None, ""),
    "lie_chosen": ("fail", "protocol", "act=another, asked for was lie_chosen"),
    "attach": ("ok", None, ""),
    "attach_huge": ("fail", "flood", "of 1099511627776 bytes is too large"),
    "attach_half": ("fail", "signal", "signal 11"),
    "lie_version": ("fail", "protocol", "protocol 99"),
    "lie_name": ("fail", "protocol", "other"),
    "late_crash": ("ok", None, ""),
}


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    run = bench.run("run", "fake.act", "fake.work", "-p", "act=all", "-p", "n=1:3", "--quick",
                    "--launches", "2", "--launch-limit", "3s", "-o", "f.db", timeout=900)
    tap.ok(run.returncode == 1, "a run with failures ends with exit code 1",
           f"{run.returncode}\n{run.stderr}")
    results = {r["point"]["act"]: r for r in bench.results("f.db") if r["bench"] == "fake.act"}
    tap.ok(set(results) == set(EXPECTED), "every act has its row", sorted(results))
    failures = {}
    for text, kind, reason in bench.query(
            "f.db", "SELECT point, kind, reason FROM failures WHERE bench = 'fake.act'"):
        failures.setdefault(text.removeprefix("act="), []).append((kind, reason))
    for act, (state, kind, words) in EXPECTED.items():
        row = results.get(act, {})
        tap.ok(row.get("state") == state, f"{act}: state is {state}", row)
        stored = failures.get(act, [])
        if kind is None:
            tap.ok(not stored, f"{act}: no failure is stored", stored)
        else:
            tap.ok(stored and all(k == kind and words in r for k, r in stored),
                   f"{act}: stored as {kind} with its reason", stored)
            tap.ok(words in (row.get("reason") or ""), f"{act}: show gives the reason", row)
    work = [r for r in bench.results("f.db") if r["bench"] == "fake.work"]
    tap.ok(len(work) == 3 and all(r["metrics"]["time"]["launches"] == 2 for r in work),
           "the rest of the plan completes", work)
    output = bench.query("f.db", "SELECT output FROM launch WHERE output LIKE '%cannot go on%'")
    tap.ok(output, "what a failed worker printed is kept")
    halves = bench.query("f.db", "SELECT count(*) FROM sample s JOIN visit v ON v.id = s.visit "
                                 "JOIN point p ON p.id = v.point "
                                 "WHERE p.text = 'act=die_half_way'")
    tap.ok(halves[0][0] == 4, "samples before a death half-way are kept", halves)
    notes = bench.query("f.db", "SELECT DISTINCT key, value FROM notes WHERE point = 'act=note'")
    tap.ok(notes == [("remark", "with = signs, % and spaces")],
           "a worker's remarks are stored as they were said", notes)
    chosen = bench.query("f.db", "SELECT DISTINCT name, value FROM choices WHERE name <> 'caches'")
    tap.ok(chosen == [("act", "chosen"), ("device_kind", "cpu")], "and what was chosen", chosen)
    files = bench.query("f.db", "SELECT DISTINCT p.text, a.name, a.type, length(a.data), "
                                "replace(CAST(a.data AS TEXT), 'x', '') FROM attachment a "
                                "JOIN visit v ON v.id = a.visit JOIN point p ON p.id = v.point")
    tap.ok(files == [("act=attach", "picture", "text/plain", 3 * 1024 * 1024 + 1, "")],
           "what was attached is stored whole, what was cut short is not", files)
    group_of_points(tap, bench)
    tap.done()


def group_of_points(tap, bench):
    """A crash inside a launch of several points costs its own point only."""
    run = bench.run("run", "fake.group", "-p", "n=1:8", "-p", "crash=3", "--quick", "--launches",
                    "2", "-o", "g.db")
    rows = {r["point"]["n"]: r for r in bench.results("g.db")}
    tap.ok(rows[3]["state"] == "fail", "the point that crashes its launch fails", run.stderr)
    others = [r for n, r in rows.items() if n != 3]
    tap.ok(all(r["state"] == "ok" and r["metrics"]["time"]["launches"] == 2 for r in others),
           "its neighbours in the launch are measured all the same", others)
    shared = bench.query("g.db", "SELECT max(c) FROM (SELECT count(*) AS c FROM visit "
                                 "GROUP BY launch)")
    tap.ok(shared[0][0] == 4, "one launch measures up to four points", shared)


main()
