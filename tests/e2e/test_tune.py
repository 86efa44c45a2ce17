# SPDX-License-Identifier: MIT
"""tune on surfaces of known best places; the tuning file, and what run makes of it."""
import json
import math
import os
import signal
import sqlite3
import subprocess
import sys
import time

from e2e import Bench, Tap

FIRST = "archmeter-tuning 1\n"
GOOD = ("tuned other.bench 3 elsewhere for n~4 use w=2 by patient time 0.5 "
        "2026-01-01T00:00:00Z\n")

# contents, and the line that the refusal names
BAD = {
    "text": ("this is no tuning\n", 1),
    "newer": ("archmeter-tuning 9\n", 1),
    "cut": (FIRST + GOOD + GOOD[:60], 3),
    "binary": ("\x00\x01\x02SQLite format 3\x00" * 40, 1),
    "line": (FIRST + "\n# a remark\ntuned fake.surface 1\n", 4),
}

USERS = (["run", "fake.surface", "--quick"], ["plan", "fake.surface"], ["tune", "fake.surface"],
         ["tune", "--list"], ["tune", "--forget", "x"])


def true_time(w, depth, way, n):
    """As the fake worker has it, in ms."""
    width = 0.25 + 0.02 * abs(w - 3) if w < 5 else 0.02 * abs(w - 13)
    return 1 + width + 0.03 * math.log2(depth / math.sqrt(n)) ** 2 + (0 if way == "clever" else 0.1)


def tune(bench, *args, env=None):
    got = bench.run("tune", "fake.surface", "--format", "json", *args, env=env)
    return got, json.loads(got.stdout)["points"] if got.stdout else []


def quality(tap, bench):
    for noise in ("0", "0.02"):
        got, points = tune(bench, "-p", "n=4K,64K", "-p", f"noise={noise}", "-o", f"q{noise}.db")
        tap.ok(got.returncode == 0 and len(points) == 2, f"noise {noise}: two points are tuned",
               got.stderr)
        for p in points:
            n, use = p["point"]["n"], p["use"]
            best = min(true_time(13, round(4 * 1.5 ** k), "clever", n) for k in range(14))
            mine = true_time(use["w"], use["depth"], use.get("way"), n)
            tap.ok(mine <= 1.02 * best and p["tried"] < 160,
                   f"noise {noise}, n {n}: within 2 % of the best, {p['tried']} of "
                   f"{p['candidates']} tried", p)
    tap.ok(points[0]["model"] == {"w": 8, "depth": 100}, "the model is what the worker chose",
           points[0])


# Eight cores whose clock falls from 4 to 2 GHz as they become busy, 5 W at rest and 20 W per core: more threads are
# faster and take more energy.
FALLING = """
[machine]
name falling
vendor GenuineIntel
model Falling
features fpu tsc sse2 avx
[kind core]
cores 8
one_ghz 4
all_ghz 2
isa scalar 64 2 4 2
isa sse2 128 2 4 2
isa avx 256 2 4 2
[cache L1]
level 1
size 32K
cycles 4
bytes_per_cycle 64
[cache L2]
level 2
size 8M
share core
cycles 14
bytes_per_cycle 64
[memory]
size 16G
latency_ns 90
core_gbs 200
node_gbs 2000
[openmp]
task_ns 100
[noise]
sample 0.004
launch 0.006
[power]
static_w 5
core_w 20
flop_pj 0
byte_pj 0
"""
THREADS = (1, 2, 4, 8)


def falling_time(threads):
    """Relative, of work that is arithmetic alone."""
    return 4 / (4 - 2 * (threads - 1) / 7) / threads


