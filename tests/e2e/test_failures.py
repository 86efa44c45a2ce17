# SPDX-License-Identifier: MIT
"""Workers that crash, hang, flood, lie or die half-way: a stored failure each, and the rest goes on."""
import os
import signal
import sys
import time

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
    "lie_point": ("fail", "protocol", "point 424242 was not asked for"),
    "no_sample": ("fail", "protocol", "without a sample"),
    "no_done": ("fail", "protocol", "without saying"),
    "close": ("fail", "timeout", "killed"),
    "orphan": ("ok", None, ""),
    "note": ("ok", None, ""),
    "note_axis": ("fail", "protocol", 'note "act" is named like an axis'),
    "note_twice": ("fail", "protocol", "said twice"),
    "chosen": ("ok", None, ""),
    "lie_chosen": ("fail", "protocol", "act=another, asked for was lie_chosen"),
    "chosen_ours": ("fail", "protocol", '"caches" is not for a worker to say'),
    "attach": ("ok", None, ""),
    "attach_huge": ("fail", "flood", "of 1099511627776 bytes is too large"),
    "attach_half": ("fail", "signal", "signal 11"),
    "lie_version": ("fail", "protocol", "protocol 99"),
    "lie_name": ("fail", "protocol", "other"),
    "late_crash": ("ok", None, ""),  # behind "done": told with the launch's output
}

# lie of fake.lie and fake.own -> (kind of the stored failure, words its reason must have)
LIES = {
    "none": (None, ""),
    "elapsed_zero": ("protocol", "cannot have taken 0 ns"),
    "elapsed_huge": ("protocol", "cannot have taken 9223372036854775808 ns"),
    "elapsed_half": ("protocol", "cannot have taken"),
    "value_double": ("protocol", "rate of"),
    "value_nan": ("protocol", "rate of nan does not follow from work and time"),
    "value_huge": ("protocol", "own of 1e+308: no result can be that"),
    "value_tiny": ("protocol", "own of 4.94066e-324: no result can be that"),
    "value_negative": ("protocol", "does not follow from work and time"),
    "hz_negative": ("protocol", "a core clock of -1 and -1 Hz cannot be"),
    "steal_hidden": ("protocol", "lacks the label of stolen time"),
    "steal_invented": ("protocol", "has the label of stolen time, with 0 ns stolen"),
    "drift_hidden": ("protocol", "lacks the label of a drifting clock"),
    "drift_invented": ("protocol", "has the label of a drifting clock"),
    "switch_invented": ("protocol", "without any"),
    "off_invented": ("protocol", "without any"),
    "off_longer": ("protocol", "off the CPU in a batch of"),
    "labels_unknown": ("protocol", "labels 0x100000 are not known"),
    "work_negative": ("protocol", "no work has -1 ops"),
    "work_huge": ("protocol", "no work has 1e+300 ops"),
    "work_nan": ("protocol", "no work has nan ops"),
    "residual_nan": ("protocol", "a residual of nan cannot be"),
    "residual_negative": ("protocol", "a residual of -1 cannot be"),
    "residual_huge": ("protocol", "a residual of 1e+300 cannot be"),
    "clock_slow": ("protocol", "no clock takes"),
    "exit_three": ("exit", "after its last point: worker ended with exit code 3"),
    "exit_undone": ("protocol", 'after its last point: worker ended without saying "done"'),
    "hidden_child": (None, ""),
}
# A clock of a bench's own may say any time up to the launch's.
BELIEVED_OF_OWN = {"elapsed_half"}


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
    interrupted_group(tap, bench)
    lies(tap, bench)
    missing_library(tap, bench)
    tap.done()


