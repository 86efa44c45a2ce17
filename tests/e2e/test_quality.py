# SPDX-License-Identifier: MIT
"""What disturbs a run: stopped workers, neighbours around launches, waiting, repeating, refusing."""
import json
import os
import signal
import subprocess
import sys
import threading
import time

from e2e import Bench, Tap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STOPS, STOP_S = 4, 0.2
OFF, RUNNABLE = 8, 8  # bits of a sample's and of a launch's labels


def described(word):
    return os.path.join(ROOT, "machines", word + ".machine")


# ---- a worker that is stopped ----

def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            return [int(word) for word in f.read().split()]
    except OSError:
        return []


def cpu_ticks(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            words = f.read().rpartition(")")[2].split()
        return int(words[11]) + int(words[12])
    except OSError:
        return -1


def now_ns():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


def stop_once(worker, seconds):
    """When it was stopped for sure, on the clock of the samples."""
    os.kill(worker, signal.SIGSTOP)
    begin = now_ns()
    time.sleep(seconds)
    end = now_ns()
    os.kill(worker, signal.SIGCONT)
    return begin, end


def stop_worker(archmeter):
    """Stops the worker a few times, each after it has computed for a while. On a crowded machine the worker gets a part of
    a CPU, and is stopped for longer by that part."""
    stops, seen, since = [], 0, time.monotonic()
    while archmeter.poll() is None and len(stops) < STOPS:
        worker = next((w for w in children(archmeter.pid) if cpu_ticks(w) >= 0), 0)
        used = cpu_ticks(worker) if worker else -1
        if used < seen + 20:
            time.sleep(0.01)
            continue
        waited = 100 * (time.monotonic() - since) / (used - seen)
        try:
            stops.append(stop_once(worker, STOP_S * max(1, waited)))
        except OSError:
            break
        seen, since = cpu_ticks(worker), time.monotonic()
    return stops


def stopped(tap, bench):
    child = bench.start("run", "cpu.flops", "-p", "isa=scalar", "-p", "type=f64", "-p", "op=add", "-p", "streams=8", "-p", "threads=1",
                        "--launches", "1", "--samples", "60", "--min-batch", "20ms", "--no-wait", "-q", "--seed", "1", "-o", "stop.db",
                        env=bench.real_env)
    stops = stop_worker(child)
    child.communicate(timeout=600)
    rows = bench.query("stop.db", """SELECT s.t0_ns, s.t1_ns, s.labels, coalesce(o.off_ns, 0) FROM sample s
        LEFT JOIN off_cpu o USING (visit, seq)""")
    hit = [(r, end - begin) for r in rows for begin, end in stops if r[0] <= begin and end <= r[1]]
    tap.ok(child.returncode == 0 and hit, f"a worker was stopped {len(hit)} times amid a sample", (child.returncode, stops, len(rows)))
    tap.ok(all(r[2] & OFF for r, _ in hit), "all of these samples are labelled", hit)
    tap.ok(all(r[3] > 0.9 * length for r, length in hit), "with the time that the thread had no CPU", hit)


# ---- neighbours, below a made-up root ----

class Machine:
    """A small tree whose load can be changed."""

    def __init__(self, bench, make_tree):
        self.root = bench.path("root")
        if not os.path.exists(self.root):
            subprocess.run([make_tree, "vm", self.root], check=True)

    def others(self, n):
        path = os.path.join(self.root, "proc", "loadavg")
        with open(path + ".new", "w", encoding="ascii") as f:
            f.write(f"0.10 0.10 0.10 {1 + n}/300 4711\n")
        os.replace(path + ".new", path)


def fake_run(bench, machine, db, *words, wait=None):
    env = dict(bench.env)
    del env["ARCHMETER_WAIT"]
    if wait:
        env["ARCHMETER_WAIT"] = wait
    return bench.run("--fsroot", machine.root, "run", "fake.work", "-p", "n=1:2", "--quick", "--seed", "1", "-o", db, *words, env=env)


def labels(bench, db):
    return [r[0] for r in bench.query(db, "SELECT labels FROM surroundings ORDER BY launch")]


def neighbours(tap, bench, machine):
    machine.others(0)
    done = fake_run(bench, machine, "quiet.db")
    quiet = labels(bench, "quiet.db")
    tap.ok(done.returncode == 0 and quiet and not any(quiet), "a quiet machine is quiet around every launch", (done.stderr, quiet))
    tap.ok("busy" not in done.stderr, "and is not waited for", done.stderr)
    machine.others(7)
    done = fake_run(bench, machine, "busy.db", "--no-wait")
    busy = labels(bench, "busy.db")
    tap.ok(done.returncode == 0 and len(busy) == len(quiet) and all(b == RUNNABLE for b in busy),
           "threads of others are seen around every launch", (done.stderr, busy))
    seen = bench.query("busy.db", "SELECT min(runnable), max(runnable) FROM surroundings")
    tap.ok(seen == [(7.0, 7.0)], "without the one that looks", seen)
    grades = {r["metrics"]["time"]["grade"] for r in bench.results("busy.db")}
    tap.ok(grades == {"C"}, "what was measured then concludes nothing", grades)


def repeats(tap, bench, machine):
    once = len(labels(bench, "quiet.db"))
    machine.others(7)
    done = fake_run(bench, machine, "again.db", wait="300ms")
    tap.ok(done.returncode == 0 and len(labels(bench, "again.db")) == 2 * once,
           "disturbed launches are repeated, as often as a point has launches and no more", (once, done.stderr))
    tap.ok("repeated" in done.stderr and "still busy" in done.stderr, "which is said", done.stderr)
    done = fake_run(bench, machine, "fixed.db", "--launches", "3", wait="300ms")
    tap.ok(len(labels(bench, "fixed.db")) * 5 == once * 3, "who fixes the launches gets them", done.stderr)


def resumed(tap, bench, machine):
    """Killed and resumed, as many launches are made as without."""
    machine.others(7)
    env = dict(bench.env, ARCHMETER_WAIT="300ms")
    words = ["--fsroot", machine.root, "run", "fake.work", "-p", "n=1:2", "--quick", "--seed", "1", "-o", "cut.db"]
    child = bench.start(*words, env=env)
    while child.poll() is None:
        try:
            if bench.query("cut.db", "SELECT count(*) FROM launch")[0][0] >= 3:
                break
        except Exception:
            pass
        time.sleep(0.01)
    child.kill()
    child.communicate()
    done = bench.run("resume", "cut.db", env=env)
    tap.ok(done.returncode == 0 and len(labels(bench, "cut.db")) == len(labels(bench, "again.db")),
           "a killed run repeats as many as one that was not", (done.stderr, len(labels(bench, "cut.db"))))


def waits(tap, bench, machine):
    machine.others(7)
    timer = threading.Timer(1.0, machine.others, [0])
    timer.start()
    done = fake_run(bench, machine, "wait.db", "--strict", wait="600s")
    timer.join()
    tap.ok(done.returncode == 0 and "waiting up to 600 s" in done.stderr and "still busy" not in done.stderr,
           "a busy machine is waited for, and measured when it is quiet", done.stderr)
    tap.ok(not any(labels(bench, "wait.db")), "then nothing is disturbed")
    machine.others(7)
    done = fake_run(bench, machine, "no.db", "--strict", wait="300ms")
    tap.ok(done.returncode == 5 and "the machine is busy: 7 other threads are ready to run" in done.stderr
           and not os.path.exists(bench.path("no.db")), "--strict refuses a busy machine with code 5", (done.returncode, done.stderr))
    done = fake_run(bench, machine, "no.db", "--strict", "--no-wait")
    tap.ok(done.returncode == 5 and "waiting" not in done.stderr, "and at once with --no-wait", (done.returncode, done.stderr))
    done = fake_run(bench, machine, "no.db", wait="soon")
    tap.ok(done.returncode == 2 and "ARCHMETER_WAIT=soon" in done.stderr, "a wait that is no time is refused", done.stderr)


def tuning(tap, bench, machine):
    """tune waits as run does, and takes the same words."""
    env = dict(bench.env, ARCHMETER_WAIT="300ms", ARCHMETER_TUNING=bench.path("tuning"))
    words = ["--fsroot", machine.root, "tune", "fake.surface", "-p", "n=4K", "-p", "w=3:6", "-p", "depth=64", "-p", "way=plain"]
    machine.others(7)
    done = bench.run(*words, "--strict", "-o", "tune-no.db", env=env)
    tap.ok(done.returncode == 5 and "waiting up to 0.3 s" in done.stderr and not os.path.exists(bench.path("tune-no.db")),
           "tune --strict waits, refuses a busy machine, and leaves no file", (done.returncode, done.stderr))
    done = bench.run(*words, "-o", "tune-busy.db", env=env)
    tap.ok(done.returncode == 0 and "still busy" in done.stderr, "tune says that it begins all the same", (done.returncode, done.stderr))
    del env["ARCHMETER_WAIT"]
    done = bench.run(*words, "--no-wait", "-o", "tune-now.db", env=env)
    kept = dict(bench.query("tune-now.db", "SELECT key, value FROM setting"))
    tap.ok(done.returncode == 0 and "busy" not in done.stderr and kept.get("launches.repeats") == "0",
           "with --no-wait it begins at once, and repeats nothing", (done.returncode, done.stderr, kept))


def interrupted(tap, bench, machine):
    machine.others(7)
    child = bench.start("--fsroot", machine.root, "run", "fake.work", "-p", "n=1", "-o", "int.db", env=dict(bench.env, ARCHMETER_WAIT="600s"))
    while "waiting" not in child.stderr.readline():
        pass
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=600)
    tap.ok(child.returncode == 130 and not os.path.exists(bench.path("int.db")), "waiting can be interrupted", child.returncode)


