# SPDX-License-Identifier: MIT
"""Simulated machines: every description runs, lies stand, seeds replay, bad files are refused with their place."""
import glob
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from e2e import Bench, Tap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MACHINES = os.path.join(ROOT, "machines")
SHORT = ["--quick", "--launches", "1", "--samples", "2", "--seed", "1", "--budget", "1h", "-q"]
SAMPLES = """SELECT point.text, visit.id, sample.seq, sample.iters, sample.elapsed_ns, sample.labels, sample.steal_ns,
 sample.switches, sample.t1_ns - sample.t0_ns FROM sample JOIN visit ON visit.id = sample.visit
 JOIN point ON point.id = visit.point ORDER BY visit.id, sample.seq"""


def described(word):
    return os.path.join(MACHINES, word + ".machine")


def simulate(bench, word, *args, **kwargs):
    return bench.run("--machine", described(word), *args, env=bench.real_env, **kwargs)


def cell(bench, db, name, metric, **axes):
    """The median of the only result of a bench with these values."""
    found = [r for r in bench.results(db, name) if all(r["point"].get(k) == v for k, v in axes.items())]
    assert len(found) == 1, (name, axes, len(found))
    return found[0]["metrics"][metric]["median"]


def every_description(tap, bench):
    words = sorted(os.path.basename(f)[:-len(".machine")] for f in glob.glob(described("*")))
    tap.ok(len(words) >= 20, "there are at least 20 descriptions", words)
    for word in words:
        db = word + ".db"
        done = simulate(bench, word, "run", *SHORT, "-o", db)
        if not tap.ok(done.returncode == 0, f"{word}: run --quick completes", done.stderr):
            continue
        bad = bench.query(db, "SELECT kind, reason FROM failure WHERE kind <> 'skip'")
        stamp = bench.query(db, "SELECT synthetic FROM run")
        name = bench.query(db, "SELECT value FROM setting WHERE key = 'simulated.machine'")
        tap.ok(not bad and stamp == [(1,)] and len(name) == 1,
               f"{word}: nothing failed, stamped synthetic, with its name", (bad, stamp, name))


# Which units an instruction uses, sizes inside of a core, matrix units, ways from device to device and
# devices of ranks stand in no description.
NOT_DESCRIBED = {"meter.stability", "cpu.ports", "cpu.mix", "cpu.chain", "cpu.loop", "cpu.dot", "cpu.window", "cpu.fetch", "cpu.forward", "cpu.branch",
                 "cpu.idiom", "cpu.operand", "cpu.target", "ocl.dot", "ocl.peer", "mpi.device"}


def every_bench(tap, bench):
    listed = simulate(bench, "xeon-guest-16-h200", "list", "--format", "json")
    names = {b["name"] for b in json.loads(listed.stdout)["benches"]} - NOT_DESCRIBED
    done = simulate(bench, "xeon-guest-16-h200", "run", "*.*", *SHORT, "-o", "all.db")
    answered = {r["bench"] for r in bench.results("all.db") if r["state"] == "ok"} if done.returncode == 0 else set()
    missing = sorted(n for n in names if "." in n and n not in answered)
    tap.ok(done.returncode == 0 and not missing, "every bench of every worker is answered",
           (done.stderr[-500:], missing))


def lies(tap, bench):
    word = "guest-16-lying-l3"
    done = simulate(bench, word, "run", "mem.latency", *SHORT, "-p", "size=8M,256M", "-p", "pattern=random", "-o", "lie.db")
    stated = bench.query("lie.db", "SELECT value FROM machine WHERE key = 'l3_bytes'")
    tap.ok(done.returncode == 0 and stated == [(str(300 << 20),)], "the system states 300 MiB of L3", stated)
    inside, beyond = (cell(bench, "lie.db", "mem.latency", "latency", size=s << 20) for s in (8, 256))
    tap.ok(beyond > 2.5 * inside, "and a set of 256 MiB takes memory's time", (inside, beyond))
    fourth = bench.query("broadwell-edram.db", "SELECT value FROM machine WHERE key = 'l4_bytes'")
    tap.ok(fourth == [(str(128 << 20),)], "where there is a fourth level its size is a statement, too", fourth)


def boasts(tap, bench):
    """A clock, cores and channels that are not there: shares of the claims tell, and cores are counted."""
    done = simulate(bench, "guest-4-boasting", "run", "cpu.flops", "mem.bandwidth", "mem.latency", "--quick", "--seed", "3", "-q", "-o",
                    "boast.db")
    told = bench.run("model", "boast.db", "--format", "json")
    facts = json.loads(told.stdout)["facts"] if done.returncode == 0 and told.returncode == 0 else []
    shares = {f["labels"]["of"]: f["value"] for f in facts if f["family"] == "claims" and f["name"] == "share"
              and "level" not in f["labels"]}
    count = [f for f in facts if f["family"] == "core" and f["name"] == "count"]
    tap.ok(abs(shares.get("clock", 0) - 3 / 4.5) < 0.03, "3 GHz of the 4.5 that are stated", (shares, done.stderr))
    tap.ok(abs(shares.get("cores", 0) - 0.5) < 0.05 and count[0]["contradicts"], "two cores of the four", (shares, count))
    tap.ok(abs(shares.get("memory_bandwidth", 0) - 40 / 307.2) < 0.02, "40 of 307 GB/s", shares)