def goals(tap, bench):
    """A machine whose best number of threads is known for each goal: energy is not time."""
    with open(bench.path("falling.machine"), "w", encoding="ascii") as f:
        f.write(FALLING)
    joules = {p: (5 + 20 * p) * falling_time(p) for p in THREADS}
    best = {"time": min(THREADS, key=falling_time), "energy": min(THREADS, key=joules.get),
            "edp": min(THREADS, key=lambda p: joules[p] * falling_time(p))}
    tap.ok(best["time"] != best["energy"], "the machine tells the goals apart", best)
    for goal, threads in best.items():
        got = bench.run("--machine", "falling.machine", "tune", "app.blackscholes", "--for", goal, "--seed", "5", "--format", "json", "-p",
                        "n=64K", "-p", "type=f32", "-p", "isa=scalar,avx", "-p", "executor=task:dbf", "-p", "threads=1,2,4,8",
                        "-p", "task_size=16,4096", "-o", f"{goal}.db", env=bench.real_env)
        said = json.loads(got.stdout) if got.stdout else {}
        use = said.get("best", [{}])[0].get("use", {})
        tap.ok(got.returncode == 0 and use == {"threads": threads, "isa": "avx", "task_size": 4096},
               f"for {goal}: {threads} threads, wide vectors, few tasks", (use, got.stderr))
        front = [way["way"].split("threads=")[1].split()[0] for way in said.get("front", [])]
        tap.ok((goal == "time") == (not front) and (goal == "time" or {"2", "8"} <= set(front)),
               "the ways that none beats in both hold the best for energy and for time", said.get("front"))
        tap.ok(said["points"][0]["metric"] == {"time": "flops"}.get(goal, f"{goal}:package"), "judged by its metric", said["points"])
    tap.ok(not os.path.exists(bench.path("data/archmeter/tuning")) or "blackscholes" not in open(
        bench.path("data/archmeter/tuning"), encoding="utf-8").read(), "ways are told and not kept for later runs")
    got = bench.run("--machine", "falling.machine", "tune", "app.blackscholes", "--for", "time", "--seed", "5", "--format", "json", "-p", "n=64K", "-p",
                    "type=f32", "-p", "isa=avx", "-p", "executor=serial,omp-for", "-p", "runtime=own,libgomp", "-p", "threads=1,8", "-p", "task_size=4096",
                    "--budget", "0s", "-o", "parts.db", env=bench.real_env)
    best = json.loads(got.stdout)["best"] if got.stdout else [{}]
    tap.ok(len(best) == 1 and best[0].get("use", {}).get("executor") == "omp-for" and best[0].get("decided") is True,
           "of two workers' parts the better one is named by its executor", (best, got.stderr))
    shown = bench.run("export", "energy.db", "--svg", "energy-pareto", "-o", "pareto.svg")
    tap.ok(shown.returncode == 0 and os.path.getsize(bench.path("pareto.svg")) > 1000, "the figure of both goals", shown.stderr)


def simulated_budget(tap, bench):
    """A budget is spent by the clock of the machine that is measured, also of one that is simulated within two seconds."""
    got = bench.run("--machine", "falling.machine", "tune", "app.blackscholes", "--for", "energy", "--seed", "7", "--format", "json", "-p", "n=64K",
                    "-p", "type=f32", "-p", "isa=scalar,avx", "-p", "executor=task:dbf", "-p", "threads=1,2,4,8", "-p", "task_size=16,256,4096",
                    "--budget", "60s", "-o", "budget.db", env=bench.real_env)
    told = json.loads(got.stdout)["points"][0] if got.stdout else {}
    spent, longest, n = bench.query("budget.db", "SELECT sum(ended_ns - started_ns) / 1e9, max(ended_ns - started_ns) / 1e9, count(*) FROM launch")[0]
    tap.ok(abs(told.get("seconds", 0) - spent) < 1e-3 and told.get("launches") == n,
           "the time of a simulated tuning is that of its launches", (told, spent, got.stderr))
    tap.ok(30 < spent <= 60 + longest, "its budget is spent, and not exceeded", (spent, longest))
    tap.ok("1 point to tune, at most 1 min 0 s (--budget: 1 min 0 s each)" in got.stderr, "and told before", got.stderr)
    got = bench.run("--machine", "falling.machine", "tune", "app.blackscholes", "--for", "energy", "-p", "threads=1,2,4,8", "-p", "executor=task:dbf",
                    "--budget", "5s", "-o", "short.db", env=bench.real_env)
    tap.ok(got.returncode == 0 and "12 are the fewest that can show a gain" in got.stderr,
           "a budget that can show nothing is told before it is spent", got.stderr)
    overlap = bench.query("budget.db", "SELECT count(*) FROM launch a JOIN launch b ON b.id = a.id + 1 WHERE b.started_ns < a.ended_ns")
    tap.ok(overlap == [(0,)], "and no launch begins before the one before has ended", overlap)


def topics(tap, bench):
    """A word in place of a bench: what it asks, unless -p says otherwise."""
    got = bench.run("--machine", "falling.machine", "tune", "omp", "--mode", "estimate", "--format", "json", "-p", "gap=7",
                    "-o", "topic.db", env=bench.real_env)
    points = [p["point"] for p in json.loads(got.stdout)["points"]] if got.stdout else []
    tap.ok({(p["gap"], p["regions"]) for p in points} == {(7, 25)} and len({p["runtime"] for p in points}) == len(points) > 1,
           "tune omp asks for the best of all runtimes, with what -p changes", got.stderr)


