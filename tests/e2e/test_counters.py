# SPDX-License-Identifier: MIT
"""Hardware events from the command line to the file, by a library that counts what it likes."""
import json
import os
import sys

from e2e import Bench, Tap

RUN = ["run", "cpu.flops", "--quick", "-p", "op=add", "-p", "type=f64", "-p", "isa=scalar", "-p",
       "on=machine", "-p", "streams=4", "--launches", "2", "--samples", "2", "--min-batch", "2ms"]


def measured(bench, db):
    """{(round, metric): values times iterations}"""
    rows = bench.query(db, "SELECT v.round, m.name, x.value, s.iters FROM value x "
                           "JOIN visit v ON v.id = x.visit JOIN metric m ON m.id = x.metric "
                           "JOIN sample s ON s.visit = x.visit AND s.seq = x.seq "
                           "WHERE x.value IS NOT NULL")
    out = {}
    for r, name, value, iters in rows:
        out.setdefault((r, name), []).append(value * iters)
    return out


def test_apart(tap, bench, env):
    done = bench.run(*RUN, "-p", "threads=1", "--counters", "l2,PAPI_L3_TCM", "-o", "c.db", env=env)
    if not tap.ok(done.returncode == 0, "a run counts events", done.stderr):
        return
    got = measured(bench, "c.db")
    counted = {r for r, name in got if name.startswith("count:")}
    timed = {r for r, name in got if name == "flops"}
    tap.ok(counted and timed and not counted & timed, "counts and times are of different launches",
           (counted, timed))
    tap.ok(len(timed) == 2, "there are as many timed launches as asked for", timed)
    tap.ok(all(abs(v - 250) < 1e-6 for r in counted for v in got[r, "count:PAPI_L2_TCM"]),
           "a count is of one iteration", got)
    shown = json.loads(bench.run("show", "c.db", "--format", "json").stdout)
    metrics = shown["results"][0]["metrics"]
    tap.ok(abs(metrics["miss_ratio:l2"]["median"] - 0.25) < 1e-9, "misses an access", metrics)
    tap.ok(metrics["accesses_per_flop:memory"]["median"] > 0 and metrics["flops"]["median"] > 0,
           "accesses a flop beside the rate", metrics)


def test_together(tap, bench, env):
    done = bench.run(*RUN, "-p", "threads=1", "--counters", "l2", "--counters-with-time", "-o",
                     "t.db", env=env)
    got = measured(bench, "t.db") if done.returncode == 0 else {}
    tap.ok({r for r, n in got if n == "count:PAPI_L2_TCA"} == {r for r, n in got if n == "flops"}
           == {0, 1}, "together, where asked for", done.stderr)


def test_program(tap, bench, env):
    """A program's events are those of a process that the worker starts."""
    with open(bench.path("p.exp"), "w", encoding="utf-8") as file:
        file.write("test p\nexec true\nreps 2\nrun\n")
    done = bench.run("experiment", "p.exp", "--counters", "l2", "-o", "p.db", env=env)
    got = measured(bench, "p.db") if done.returncode == 0 else {}
    counted = {r for r, name in got if name.startswith("count:")}
    timed = {r for r, name in got if name == "time"}
    tap.ok(len(counted) >= 1 and len(timed) == 2 and not counted & timed,
           "an experiment's program is counted in executions of its own", (got, done.stderr))
    done = bench.run("experiment", "p.exp", "--counters", "l2", "-o", "q.db",
                     env=dict(env, FAKE_PAPI="inherit"))
    tap.ok(done.returncode == 3 and "not follow programs" in " ".join((done.stdout + done.stderr).split()),
           "but not where the counters would miss it", done.stdout + done.stderr)


def test_commands(tap, bench, env):
    done = bench.run("time", "true", "sleep 0.01", "--counters", "l2", "--launches", "2", "-o", "time.db", env=env)
    metrics = [r["metrics"] for r in bench.results("time.db")] if done.returncode == 0 else []
    tap.ok(len(metrics) == 2 and all(m["count:PAPI_L2_TCM"]["median"] == 250 and m["time"]["median"] > 0 for m in metrics),
           "commands are counted, in executions of their own", f"{metrics} {done.stderr}")


def test_refusals(tap, bench, env):
    done = bench.run(*RUN, "--counters", "PAPI_NO_SUCH", "-o", "no.db", env=env)
    tap.ok(done.returncode == 3 and "PAPI_NO_SUCH" in done.stderr
           and not os.path.exists(bench.path("no.db")),
           "an event that is not here: exit 3, nothing measured", done.stderr)
    done = bench.run(*RUN, "--counters", "l2", "-o", "no.db",
                     env=dict(env, ARCHMETER_PAPI="/no/such.so"))
    tap.ok(done.returncode == 3 and "PAPI" in done.stderr, "no library: exit 3", done.stderr)
    done = bench.run(*RUN, "--counters", "l2,,", "-o", "no.db", env=env)
    tap.ok(done.returncode == 2, "a list with nothing in it: exit 2", done.stderr)
    if len(os.sched_getaffinity(0)) < 2:
        tap.skip("threads that cannot be followed", "one CPU")
        return
    done = bench.run(*RUN, "-p", "threads=2", "--counters", "l2", "-o", "f.db",
                     env=dict(env, FAKE_PAPI="inherit"))
    tap.ok(done.returncode == 3 and "not follow threads" in " ".join(done.stdout.split()),
           "threads that cannot be followed are not counted in part", done.stdout + done.stderr)


def main():
    bench, tap = Bench(sys.argv[1], sys.argv[2]), Tap()
    env = dict(bench.real_env, ARCHMETER_PAPI=os.path.abspath(sys.argv[4]))

    test_apart(tap, bench, env)
    test_together(tap, bench, env)
    test_program(tap, bench, env)
    test_commands(tap, bench, env)
    test_refusals(tap, bench, env)
    tap.done()


main()