def seeds(tap, bench):
    rows = []
    for db, seed in (("s1.db", "5"), ("s2.db", "5"), ("s3.db", "6")):
        done = simulate(bench, "zen4-guest-2-stolen", "run", "mem.latency", "omp.sync", "cpu.flops", "--quick",
                        "--budget", "1h", "--launches", "2", "--seed", seed, "-q", "-o", db)
        assert done.returncode == 0, done.stderr
        values = bench.query(db, "SELECT value FROM value ORDER BY visit, metric, seq")
        lengths = bench.query(db, "SELECT ended_ns - started_ns FROM launch WHERE id > 1 ORDER BY id")
        rows.append((bench.query(db, SAMPLES), values, lengths))
    tap.ok(len(rows[0][0]) > 50 and rows[0][:2] == rows[1][:2], "the same seed gives identical samples")
    tap.ok(rows[0][2] == rows[1][2], "and launches of the same length: time is the machine's, not ours",
           (rows[0][2][:5], rows[1][2][:5]))
    tap.ok(rows[0] != rows[2], "another seed gives others")
    tap.ok(all(r[4] == r[8] for r in rows[0][0]), "elapsed time is what the stamps say")


def together(tap, bench):
    """One process answers for many points, each with its own share of a cache; with a neighbour for one."""
    words = ["run", "mem.latency", "--launches", "6", "--samples", "2", "--seed", "1", "-q", "-p", "size=12M,13M", "-p", "pattern=random"]
    counts = {}
    for word in ("xeon-guest-16-h200", "zen4-guest-2-stolen"):
        simulate(bench, word, *words, "-o", f"together-{word}.db")
        counts[word] = bench.query(f"together-{word}.db", "SELECT count(*), count(DISTINCT launch) FROM visit JOIN point ON point.id = visit.point"
                                                 " WHERE bench = (SELECT id FROM bench WHERE name = 'mem.latency')")[0]
    tap.ok(counts["xeon-guest-16-h200"][0] == 2 * counts["xeon-guest-16-h200"][1] > 0, "two points share a launch", counts)
    tap.ok(counts["zen4-guest-2-stolen"][0] == counts["zen4-guest-2-stolen"][1] > 0, "beside a neighbour none does", counts)
    times = [[e / i for p, v, s, i, e, *_ in bench.query("together-xeon-guest-16-h200.db", SAMPLES) if f"size={b << 20}" in p and s == 0]
             for b in (12, 13)]
    pairs = sum((a > sorted(times[0])[len(times[0]) // 2]) == (b > sorted(times[1])[len(times[1]) // 2]) for a, b in zip(*times))
    tap.ok(len(times[0]) == 6 and pairs < 6, "but not what it draws", (pairs, times))


def disturbed(tap, bench):
    for word, labels in (("zen4-guest-2-crowded", 2), ("zen4-guest-2-silent", 0)):
        done = simulate(bench, word, "run", "cpu.flops", "--quick", "--budget", "1h", "--seed", "3", "-q", "-o", word + "-d.db")
        got = {r[5] for r in bench.query(word + "-d.db", SAMPLES)}
        tap.ok(done.returncode == 0 and any(g & 2 for g in got) == bool(labels),
               f"{word}: samples carry {'labels' if labels else 'no label'}", got)
    done = simulate(bench, "zen4-guest-2-crowded", "doctor")
    tap.ok("load" in done.stdout and "synthetic" in done.stdout + done.stderr, "doctor reads the machine's load", done.stdout)


def budget(tap, bench):
    """A budget is counted in the simulated machine's time, which passes without anybody waiting."""
    done = simulate(bench, "visionfive-2", "run", "app.gemm", "mem.latency", "-p", "n=1024", "--launches", "20", "--budget",
                    "60s", "--seed", "1", "-q", "-o", "b.db")
    spent = bench.query("b.db", """SELECT sum(elapsed_ns) * 1e-9,
        (SELECT count(*) FROM point WHERE stop_reason = 'budget') FROM sample""")[0]
    tap.ok(done.returncode in (0, 4) and spent[1] > 0 and spent[0] < 60, "a slow board's minute ends its run",
           (done.returncode, done.stderr, spent))


HOSTILE = [
    (b"[machine]\nnaem x\n", ["bad:2", "naem", "name"]),
    (b"[machine]\nname x\nvendor v\nmodel m\npackages 9999999999999999999999\n", ["bad:5", "packages"]),
    (b"[cahce L1]\n", ["bad:1", "cahce", "cache"]),
    (b"\0\0\0\0", ["bad:1"]),
    (b"[machine]\n" + b"x" * 5000, ["bad:2", "5000"]),
    (b"# nothing\n", ["bad:1", "name"]),
    (b"a" * 300000, ["bad"]),
    ("[machine]\nname \u202e\x1b[2J\n".encode(), ["bad:2"]),
]


def refused(tap, bench):
    for text, words in HOSTILE:
        with open(bench.path("bad"), "wb") as f:
            f.write(text)
        done = bench.run("--machine", "bad", "run", "null", "-o", "no.db", env=bench.real_env)
        tap.ok(done.returncode == 2 and all(w in done.stderr for w in words) and not os.path.exists(bench.path("no.db")),
               f"refused with exit code 2: {text[:30]!r}", (done.returncode, done.stderr))
    for args in (["/no/such/file", "list"], [bench.dir, "list"], ["/dev/null", "doctor"],
                 [described("a64fx"), "doctor", "--fsroot", "/"], [described("a64fx"), "energy", "--", "true"]):
        done = bench.run("--machine", *args, env=bench.real_env)
        tap.ok(done.returncode == 2 and done.stderr, f"refused: --machine {' '.join(args)[-30:]}", done.stderr)


def resumed(tap, bench):
    """Interrupted and taken up again without naming the machine: the run knows it."""
    child = subprocess.Popen([bench.archmeter, "--machine", described("zen4-guest-2-stolen"), "run", "mem.latency", "-q", "--budget", "1h",
                              "-p", "size=4K:256M:*2", "--launches", "3", "--seed", "1", "-o", "r.db"], cwd=bench.dir, env=bench.real_env, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    while child.poll() is None:
        try:
            if bench.query("r.db", "SELECT count(*) FROM launch")[0][0] > 5:
                break
        except Exception:
            pass
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    child.wait()
    done = bench.run("resume", "r.db", "-q", env=bench.real_env)
    state = bench.query("r.db", "SELECT state FROM run")
    tap.ok(done.returncode == 0 and state == [("done",)], "an interrupted run goes on with the same machine",
           (done.stderr, state))
    before = bench.query("r.db", SAMPLES)
    bench.run("run", "null", "--quick", "--launches", "1", "-q", "-o", "real.db", env=bench.real_env)
    for db, word in (("r.db", "a64fx"), ("real.db", "zen4-guest-2-stolen")):
        done = simulate(bench, word, "resume", db, "--launches", "5", "-q")
        tap.ok(done.returncode == 3 and f"{db}: was measured on another machine" in done.stderr, f"{db} gets no launches of {word}", done.stderr)
    tap.ok(bench.query("r.db", SAMPLES) == before and bench.query("real.db", "SELECT count(*) FROM launch") == [(1,)],
           "and stays as it is")


def more_launches(tap, bench):
    """Points that a budget or their precision ended get as many launches as are asked for."""
    size = ["mem.latency", "--seed", "1", "-q", "-p"]
    simulate(bench, "ryzen-9950x", "run", *size, "size=4K:256M:*2", "--launches", "4", "--budget", "1s", "-o", "short.db")
    simulate(bench, "ryzen-9950x", "run", *size, "size=16K", "--launches", "3:8", "--target", "50%", "-o", "near.db")
    for db, reason, asked in (("short.db", "budget", 4), ("near.db", "target", 12)):
        before = bench.query(db, "SELECT DISTINCT stop_reason FROM point")
        done = bench.run("resume", db, "--launches", str(asked), "-q", env=bench.real_env)
        counts = bench.query(db, "SELECT DISTINCT count(visit.id) FROM point LEFT JOIN visit ON visit.point = point.id GROUP BY point.id")
        tap.ok(before == [(reason,)] and done.returncode == 0 and counts == [(asked,)],
               f"what ended by its {reason} gets {asked} launches", (before, counts, done.stderr))


def documented(tap, bench):
    simulator = os.path.join(os.path.dirname(bench.archmeter), "archmeter-worker-sim")
    keys = subprocess.run([simulator, "--keys"], stdout=subprocess.PIPE, text=True, check=True).stdout
    with open(os.path.join(ROOT, "doc", "guide", "machines.md"), encoding="utf-8") as f:
        page = f.read()
    tap.ok(keys.strip() in page, "doc/guide/machines.md has the parser's table", "archmeter-worker-sim --keys")
    missing = [w for w in glob.glob(described("*")) if os.path.basename(w)[:-len(".machine")] not in page]
    tap.ok(not missing, "and names every description", missing)


def check(tap, bench):
    every_description(tap, bench)
    every_bench(tap, bench)
    lies(tap, bench)
    boasts(tap, bench)
    seeds(tap, bench)
    together(tap, bench)
    disturbed(tap, bench)
    budget(tap, bench)
    refused(tap, bench)
    resumed(tap, bench)
    more_launches(tap, bench)
    documented(tap, bench)


def main():
    if os.access("/dev/shm", os.W_OK):
        tempfile.tempdir = "/dev/shm"  # thousands of small files
    tap, bench = Tap(), Bench(sys.argv[1], sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="am-e2e-") as scratch:
        bench.real_env["TMPDIR"] = scratch
        check(tap, bench)
        tap.ok(os.listdir(scratch) == [], "no machine's folder is left behind", os.listdir(scratch))
    tap.done()


if __name__ == "__main__":
    main()