def no_gain(tap, bench):
    """A surface that is flat: the luckiest of many candidates is not kept."""
    file = bench.path("flat.tune")
    got, points = tune(bench, "-p", "shape=flat", "-p", "noise=0.05", "-p", "n=4K", "--tuning", file, "-o", "flat.db")
    p = points[0]
    tap.ok(got.returncode == 0 and not p["kept"] and p["doubt"] and p["use"] == p["model"],
           "where nothing is better the bench's own choice stands, and that is said", p)
    with open(file, encoding="utf-8") as f:
        tap.ok(f.read() == FIRST, "and nothing is saved")
    got, points = tune(bench, "-p", "n=4K", "-p", "noise=0.01", "--tuning", file, "-o", "gain.db")
    p = points[0]
    tap.ok(p["kept"] and 0 < p["gain_low"] <= p["gain"] <= p["gain_high"], "a gain has its bounds", p)


def no_time(tap, bench):
    file = bench.path("late.tune")
    got, points = tune(bench, "-p", "n=4K", "--budget", "0.001s", "--tuning", file, "-o", "late.db")
    tap.ok(got.returncode == 0 and points and not points[0]["kept"] and "--budget" in (points[0]["doubt"] or ""),
           "without time to compare nothing is kept, and that is said", (got.returncode, got.stderr, points))


def other_key(tap, bench):
    got = bench.run("run", "fake.surface", "-p", "n=4K", "-p", "shape=flat", "--quick", "--launches", "1", "-o",
                    "key.db")
    tap.ok(got.returncode == 0 and "the nearest entry of fake.surface" in got.stderr and "shape=hill and not flat" in got.stderr,
           "a run that no entry serves says what the nearest one is for", got.stderr)


def used(tap, bench):
    bench.run("run", "fake.surface", "-p", "n=5000,8K,1M", "-p", "w=0,13", "--quick",
              "--launches", "1", "-o", "used.db")
    rows = bench.results("used.db")
    # n=1M is further from 64K than a factor of 16 only just: 2^20 against 2^16
    tap.ok(all(r["point"]["w"] == 13 and r["point"]["way"] == "clever" for r in rows)
           and len(rows) == 3, "run has the tuned values in its points, twins once", rows)
    facts = dict(bench.query("used.db", "SELECT key, value FROM setting"))
    tap.ok("tuned fake.surface" in facts.get("tuning.entry.1", "")
           and facts.get("tuning.file") == bench.tuning, "the run says which entries", facts)
    bench.run("run", "fake.surface", "-p", "n=4K", "--quick", "--launches", "1", "--no-tuning",
              "-o", "open.db")
    facts = dict(bench.query("open.db", "SELECT key, value FROM setting"))
    tap.ok(bench.results("open.db")[0]["point"]["w"] == 0
           and facts.get("option.no-tuning") == "yes" and "tuning.file" not in facts,
           "--no-tuning leaves the choice to the bench, and the run says so", facts)
    plan = json.loads(bench.run("plan", "fake.surface", "-p", "n=4K,256M", "--format",
                                "json").stdout)["points"]
    tap.ok([p["point"]["w"] for p in plan] == [13, 0], "plan shows them; far sizes stay open", plan)
    notes = dict(bench.query("q0.db", "SELECT key, value FROM setting"))
    tap.ok(notes.get("tuning.mode") == "measure" and "tuning.result.2" in notes,
           "the results of tune are marked as such", notes)


