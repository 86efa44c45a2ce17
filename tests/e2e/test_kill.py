# SPDX-License-Identifier: MIT
"""kill -9 at random moments: finished launches are shown, resume completes, nothing lost or doubled."""
import json
import os
import random
import signal
import sys
import time

from e2e import Bench, Tap

TIMES = 20
POINTS, LAUNCHES, SAMPLES = 6, 4, 5
ARGS = ["fake.work", "-p", f"n=1:{POINTS}", "-p", "pause=1500", "--quick",
        "--launches", str(LAUNCHES)]


def samples(bench, db):
    return set(bench.query(db, "SELECT v.point, v.round, s.seq, s.t0_ns, s.t1_ns "
                               "FROM sample s JOIN visit v ON v.id = s.visit"))


def whole_run_seconds(bench):
    """How long the undisturbed plan takes, so that kills fall anywhere inside it."""
    began = time.monotonic()
    bench.run("run", *ARGS, "-o", "whole.db")
    return time.monotonic() - began


def one_kill(tap, bench, i, delay):
    db = f"k{i}.db"
    child = bench.start("run", *ARGS, "-o", db)
    time.sleep(delay)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    if not os.path.exists(bench.path(db)) or not committed(bench, db):
        # Killed before the plan was written: nothing was measured, and the file says so.
        shown = bench.run("show", db)
        return tap.ok(shown.returncode in (2, 3), f"kill {i} at {delay:.3f} s: before the plan",
                      shown.stderr)
    shown = bench.run("show", db, "--format", "json")
    before = samples(bench, db)
    resumed = bench.run("resume", db)
    after = samples(bench, db)
    good = (shown.returncode == 0 and resumed.returncode == 0 and before <= after
            and complete(bench, db))
    return tap.ok(good, f"kill {i} at {delay:.3f} s: {len(before)} samples kept, "
                        f"{len(after)} after resume", shown.stderr + resumed.stderr)


def committed(bench, db):
    try:
        return bench.run("show", db).returncode == 0
    except OSError:
        return False


def complete(bench, db):
    """Every point was visited once in each round, with every sample, and none twice."""
    visits = bench.query(db, "SELECT point, round, count(*) FROM visit GROUP BY 1, 2")
    counts = bench.query(db, "SELECT visit, count(*) FROM sample GROUP BY visit")
    return (len(visits) == POINTS * LAUNCHES and all(c == 1 for _, _, c in visits)
            and {r for _, r, _ in visits} == set(range(LAUNCHES))
            and len(counts) == POINTS * LAUNCHES and all(c == SAMPLES for _, c in counts))


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    seed = int(os.environ.get("AM_TEST_SEED", random.randrange(2**32)))
    rng = random.Random(seed)
    print(f"# seed {seed}")
    total = whole_run_seconds(bench)
    tap.ok(complete(bench, "whole.db"), "an undisturbed run is complete")
    for i in range(TIMES):
        one_kill(tap, bench, i, rng.uniform(0.0, total))
    workers = bench.run("resume", "whole.db")
    tap.ok(workers.returncode == 0 and complete(bench, "whole.db"),
           "resuming a complete run changes nothing", workers.stderr)
    interrupt(tap, bench, total)
    add_launches(tap, bench)
    tap.done()


def launches_of(bench, db):
    return {n for n, in bench.query(db, "SELECT count(*) FROM visit GROUP BY point")}


def add_launches(tap, bench):
    """A finished run gets more launches: nothing of it changes, and a kill meanwhile loses nothing."""
    more = ("resume", "whole.db", "--launches", str(2 * LAUNCHES))
    before = samples(bench, "whole.db")
    child = bench.start(*more)
    time.sleep(0.5)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    added = bench.run(*more)
    after = samples(bench, "whole.db")
    tap.ok(added.returncode == 0 and launches_of(bench, "whole.db") == {2 * LAUNCHES} and before < after,
           f"a finished run of {len(before)} samples gets more launches: {len(after)}", added.stderr)
    tap.ok(bench.run("verify", "whole.db").returncode == 0, "and its seals hold")
    again = bench.run(*more)
    tap.ok(again.returncode == 0 and samples(bench, "whole.db") == after, "asked again there is nothing left", again.stderr)
    fewer = bench.run("resume", "whole.db", "--launches", str(LAUNCHES - 1))
    tap.ok(fewer.returncode == 2 and f"--launches {LAUNCHES - 1}: points of this run had up to {LAUNCHES}" in fewer.stderr,
           "none are taken away", fewer.stderr)
    tap.ok(samples(bench, "whole.db") == after, "and nothing was")


def interrupt(tap, bench, total):
    """Ctrl-C keeps everything and says so by exit code 130."""
    child = bench.start("run", *ARGS, "-o", "i.db")
    time.sleep(total * 0.6)
    child.send_signal(signal.SIGINT)
    _, stderr = child.communicate()
    if child.returncode == 0:
        return tap.skip("an interrupted run ends with 130", "it was done before the signal")
    tap.ok(child.returncode == 130, "an interrupted run ends with exit code 130",
           f"{child.returncode}\n{stderr}")
    state = bench.query("i.db", "SELECT state FROM run")
    tap.ok(state == [("interrupted",)], "and its state says so", state)
    kept = json.loads(bench.run("show", "i.db", "--format", "json").stdout)["results"]
    cut = sum(1 for r in kept if r["state"] == "ok" and max(m["launches"] for m in r["metrics"].values()) < LAUNCHES)
    tap.ok((f"{cut} point" in stderr and "not yet all launches" in stderr) == (cut > 0), f"how many points are unfinished is told: {cut}", stderr)
    resumed = bench.run("resume", "i.db")
    return tap.ok(resumed.returncode == 0 and complete(bench, "i.db"), "resume completes it",
                  resumed.stderr)


main()
