# SPDX-License-Identifier: MIT
"""Both sides measured again: run --against, compare --rerun, check --confirm, and what a gate never passes."""
import json
import os
import sqlite3
import sys

from e2e import Bench, Tap

WORK = ("fake.work", "-p", "n=1:6", "-p", "pause=1", "--quick")


def other_build(bench, workers, scale):
    """A folder with the fake worker of another build, which takes `scale` times as long."""
    folder = bench.path(f"build{scale}")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "archmeter-worker-fake")
    with open(path, "w", encoding="utf-8") as script:
        script.write(f"#!/bin/sh\nFAKE_SCALE={scale} exec {workers}/archmeter-worker-fake \"$@\"\n")
    os.chmod(path, 0o755)
    return folder


def scaled(bench, scale):
    return dict(bench.env, FAKE_SCALE=str(scale))


def rows(got):
    return [r["verdict"] for r in json.loads(got.stdout)["rows"]]


def two_builds(tap, bench, old):
    got = bench.run("run", *WORK, "--against-build", old, "--format", "json", "-o", "two.db")
    told = json.loads(got.stdout)
    tap.ok(got.returncode == 0 and rows(got) == ["slower"] * 6 and told["basis"].startswith("both sides interleaved"),
           "a run against another build is compared with it in one run", got.stdout[-800:] + got.stderr)
    order = bench.query("two.db", "select p.text from visit v join launch l on l.id = v.launch "
                        "join point p on p.id = v.point order by l.id")
    own = [t[0].split(" side=")[0] for t in order]
    first = [t[0].split(" side=")[1] for t in order[::2]]
    tap.ok(own[::2] == own[1::2] and {"base", "new"} == set(first),
           "the sides of a point follow each other, which of them first is drawn", order[:8])
    got = bench.run("check", "two.db", "--between", "side=base,new")
    tap.ok(got.returncode == 1 and "6 slower" in got.stderr, "check takes the sides of one run", got.stderr)
    got = bench.run("model", "two.db")
    tap.ok("two sides" in got.stderr, "model speaks of the new side", got.stderr)
    with sqlite3.connect(bench.path("two.db")) as db:
        db.execute("update point set stop_reason = null where id = 1")
        db.execute("update run set state = 'interrupted'")
    db.close()
    got = bench.run("resume", "two.db")
    tap.ok(got.returncode == 3 and "--against-build" in got.stderr,
           "resume does not run what a file names: the base must be given again", f"{got.returncode} {got.stderr}")
    got = bench.run("resume", "two.db", "--against-build", old)
    tap.ok(got.returncode == 0, "with it it goes on", got.stderr)
    got = bench.run("run", *WORK, "--against-build", bench.path("nothing"), "-o", "none.db")
    tap.ok(got.returncode == 2 and "nothing" in got.stderr and not os.path.exists(bench.path("none.db")),
           "a folder without workers is refused", got.stderr)


def two_settings(tap, bench):
    got = bench.run("run", *WORK, "--against-env", "FAKE_SCALE=1.3", "--format", "json", "-o", "env.db")
    tap.ok(rows(got) == ["faster"] * 6, "two environments are compared in one run", got.stdout[-500:] + got.stderr)
    got = bench.run("run", *WORK, "--against-env", "FAKE_SCALE", "-o", "env2.db")
    tap.ok(got.returncode == 2 and "NAME=VALUE" in got.stderr, "a variable without value is refused", got.stderr)


def confirmed(tap, bench, old):
    bench.run("run", *WORK, "-o", "base.db", env=dict(bench.env, ARCHMETER_WORKERS=old))
    bench.run("run", *WORK, "-o", "new.db")
    got = bench.run("check", "base.db", "new.db", "--format", "json")
    tap.ok(got.returncode == 4 and rows(got) == ["slower?"] * 6, "two files are a question", got.stderr)
    tap.ok("program of worker fake" in json.loads(got.stdout)["remarks"].get("build", ""),
           "another worker program is said in the header", got.stdout[:1500])
    got = bench.run("check", "base.db", "new.db", "--confirm")
    tap.ok(got.returncode == 4 and "another build" in got.stdout and "--against-build" in got.stdout,
           "what cannot be measured again is not passed", f"{got.returncode}\n{got.stdout}{got.stderr}")
    got = bench.run("check", "base.db", "new.db", "--confirm", "--against-build", old, "-o", "fresh.db", "--format",
                    "json")
    told = json.loads(got.stdout)["rows"]
    tap.ok(got.returncode == 1 and rows(got) == ["slower"] * 6 and all(r["pairs"] == 11 == r["pairs_agree"] for r in told)
           and all("fresh pairs" in r["basis"] for r in told), "fresh pairs confirm it", got.stdout[-900:] + got.stderr)
    tap.ok(len(bench.results("fresh.db")) == 12, "and stay in the file that was asked for")
    same = other_build(bench, bench.env["ARCHMETER_WORKERS"], 1)
    got = bench.run("check", "base.db", "new.db", "--confirm", "--against-build", same, "--format", "json")
    tap.ok(got.returncode == 0 and rows(got) == ["same"] * 6, "or do not: a base that is as fast passes",
           f"{got.returncode} {got.stdout[-900:]}{got.stderr}")
    got = bench.run("compare", "base.db", "new.db", "--rerun", "--against-build", old)
    tap.ok("11 of 11 fresh pairs agree" in got.stdout and "6 slower" in got.stdout, "compare --rerun says so", got.stdout)