def special(tap, bench):
    got, points = tune(bench, "-p", "shape=wrong", "-p", "depth=64", "-p", "way=clever", "-o",
                       "wrong.db")
    tap.ok(points[0]["use"] == {"w": 12} or points[0]["use"] == {"w": 14},
           "what fails its check is never chosen, however fast", points)
    got, points = tune(bench, "-p", "shape=none", "-p", "depth=64", "-o", "none.db")
    tap.ok(got.returncode == 3 and points[0]["reason"] and not points[0]["use"],
           "nothing can be tuned: exit code 3 and the reason", points)
    got, points = tune(bench, "-p", "shape=narrow", "-p", "way=clever", "-o", "narrow.db")
    tap.ok(points[0]["use"] == {"w": 11} and points[0]["candidates"] == 4
           and points[0]["skipped"] == 0, "candidates are those that the bench proposes for the point",
           points)
    got, points = tune(bench, "-p", "shape=narrow", "-p", "way=clever", "-p", "w=12:14", "-o",
                       "given.db")
    tap.ok(points[0]["use"] == {"w": 13}, "and yield to those that the user gives",
           points)
    got, points = tune(bench, "-p", "shape=odd", "-o", "odd.db")
    tap.ok(got.returncode == 3 and "proposes for w" in (points[0]["reason"] or ""),
           "a proposal that is no range is told", points)
    got, points = tune(bench, "-p", "n=1K", "--mode", "estimate", "-o", "estimate.db")
    tap.ok(points[0]["use"] == {"w": 8, "depth": 100} and points[0]["launches"] == 1,
           "estimate: what the bench chooses, by one launch", points)
    got, points = tune(bench, "-p", "w=3:6", "-p", "depth=16,64", "-p", "way=plain", "--mode",
                       "patient", "-o", "patient.db")
    tap.ok(points[0]["use"] == {"w": 8, "depth": 64} and points[0]["tried"] == 15,
           "patient: every candidate that was given, and the model's", points)
    plan = json.loads(bench.run("plan", "fake.surface", "-p", "way=plain", "--format",
                                "json").stdout)["points"]
    tap.ok(plan[0]["point"]["depth"] == 64, "an axis that was fixed is a part of the key", plan)
    show = bench.run("resume", "patient.db")
    tap.ok(show.returncode == 0 and "complete" in show.stderr, "a tuning run is complete",
           show.stderr)
    more = bench.run("resume", "patient.db", "--launches", "10")
    tap.ok(more.returncode == 2 and "archmeter run BENCH --launches 10" in more.stderr and not more.stdout,
           "it gets no launches, and it is said what does", (more.returncode, more.stderr))


def bad_files(tap, bench):
    before = sorted(os.listdir(bench.dir))
    for name, (text, line) in BAD.items():
        with open(bench.path(name), "w", encoding="latin-1") as f:
            f.write(text)
        for args in USERS if name == "cut" else USERS[:1]:
            got = bench.run(*args, "--tuning", name)
            tap.ok(got.returncode == 2 and f"{name}:{line}:" in got.stderr and not got.stdout,
                   f"{' '.join(args)} with a bad file ({name}): exit code 2, names line {line}",
                   f"{got.returncode} {got.stderr}")
        got = bench.run("tune", "--merge", name)
        tap.ok(got.returncode == 2 and f"{name}:{line}:" in got.stderr,
               f"tune --merge {name}: the same", got.stderr)
        with open(bench.path(name), encoding="latin-1") as f:
            tap.ok(f.read() == text, f"{name} is left as it is")
    env = dict(bench.env, ARCHMETER_TUNING=bench.path("text"))
    got = bench.run("run", "fake.surface", "--quick", "--launches", "1", "-o", "x.db", env=env)
    tap.ok(got.returncode == 2 and "text:1:" in got.stderr, "the same by ARCHMETER_TUNING",
           got.stderr)
    for args in (["fake.surface", "--no-tuning"], ["fake.work", "-p", "n=1"]):
        got = bench.run("run", *args, "--quick", "--launches", "1", "-o", f"{args[0]}.db", env=env)
        tap.ok(got.returncode == 0, f"run {' '.join(args)} does not need the file", got.stderr)
    made = {n for n in os.listdir(bench.dir) if n not in before and n not in BAD
            and not n.endswith(".lock")}
    tap.ok(made == {"fake.surface.db", "fake.work.db"}, "no refused call left a file", made)


def words(tap, bench):
    for args, code, say in [
            (["tune"], 2, "fake.surface"), (["tune", "fake.work"], 2, "fake.surface"),
            (["tune", "fake.surfac"], 2, "fake.surface"),
            (["tune", "fake.surface", "-p", "wdth=3"], 2, "wdth"),
            (["tune", "fake.surface", "-p", "w=x"], 2, "w"),
            (["tune", "fake.surface", "--mode", "measured"], 2, "measure"),
            (["tune", "--list", "--forget", "x"], 2, "exclude"),
            (["tune", "--merge", "absent"], 2, "absent"),
            (["run", "fake.surface", "--tuning", "absent"], 2, "absent")]:
        got = bench.run(*args)
        tap.ok(got.returncode == code and say in got.stderr and not got.stdout,
               f"{' '.join(args)}: exit code {code}", f"{got.returncode} {got.stderr}")


