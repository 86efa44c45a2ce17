# SPDX-License-Identifier: MIT
"""Places of threads on simulated machines: facts per kind of core, SMT, caches of all threads, drawn pairs, skips."""
import json
import os
import sys
import tempfile

from e2e import Bench, Tap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHORT = ["--launches", "5", "--samples", "3", "--seed", "11", "-q"]

# Two packages of 12 cores; groups of four share a cache that the kernel does not list.
HIDDEN = """[machine]
name hidden groups
vendor v
model m
packages 2
[kind k]
cores 12
smt 1
one_ghz 3
all_ghz 3
isa scalar 64 2 3 3
[cache L1]
level 1
size 32K
cycles 4
bytes_per_cycle 64
[cache group]
level 2
size 2M
share 4
cycles 14
bytes_per_cycle 32
hidden yes
[cache L3]
level 3
size 32M
share package
cycles 50
bytes_per_cycle 16
[memory]
size 16G
latency_ns 100
core_gbs 10
node_gbs 60
far_ns 80
far_gbs 40
[coherence]
cluster_ns 20
package_ns 80
far_ns 200
[noise]
sample 0.003
launch 0.004
"""


def described(word):
    return os.path.join(ROOT, "machines", word + ".machine")


def simulate(bench, machine, *args):
    return bench.run("--machine", machine, *args, env=bench.real_env)


def facts_of(bench, db):
    """id -> fact, as `model --format json` tells them."""
    out = bench.run("model", db, "--format", "json")
    return {f["id"]: f for f in json.loads(out.stdout)["facts"]}


def near(tap, facts, name, want, tolerance=0.03):
    got = facts.get(name, {}).get("value")
    tap.ok(got is not None and abs(got / want - 1) < tolerance, f"{name} is {want:g}", got)


def kinds(tap, bench):
    done = simulate(bench, described("core-i9-13900k"), "run", "cpu.flops", "-p", "op=fma", "-p", "type=f64", "-p",
                    "isa=avx2", "-p", "streams=12", *SHORT, "-o", "kinds.db")
    tap.ok(done.returncode == 0, "a hybrid processor is measured kind by kind", done.stderr)
    facts = facts_of(bench, "kinds.db")
    near(tap, facts, "core.flops_per_cycle{type=f64,isa=avx2,on=kind:P}", 16)
    near(tap, facts, "core.flops_per_cycle{type=f64,isa=avx2,on=kind:E}", 8)
    near(tap, facts, "core.clock{on=kind:E}", 4.3e9, 0.05)
    near(tap, facts, "core.count{on=kind:P}", 8)
    near(tap, facts, "core.count{on=kind:E}", 16)
    near(tap, facts, "core.clock_ratio{type=f64,isa=avx2,threads=32}", 5.2 / 4.3)
    tap.ok("core.count" not in facts, "cores of two kinds are not counted by one number", facts.get("core.count"))
    text = bench.run("model", "kinds.db").stdout
    tap.ok("Count on the arithmetic" not in text, "and nobody is accused of taking them", text)


def threads_of_a_core(tap, bench):
    done = simulate(bench, described("xeon-phi-5110p"), "run", "cpu.flops", "-p", "op=fma", "-p", "type=f64", "-p",
                    "isa=best", "-p", "streams=1", *SHORT, "-o", "phi.db")
    threads = {r["point"]["threads"] for r in bench.results("phi.db", "cpu.flops")
               if r["point"]["on"] == "smt4" and r["state"] == "ok"}
    tap.ok(done.returncode == 0 and 240 in threads and 4 in threads, "four threads per core, on one core and on all",
           (done.stderr, threads))
    near(tap, facts_of(bench, "phi.db"), "core.smt_gain{type=f64,isa=avx512,threads=4,work=chain}", 4)


def caches(tap, bench):
    done = simulate(bench, described("epyc-7763-2"), "run", "mem.bandwidth", "-p", "kernel=read", "-p", "nt=0", *SHORT,
                    "-o", "caches.db")
    facts = facts_of(bench, "caches.db")
    tap.ok(done.returncode == 0, "bandwidth of 256 threads in all caches", done.stderr)
    for level, per_cycle in (("l1d", 64), ("l2", 32), ("l3", 20)):
        near(tap, facts, f"memory.bandwidth{{level={level},kernel=read,threads=256}}", 128 * per_cycle * 2.8e9, 0.06)
    near(tap, facts, "memory.bandwidth{level=memory,kernel=read,threads=256}", 320e9, 0.05)


def skips(tap, bench):
    done = simulate(bench, described("epyc-7763-2"), "run", "cpu.flops", "--quick", "-p", "on=kind:E,l2,l3,smt4", "-p",
                    "threads=1,17", *SHORT, "-o", "skips.db")
    tap.ok(done.returncode == 2 and "kind:E" in done.stderr, "a kind that is not there is no value", done.stderr)
    done = simulate(bench, described("epyc-7763-2"), "run", "cpu.flops", "--quick", "-p", "on=l2,l3,smt4", "-p",
                    "threads=1,17", *SHORT, "-o", "skips2.db")
    told = {row[0] for row in bench.query("skips2.db", "SELECT reason FROM failure WHERE kind = 'skip'")}
    want = {"l2: no L2 is shared by several cores", "17 threads on the 16 CPUs of l3",
            "smt4: cores have at most 2 hardware threads here"}
    tap.ok(done.returncode == 0 and told == want, "places that are not there are skips with reasons", (done.stderr, told))


def pairs(tap, bench):
    with open(bench.path("hidden.machine"), "w", encoding="ascii") as f:
        f.write(HIDDEN)
    base = ["run", "mem.pingpong", "-p", "method=cas", "--launches", "3", "--seed", "11"]
    drawn = simulate(bench, "hidden.machine", *base, "-o", "drawn.db")
    every = simulate(bench, "hidden.machine", *base, "-p", "from=first:last", "-p", "to=first:last", "-q", "-o", "all.db")
    tap.ok(drawn.returncode == 0 and every.returncode == 0, "drawn pairs and all pairs", drawn.stderr + every.stderr)
    tap.ok("drawn by relation with seed 11" in drawn.stderr and "differ; " in drawn.stderr,
           "what was drawn is told, and that more was needed", drawn.stderr)
    some, whole = facts_of(bench, "drawn.db"), facts_of(bench, "all.db")
    counts = [len([r for r in bench.results(db) if r["state"] == "ok"]) for db in ("drawn.db", "all.db")]
    tap.ok(counts[0] < counts[1] / 2, "fewer than half of the pairs were measured", counts)
    tap.ok(set(some) == set(whole), "both conclude the same facts", set(some) ^ set(whole))
    for name in sorted(whole):
        near(tap, some, name, whole[name]["value"], 0.05)
        tap.ok(some[name].get("contradicts") == whole[name].get("contradicts"), f"{name}: the same against what is stated")
    near(tap, some, "coherence.groups", 6)


def check(tap, bench):
    kinds(tap, bench)
    threads_of_a_core(tap, bench)
    caches(tap, bench)
    skips(tap, bench)
    pairs(tap, bench)


def main():
    if os.access("/dev/shm", os.W_OK):
        tempfile.tempdir = "/dev/shm"
    tap, bench = Tap(), Bench(sys.argv[1], sys.argv[2])
    check(tap, bench)
    tap.done()


if __name__ == "__main__":
    main()