def lies(tap, bench):
    """Whatever can be checked of a worker's numbers is: a lie is a failed point, never a result."""
    run = bench.run("run", "fake.lie", "fake.own", "-p", "lie=all", "--quick", "--launches", "2",
                    "--launch-limit", "20s", "-o", "l.db", timeout=900)
    tap.ok(run.returncode == 1, "a run with lies ends with exit code 1",
           f"{run.returncode}\n{run.stderr}")
    rows = {(r["bench"], r["point"]["lie"]): r for r in bench.results("l.db")}
    tap.ok(len(rows) == 2 * len(LIES), "every lie has its row for both benches", sorted(rows))
    stored = {}
    for name, text, kind, reason in bench.query(
            "l.db", "SELECT bench, point, kind, reason FROM failures"):
        stored.setdefault((name, text.removeprefix("lie=")), []).append((kind, reason))
    for (name, lie), row in sorted(rows.items()):
        kind, words = LIES[lie]
        if name == "fake.own" and lie in BELIEVED_OF_OWN:
            kind = None
        told = stored.get((name, lie), [])
        if kind is None:
            tap.ok(row["state"] == "ok" and not told, f"{name} {lie}: is believed", (row, told))
            continue
        tap.ok(row["state"] == "fail" and len(told) == 2 and
               all(k == kind and words in r for k, r in told),
               f"{name} {lie}: a failure of kind {kind}", (row, told))
    good = bench.query("l.db", "SELECT count(DISTINCT point_id) FROM samples")
    tap.ok(good[0][0] == 5, "no lie is among the samples of good visits", good)
    behind = bench.query("l.db", "SELECT DISTINCT output FROM launch WHERE output LIKE '%behind%'")
    tap.ok(len(behind) == 1 and "left behind, and killed" in behind[0][0],
           "a process that hid in a session of its own is told of", behind)
    tap.ok(not survivors(bench), "and none of them is alive", survivors(bench))


def survivors(bench):
    """Processes of the fake worker in this test's folder of workers."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/exe").startswith(bench.env["ARCHMETER_WORKERS"]) and \
                    os.readlink(f"/proc/{pid}/cwd") == os.path.realpath(bench.dir):
                found.append(pid)
        except OSError:
            continue
    return found


def missing_library(tap, bench):
    """A worker that cannot be loaded is told in one line, by what it lacks."""
    workers = bench.path("workers")
    os.mkdir(workers)
    os.symlink(os.path.join(bench.env["ARCHMETER_WORKERS"], "archmeter-worker-fake"), os.path.join(workers, "archmeter-worker-fake"))
    path = os.path.join(workers, "archmeter-worker-lame")
    with open(path, "w", encoding="ascii") as f:
        f.write("#!/bin/sh\necho \"$0: error while loading shared libraries: libx.so.3: cannot open shared object file\" >&2\nexit 127\n")
    os.chmod(path, 0o755)
    run = bench.run("run", "fake.work", "--quick", "--launches", "1", "-o", "m.db", env=dict(bench.env, ARCHMETER_WORKERS=workers))
    told = [line for line in run.stderr.splitlines() if "lame" in line]
    tap.ok(run.returncode == 0 and told == ["worker lame is not available: the library libx.so.3 is not installed"],
           "a worker without its library: which one, in one line", run.stderr)


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


def interrupted_group(tap, bench):
    """Whoever interrupts a launch of several points keeps those that had ended."""
    env = dict(bench.env, FAKE_HANGS=bench.path("hangs"))
    child = bench.start("run", "fake.group", "-p", "n=1:4", "-p", "hang=3", "--quick", "--launches", "1", "-o", "i.db", env=env)
    while child.poll() is None and not os.path.exists(bench.path("hangs")):
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    _, stderr = child.communicate()
    kept = [r["point"]["n"] for r in bench.results("i.db") if r["metrics"]]
    state = bench.query("i.db", "SELECT state FROM run")
    tap.ok(child.returncode == 130 and state == [("interrupted",)] and len(kept) == 2,
           "an interrupted launch keeps the two points that had ended", (child.returncode, stderr, kept))


main()