def entries(bench, *args):
    out = bench.run("tune", "--list", "--format", "json", *args).stdout
    return json.loads(out)["entries"] if out else []


def keeping(tap, bench):
    with open(bench.path("other"), "w", encoding="utf-8") as f:
        f.write(FIRST + GOOD)
    n = len(entries(bench))
    got = bench.run("tune", "--merge", "other")
    tap.ok(got.returncode == 0 and len(entries(bench)) == n + 1, "an entry is taken over", got.stderr)
    foreign = [e for e in entries(bench) if not e["here"]]
    tap.ok(len(foreign) == 1 and foreign[0]["machine"] == "elsewhere",
           "one of another machine is kept, and said to be", foreign)
    tap.ok("elsewhere" in bench.run("tune", "--list").stdout, "the list is for people too")
    got = bench.run("tune", "--forget", "other.*")
    tap.ok(got.returncode == 0 and len(entries(bench)) == n and "1 entry" in got.stderr,
           "and forgotten", got.stderr)


def together(tap, bench):
    """Writers at once, in a folder that is still to be made."""
    file = bench.path("deep/down/tuning")
    env = dict(bench.env, ARCHMETER_TUNING=file)
    sizes = [str(4096 << i) for i in range(5)]
    jobs = [bench.start("tune", "fake.surface", "-p", f"n={n}", "--mode", "estimate", "-o",
                        f"t{n}.db", env=env) for n in sizes]
    codes = [job.wait(timeout=900) for job in jobs]
    for job in jobs:
        job.stdout.close()
        job.stderr.close()
    with open(file, encoding="utf-8") as f:
        lines = f.read().splitlines()
    tap.ok(codes == [0] * 5 and len(lines) == 6, "five writers at once lose nothing", lines)
    tap.ok(sorted(os.listdir(os.path.dirname(file))) == ["tuning", "tuning.lock"],
           "and leave the file and its lock", os.listdir(os.path.dirname(file)))


def count_visits(bench):
    try:
        return bench.query("cut.db", "SELECT count(*) FROM visit")[0][0]
    except sqlite3.OperationalError:  # not made yet, or being written
        return 0


def interrupted(tap, bench):
    file = bench.path("cut.tune")
    job = bench.start("tune", "fake.surface", "-p", "n=4K,8K", "--mode", "patient", "--tuning",
                      file, "-o", "cut.db")
    for _ in range(200):  # until something was measured
        time.sleep(0.05)
        if os.path.exists(bench.path("cut.db")) and count_visits(bench) > 8:
            break
    job.send_signal(signal.SIGINT)
    said = job.communicate(timeout=900)[1]
    rows = bench.results("cut.db")
    tap.ok("--budget" not in said, "an interrupted search does not blame the budget", said)
    tap.ok(job.returncode == 130 and any(r["state"] == "ok" for r in rows)
           and not os.path.exists(file), "interrupted: the samples are kept, nothing is saved",
           f"{job.returncode} {len(rows)}")
    more = bench.run("resume", "cut.db")
    tap.ok(more.returncode == 0 and "its search does not go on" in more.stderr,
           "resume measures what was begun, and says that it does not search", (more.returncode, more.stderr))


def script(tap, bench):
    """The demonstration that doc/guide/tune.md names, on a surface with noise."""
    tool = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/check_tuner.py")
    got = subprocess.run([sys.executable, tool, bench.archmeter, "fake.surface", "-p", "noise=0.01",
                          "-p", "w=6:16", "-p", "depth=16:256:*2", "-p", "way=clever"],
                         env=bench.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         timeout=900)
    tap.ok(got.returncode == 0 and "good:" in got.stdout,
           "measure is within 2 % of the best of all candidates, in less than 20 s", got.stdout)


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    bench.tuning = bench.path("tuning")
    bench.env["ARCHMETER_TUNING"] = bench.tuning
    words(tap, bench)
    quality(tap, bench)
    used(tap, bench)
    other_key(tap, bench)
    no_gain(tap, bench)
    goals(tap, bench)
    simulated_budget(tap, bench)
    topics(tap, bench)
    no_time(tap, bench)
    special(tap, bench)
    bad_files(tap, bench)
    keeping(tap, bench)
    together(tap, bench)
    interrupted(tap, bench)
    script(tap, bench)
    tap.done()


main()