# ---- nothing is concluded from grade C ----

BENCHES = ["cpu.flops", "cpu.instr", "mem.latency", "mem.bandwidth", "omp.sync", "omp.start", "app.blackscholes"]


def conclusions(bench, word):
    """What the model of a simulated machine says, and what the lines of explain rest on."""
    db = word + ".db"
    done = bench.run("--machine", described(word), "run", *BENCHES, "--quick", "--launches", "5", "--budget", "1h", "--seed", "1", "-q",
                     "-o", db, env=bench.real_env)
    assert done.returncode == 0, done.stderr
    return json.loads(bench.run("model", db, "--format", "json").stdout), done.stdout


def concludes(tap, bench):
    """A machine that is never quiet says nothing of itself; the same machine, quiet, a lot."""
    quiet, _ = conclusions(bench, "zen4-guest-2")
    tap.ok(len(quiet["facts"]) > 20 and quiet["guidelines"] and quiet["ceilings"],
           "a quiet machine has facts, guidelines and ceilings",
           {k: len(quiet[k]) for k in ("facts", "guidelines", "ceilings")})
    tap.ok(all(f["grade"] != "C" for f in quiet["facts"]), "none of them of grade C")
    busy, shown = conclusions(bench, "zen4-guest-2-crowded")
    grades = bench.results("zen4-guest-2-crowded.db")
    c = [r for r in grades if next(iter(r["metrics"].values()))["grade"] == "C"]
    tap.ok(len(c) == len(grades), "on a crowded one every point is of grade C", (len(c), len(grades)))
    for kind in ("facts", "guidelines", "ceilings"):
        tap.ok(busy[kind] == [], f"it has no {kind}", busy[kind][:3])
    tap.ok(len(busy["not_concluded"]) > 20, "but says what it did not conclude", busy["not_concluded"][:3])
    tap.ok(not any(f["contradicts"] for f in busy["facts"]) and "contradict" not in shown, "and denies nothing")


def main():
    tap, bench = Tap(), Bench(sys.argv[1], sys.argv[2])
    machine = Machine(bench, sys.argv[3])
    stopped(tap, bench)
    neighbours(tap, bench, machine)
    repeats(tap, bench, machine)
    resumed(tap, bench, machine)
    waits(tap, bench, machine)
    tuning(tap, bench, machine)
    interrupted(tap, bench, machine)
    concludes(tap, bench)
    tap.done()


if __name__ == "__main__":
    main()