def one_build(tap, bench):
    """Nothing but the time tells the sides apart: B is measured again, and A is what it was."""
    bench.run("run", *WORK, "-o", "a1.db")
    bench.run("run", *WORK, "-o", "b1.db", env=scaled(bench, 1.3))
    got = bench.run("check", "a1.db", "b1.db", "--confirm", "--format", "json")
    tap.ok(got.returncode == 0 and rows(got) == ["same"] * 6, "a state of the machine that passed is the same now",
           f"{got.returncode} {got.stdout[-700:]}{got.stderr}")
    got = bench.run("check", "a1.db", "b1.db", "--confirm", "--format", "json", env=scaled(bench, 1.3))
    tap.ok(got.returncode == 4 and rows(got) == ["slower?"] * 6, "one that stays is not passed, and no proof", got.stderr)


def earlier_run(tap, bench, workers):
    got = bench.run("run", "--against", "a1.db", "--format", "json", "-o", "later.db")
    told = json.loads(got.stdout)
    tap.ok(got.returncode == 0 and rows(got) == ["same"] * 6 and told["basis"].startswith("one run per side"),
           "run --against measures the points of an earlier run and compares", got.stdout[-700:] + got.stderr)
    old = other_build(bench, workers, 0.8)
    got = bench.run("run", "--against", "two.db", "--against-build", old, "--format", "json", "-o", "later2.db")
    tap.ok(rows(got) == ["slower"] * 6, "of a run with two sides, too", got.stdout[-300:] + got.stderr)
    with open(bench.path("touch.exp"), "w", encoding="utf-8") as spec:
        spec.write("test x\nexec touch\narg PWNED\nreps 1\nrun\n")
    real = dict(bench.real_env)
    bench.run("experiment", "touch.exp", "-o", "x.db", env=real)
    made = os.path.exists(bench.path("PWNED"))
    if made:
        os.remove(bench.path("PWNED"))
    got = bench.run("run", "--against", "x.db", "-o", "y.db", env=real)
    tap.ok(made and got.returncode == 3 and not os.path.exists(bench.path("PWNED"))
           and not os.path.exists(bench.path("y.db")), "a command that a file holds is never run", got.stderr)
    got = bench.run("run", "--against", "a1.db", "-p", "n=3", "-o", "y.db")
    tap.ok(got.returncode == 2 and "-p" in got.stderr, "points come from one place", got.stderr)


def two_commands(tap, bench):
    """Commands of the user's own, in an experiment: one run, an axis of programs."""
    for name, value in (("old", 1.0), ("new", 1.2)):
        with open(bench.path(name), "w", encoding="utf-8") as script:
            script.write(f"#!/bin/sh\necho t={value}\n")
        os.chmod(bench.path(name), 0o755)
    with open(bench.path("two.exp"), "w", encoding="utf-8") as spec:
        spec.write("test two\nexec env\nbuild none\narg {program}\naxis program ./old,./new\n"
                   "result t s lower t=([0-9.]+)\nreps 5\nrun\n")
    made = bench.run("experiment", "two.exp", "-o", "commands.db", env=bench.real_env)
    got = bench.run("check", "commands.db", "--between", "program=./old,./new", "--format", "json")
    tap.ok(got.returncode == 1 and rows(got) == ["slower"], "two commands are compared in one run",
           f"{got.returncode} {got.stdout[-500:]}{got.stderr}{made.stderr}")


def never_passed(tap, bench):
    bench.run("run", "fake.work", "-p", "n=1:5", "-p", "pause=1", "--quick", "-o", "less.db")
    got = bench.run("check", "a1.db", "less.db")
    tap.ok(got.returncode == 4 and "n=6" in got.stderr and "only in A" in got.stderr,
           "a row of the base that is missing is not passed", got.stderr)
    got = bench.run("check", "less.db", "a1.db")
    tap.ok(got.returncode == 0, "a row more is", got.stderr)


def record(tap, bench):
    folder = os.path.join(bench.env["XDG_DATA_HOME"], "archmeter", "runs")
    os.makedirs(folder)
    for i in range(4):
        bench.run("run", *WORK, "-o", os.path.join(folder, f"r{i}.db"))
    got = bench.run("check", "a1.db", "b1.db", "--format", "json")
    told = json.loads(got.stdout)
    tap.ok(got.returncode == 1 and rows(got) == ["slower"] * 6 and all(r["runs"] == 4 for r in told["rows"])
           and all("earlier runs" in r["basis"] for r in told["rows"]), "a record of earlier runs decides",
           f"{got.returncode} {got.stdout[-900:]}")
    os.remove(os.path.join(folder, "r0.db"))
    os.remove(os.path.join(folder, "r1.db"))
    got = bench.run("check", "a1.db", "b1.db", "--format", "json")
    tap.ok(got.returncode == 4 and rows(got) == ["slower?"] * 6, "two runs are none", got.stderr)
    got = bench.run("check", "a1.db", "b1.db", "--record", bench.path("missing"))
    tap.ok(got.returncode == 2 and "missing" in got.stderr, "a folder that is not there is told", got.stderr)


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    workers = bench.env["ARCHMETER_WORKERS"]
    old = other_build(bench, workers, 0.8)
    two_builds(tap, bench, old)
    two_settings(tap, bench)
    confirmed(tap, bench, old)
    one_build(tap, bench)
    earlier_run(tap, bench, workers)
    two_commands(tap, bench)
    never_passed(tap, bench)
    record(tap, bench)
    tap.done()


main()
