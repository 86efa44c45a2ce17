# SPDX-License-Identifier: MIT
"""The thesis's campaign in its smallest form: one command measures and writes tables, facts and figures."""
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
    tap.done()


if __name__ == "__main__":
    main()
