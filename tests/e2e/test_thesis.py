# SPDX-License-Identifier: MIT
"""The thesis's campaign in its smallest form: one command measures and writes tables, facts and figures."""
import csv
import json
import os
import pathlib
import subprocess
import sys

from e2e import Bench, Tap

CAMPAIGN = pathlib.Path(__file__).resolve().parents[2] / "experiments" / "thesis"
FEW = ["--quick", "--launches", "3", "--samples", "2", "-q"]

# File, words that it must have.
WRITTEN = (
    ("table-b1.md", ["| task size |", "| scalar | 64 |", "| scalar | 16384 |"]),
    ("table-b1.tex", ["scalar & 64 &"]),
    ("table-overhead.md", ["| task:dbf | own | 1 | chain | 1024 |"]),
    ("thesis.html", ["Speed over the size of tasks, predicted and observed"]),
    ("figure-task-model.svg", ["task:dbf, n = 8192, 1 thread", "two terms, off by"]),
)


def run_script(bench, *args):
    env = dict(bench.real_env, ARCHMETER=bench.archmeter)
    return subprocess.run(["sh", str(CAMPAIGN / "run.sh"), *args], cwd=bench.dir, env=env, timeout=900,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def check_written(tap, bench):
    for name, words in WRITTEN:
        path = bench.path(os.path.join("out", name))
        text = pathlib.Path(path).read_text(encoding="utf-8") if os.path.exists(path) else ""
        tap.ok(all(w in text for w in words), f"{name} is written", text[:2000])
    with open(bench.path("out/facts.json"), encoding="utf-8") as f:
        told = json.load(f)
    facts = {fact["id"]: fact["value"] for fact in told["facts"]}
    residual = ("tasks.fit_residual{executor=task:dbf,isa=scalar,type=f32,nx=erf,variant=own,n=8192,"
                "runtime=own,threads=1,wait=default}")
    call, task = (f"tasks.create{{executor={e},runtime=own,threads=1}}" for e in ("serial", "task:dbf"))
    # a machine that is busy may leave evidence that concludes nothing: then that is said
    tap.ok(all(w in facts or any(r.startswith(f"{w} is not concluded") for r in told["not_concluded"])
               for w in (residual, call, task)), "the models' facts are there, or why they are not", told)
    tap.ok(facts.get(task, 1) > facts.get(call, 0), "a task costs more than a call", facts)


def check_parts(tap, bench):
    """The tables of one application ask for no column that only others have."""
    spec = bench.path("one.spec")
    for part, extra in (("gemm", "axis n 64\nexecutor serial\nvariant own\n"), ("overhead", "executor serial\nshape loop\n"
                                                                              "axis tasks 1\n")):
        test = "app.gemm" if part == "gemm" else "task.overhead"
        with open(spec, "w", encoding="ascii") as f:
            f.write(f"test {test}\nthreads 1\n{extra}run\n")
        ran = bench.run("experiment", spec, "-o", f"{part}.db", *FEW, env=bench.real_env)
        told = bench.run("table", str(CAMPAIGN / f"{part}.tab"), "--db", f"{part}.db", env=bench.real_env)
        tap.ok(ran.returncode == 0 and told.returncode == 0, f"{part}.tab serves a run of nothing else",
               ran.stderr + told.stderr)


def check_compared(tap, bench):
    between = "executor=serial,task:dbf shape=loop,chain"
    ran = bench.run("compare", "out/thesis.db", "--between", between, "task.overhead", env=bench.real_env)
    tap.ok(ran.returncode == 0 and "executor=task:dbf shape=chain" in ran.stdout and "2 compared" in ran.stdout,
           "executors compare by several axes at a time", ran.stdout + ran.stderr)


def check_plans(tap, bench):
    for name in ("thesis", "quick"):
        ran = bench.run("experiment", str(CAMPAIGN / f"{name}.spec"), "--dry-run", env=bench.real_env)
        tap.ok(ran.returncode == 0 and "app.blackscholes" in ran.stdout and "app.gemm" in ran.stdout,
               f"{name}.spec can be planned here", ran.stdout + ran.stderr)
    with open(bench.path("cross.spec"), "w", encoding="ascii") as f:
        f.write("test null\naxis n 1,2\nrun\naxis n 2,3\nrun\n")
    ran = bench.run("experiment", "cross.spec", "--dry-run", "--quick", env=bench.real_env)
    tap.ok(ran.returncode == 0 and ran.stdout.split("null")[1].split()[0] == "3",
           "sweeps that cross measure a point once", ran.stdout + ran.stderr)


# Three configurations of one size and number of threads, and one without a scalar twin, on a machine with a meter.
POWERED = '''
[machine]
name powered
vendor GenuineIntel
model Powered
features fpu tsc sse2 avx
[kind core]
cores 2
one_ghz 3
all_ghz 3
isa scalar 64 2 4 2
isa avx 256 2 4 2
[cache L1]
level 1
size 32K
cycles 4
bytes_per_cycle 64
[memory]
size 16G
latency_ns 90
core_gbs 20
node_gbs 40
[openmp]
task_ns 100
[power]
static_w 5
core_w 20
flop_pj 1
byte_pj 10
'''
ENERGY = '''test app.blackscholes
type f32
variant own
threads 1
axis n 8K
isa scalar,avx
executor task:dbf,task:bf
axis task_size 64,512
run
threads 2
isa avx
executor task:wf
axis task_size 128
run
'''


def check_energy(tap, bench):
    """Rows of the table of energy say which configuration each is, and none is lost for want of a twin."""
    for name, text in (("powered.machine", POWERED), ("energy.spec", ENERGY)):
        with open(bench.path(name), "w", encoding="ascii") as f:
            f.write(text)
    with open(CAMPAIGN / "thesis-energy.tab", encoding="utf-8") as f:
        table = f.read().replace("file energy-threads.tex", "file energy-threads.csv\nformat csv")
    with open(bench.path("energy.tab"), "w", encoding="utf-8") as f:
        f.write(table)
    ran = bench.run("--machine", "powered.machine", "experiment", "energy.spec", "--energy", "-o", "energy.db", *FEW, env=bench.real_env)
    told = bench.run("table", "energy.tab", "--db", "energy.db", env=bench.real_env)
    rows = []
    if os.path.exists(bench.path("energy-threads.csv")):
        with open(bench.path("energy-threads.csv"), encoding="utf-8", newline="") as f:
            rows = list(csv.DictReader(f))
    keys = {(r["executor"], r["isa"], r["task size"], r["NT"]) for r in rows}
    tap.ok(ran.returncode == 0 and told.returncode == 0 and len(rows) == 9 and len(keys) == 9,
           "nine configurations are nine rows that differ", (rows, ran.stderr, told.stderr))
    alone = [r for r in rows if r["executor"] == "task:wf"]
    tap.ok(len(alone) == 1 and alone[0]["J"] and not alone[0]["EDP, normalised"], "one without a scalar twin stays, without the quotient", alone)


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    ran = run_script(bench, "tiny", "out", *FEW)
    if tap.ok(ran.returncode == 0, "one command measures and writes", ran.stdout + ran.stderr):
        check_written(tap, bench)
        check_compared(tap, bench)
    ran = run_script(bench, "tiny", "out", *FEW)
    tap.ok(ran.returncode != 0, "a folder that is there already is left alone", ran.stdout)
    ran = run_script(bench, "tiny", "refused", "--no-such-option")
    tap.ok(ran.returncode == 2 and not os.path.exists(bench.path("refused")),
           "what was refused leaves no folder behind", ran.stderr)
    check_parts(tap, bench)
    ran = run_script(bench, "none", "other")
    tap.ok(ran.returncode == 2 and "usage" in ran.stderr, "another campaign is refused", ran.stderr)
    check_plans(tap, bench)
    check_energy(tap, bench)
    tap.done()


if __name__ == "__main__":
    main()
