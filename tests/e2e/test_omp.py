# SPDX-License-Identifier: MIT
"""The OpenMP workers on this machine: what a launch attests, and that another library is found out."""
import json
import os
import re
import shutil
import subprocess
import sys

from e2e import Bench, Tap

# Seven regions of two threads at one place: three barriers and one behind `single` each, five entries per thread, and a
# loop of ten chunks; then one region inside of another.
COUNTED = r"""
#include <omp.h>
#include <stdio.h>
static int sum, added;
static void work(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        sum++;
        for (int i = 0; i < 3; i++) {
#pragma omp barrier
        }
        for (int i = 0; i < 5; i++) {
#pragma omp critical
            sum++;
        }
#pragma omp for schedule(dynamic, 1) nowait
        for (int i = 0; i < 10; i++) {
#pragma omp atomic
            added += i;
        }
    }
}
int main(void)
{
    for (int i = 0; i < 7; i++)
        work();
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(1)
    {
#pragma omp parallel num_threads(2)
#pragma omp atomic
        added++;
    }
    printf("%d %d\n", sum, added);
    return sum == 7 * (10 + 1) && added == 7 * 45 + 2 ? 0 : 1;
}
"""

# The same work in a library that is loaded for one user alone, as modules of interpreters are.
LOADER = r"""
#include <dlfcn.h>
int main(void)
{
    void *const library = dlopen("./counted.so", RTLD_NOW | RTLD_LOCAL);
    int (*const run)(void) = library ? (int (*)(void))dlsym(library, "main") : 0;
    return run ? run() : 1;
}
"""

FEW = ("--quick", "--launches", "2", "--samples", "1", "--min-batch", "100us")


def runtimes_of(bench):
    listing = json.loads(bench.run("list", "omp.sync", "--format", "json", env=bench.real_env).stdout)
    axes = {a["name"]: a for b in listing["benches"] for a in b["axes"]}
    return [c["name"] for c in axes["runtime"]["choices"]] if axes else []


def notes_of(bench, db):
    """{runtime of the point: {key: text}} of any one visit."""
    notes = {}
    for point, key, text in bench.query(db, "SELECT point, key, value FROM notes UNION ALL "
                                            "SELECT point, name, value FROM choices"):
        runtime = re.search(r"runtime=(\S+)", point)  # none of what is measured beside
        notes.setdefault(runtime[1] if runtime else None, {})[key] = text
    return notes


def check_notes(tap, bench, runtimes):
    run = bench.run("run", "omp.sync", "-p", "construct=barrier,critical", "-p", "threads=1",
                    "-p", "binding=close,none", *FEW, "-o", "a.db", env=bench.real_env)
    results = bench.results("a.db", "omp.sync")
    tap.ok(run.returncode == 0 and all(r["state"] == "ok" for r in results)
           and len(results) == 4 * len(runtimes), "both bindings are measured on every runtime",
           run.stderr + str(results))
    tap.ok(all(r["metrics"]["overhead"]["unit"] == "s" and "overhead_cycles" in r["metrics"]
               for r in results), "with overheads in seconds and cycles", results)
    notes = notes_of(bench, "a.db")
    for runtime in runtimes:
        said = notes.get(runtime, {})
        tap.ok(said.get("runtime") == runtime and said.get("threads") == "1"
               and said.get("openmp", "").isdigit() and said.get("cpus"),
               f"{runtime}: library, team, version and CPUs are stored", said)
        tap.ok(os.path.isfile(said.get("library", "")) and re.fullmatch("[0-9a-f]{16,}", said.get("library_build_id", ""))
               and re.search("GOMP_|LLVM", said.get("library_version", "")),
               f"{runtime}: file, build id and version of the library are its own", said)
    stored = {row[0] for row in bench.query("a.db", "SELECT DISTINCT environment FROM launch WHERE environment NOT NULL")}
    tap.ok(any("OMP_PROC_BIND=false" in s and "-OMP_WAIT_POLICY" in s for s in stored)
           and any("OMP_PROC_BIND=close" in s for s in stored), "and the environment", stored)


def check_skips(tap, bench, runtimes):
    bench.run("run", "omp.sched", "-p", "schedule=auto,static", "-p", "chunk=1", "-p", "threads=1", *FEW,
              "-o", "b.db", env=bench.real_env)
    states = {(r["point"]["runtime"], r["point"]["schedule"]): r for r in bench.results("b.db", "omp.sched")}
    for runtime in runtimes:
        auto = states[runtime, "auto"]
        tap.ok(auto["state"] == "skip" and "takes no chunk" in auto["reason"]
               and states[runtime, "static"]["state"] == "ok",
               f"{runtime}: what OpenMP does not have is a skip with its reason", auto)


def check_shared_axis(tap, bench):
    """Two benches have an axis of one name with other values: each takes its own."""
    args = ("--quick", "-p", "threads=1", "-p", "runtime=all", "--format", "json")
    both = bench.run("plan", "omp.sync", "omp.task", *args, "-p", "construct=barrier,task_inline", env=bench.real_env)
    one = bench.run("plan", "omp.sync", "omp.task", *args, "-p", "construct=barrier", env=bench.real_env)
    none = bench.run("plan", "omp.sync", "omp.task", *args, "-p", "construct=barrier,task_inlin", env=bench.real_env)
    named = {(p["bench"], p["point"].get("construct")) for p in json.loads(both.stdout or "{}").get("points", [])}
    tap.ok({("omp.sync", "barrier"), ("omp.task", "task_inline")} <= named and both.returncode == 0,
           "benches with an axis of one name take the values they know", both.stdout + both.stderr)
    tap.ok(one.returncode == 0 and "omp.task is left out" in one.stderr and '"omp.task"' not in one.stdout,
           "a bench of which no value was named is left out", one.stderr)
    tap.ok(none.returncode == 2 and "task_inlin" in none.stderr, "a value that none knows is refused", none.stderr)


def library_of(worker):
    """Where the OpenMP library of a worker lies."""
    told = subprocess.run(["ldd", worker], capture_output=True, text=True, check=False).stdout
    found = re.search(r"lib[gi]?omp\S* => (\S+)", told)
    return found[1] if found else None


def check_liar(tap, bench):
    """Two libraries in one process are no runtime that could be named."""
    sentence = "a worker with another OpenMP library beside its own is found out"
    folder = os.path.dirname(bench.archmeter)
    other = os.path.join(folder, "archmeter-worker-omp-clang")
    library = library_of(other) if os.path.exists(other) else None
    if not library or not os.path.exists(os.path.join(folder, "archmeter-worker-omp-gcc")):
        tap.skip(sentence, "needs libgomp and libomp")
        return
    bench.run("run", "omp.sync", "-p", "runtime=libgomp", "-p", "construct=barrier", "-p", "threads=1",
              *FEW, "-o", "c.db", env=dict(bench.real_env, LD_PRELOAD=library))
    results = bench.results("c.db", "omp.sync")
    tap.ok(len(results) == 1 and results[0]["state"] == "fail"
           and re.search("two OpenMP libraries|asked for was libgomp", results[0]["reason"]),
           sentence, results)


def check_renamed(tap, bench):
    """A libomp under the name of libgomp serves gcc's code, and is not libgomp."""
    sentence = "a libomp that is called libgomp is found out"
    folder = os.path.dirname(bench.archmeter)
    library = library_of(os.path.join(folder, "archmeter-worker-omp-clang"))
    if not library or not os.path.exists(os.path.join(folder, "archmeter-worker-omp-gcc")):
        tap.skip(sentence, "needs libgomp and libomp")
        return
    named = os.path.join(bench.dir, "named")
    os.mkdir(named)
    shutil.copy(library, os.path.join(named, "libgomp.so.1"))
    done = bench.run("run", "omp.sync", "-p", "runtime=libgomp", "-p", "construct=barrier", "-p", "threads=1",
                     *FEW, "-o", "d.db", env=dict(bench.real_env, LD_LIBRARY_PATH=named))
    if done.returncode == 2:  # an older libomp lacks a function of the worker's: the loader finds it out
        tap.ok("omp-gcc is not available" in done.stderr and "libgomp.so.1" in done.stderr, sentence, done.stderr)
        return
    results = bench.results("d.db", "omp.sync")
    tap.ok(len(results) == 1 and results[0]["state"] == "fail"
           and re.search("which is libomp|asked for was libgomp", results[0]["reason"]), sentence, results)


def check_added(tap, bench):
    """A runtime of the user's own: gcc's code, on libomp where that is here."""
    folder = os.path.dirname(bench.archmeter)
    worker = os.path.join(folder, "archmeter-worker-omp-clang")
    library = library_of(worker) if os.path.exists(worker) else None
    env = dict(bench.real_env, XDG_DATA_HOME=os.path.join(bench.dir, "data"))
    env.pop("ARCHMETER_RUNTIMES", None)
    compiler = next((c for c in ("gcc", "clang", "cc") if shutil.which(c)), "cc")
    added = bench.run("runtime", "add", "mine", "--cc", compiler, "--flags", "-O0 -w", "--format", "json",
                      *(["--library", library] if library else []), env=env)
    row = json.loads(added.stdout)["rows"][0] if added.returncode == 0 else {}
    tap.ok(row.get("kind") == ("libomp" if library or compiler == "clang" else "libgomp") and os.path.isfile(row["library"])
           and row["version"] and re.fullmatch("[0-9a-f]{16,}", row["build_id"]),
           "a runtime is added with file, build id and version of its library", added.stdout + added.stderr)
    bench.run("run", "omp.sync", "-p", "runtime=mine", "-p", "construct=barrier", "-p", "threads=1", *FEW,
              "-o", "e.db", env=env)
    results = bench.results("e.db", "omp.sync")
    tap.ok([r["state"] for r in results] == ["ok"] and notes_of(bench, "e.db")["mine"]["library"] == row.get("library"),
           "and is measured like those of the build, on that library", results)
    described = os.path.join(bench.dir, "data", "archmeter", "runtimes", "mine.runtime")
    with open(described, encoding="utf-8") as f:
        text = f.read()
    with open(described, "w", encoding="utf-8") as f:
        f.write(text.replace(row.get("build_id", "?"), "0" * 40))
    bench.run("run", "omp.sync", "-p", "runtime=mine", "-p", "construct=barrier", "-p", "threads=1", *FEW,
              "-o", "f.db", env=env)
    listed = bench.run("runtime", "list", env=env).stdout
    tap.ok([r["state"] for r in bench.results("f.db", "omp.sync")] == ["fail"] and "another one now" in listed,
           "another library than that of the promise fails the points, and is listed", listed)
    gone = bench.run("runtime", "remove", "mine", env=env)
    again = bench.run("runtime", "remove", "mine", env=env)
    taken = bench.run("runtime", "add", "libgomp", env=env)
    tap.ok(gone.returncode == 0 and again.returncode == 2 and taken.returncode == 2
           and not os.listdir(os.path.dirname(described)), "it is removed once, and names of the build are taken",
           again.stderr + taken.stderr)


def check_counts(tap, bench, compiler, family, chunks, tool="enabled"):
    """Directives of a program whose number is known; with OMP_TOOL=disabled no runtime calls back."""
    with open(bench.path("counted.c"), "w", encoding="ascii") as f:
        f.write(COUNTED)
    subprocess.run([compiler, "-O1", "-fopenmp", "-o", bench.path("counted"), bench.path("counted.c")], check=True)
    done = bench.run("omp", "cost", "--launches", "2", "--on", "a.db", "-o", f"{family}-{tool}.db", "--format", "json",
                     "--", "./counted", env=dict(bench.real_env, OMP_TOOL=tool))
    told = json.loads(done.stdout)["omp_cost"] if done.returncode == 0 else {"constructs": []}
    calls = {}
    for row in told["constructs"]:
        kind = row["construct"] if row["gap_us"] >= 0 else "first"
        calls[kind] = calls.get(kind, 0) + row["calls"]
    want = {"first": 1, "region": 7, "nested": 1, "barrier": 2 * 7 * 4, "critical": 2 * 7 * 5, "chunk": 7 * chunks,
            "single": 2 * 7}
    tap.ok(calls == want and {row["family"] for row in told["constructs"]} == {family},
           f"the directives of a program that {os.path.basename(compiler)} compiled are counted, tools {tool}", (calls, want, done.stderr))
    tap.ok(told.get("alone_s", {}).get("value", 0) > 0 and all("+0x" in row["place"] for row in told["constructs"]),
           "each has its place, and the program was measured without counting too", told)


def check_plugin(tap, bench, compiler):
    with open(bench.path("loader.c"), "w", encoding="ascii") as f:
        f.write(LOADER)
    subprocess.run([compiler, "-O1", "-fopenmp", "-shared", "-fPIC", "-o", bench.path("counted.so"), bench.path("counted.c")], check=True)
    subprocess.run([compiler, "-O1", "-o", bench.path("loader"), bench.path("loader.c"), "-ldl"], check=True)
    done = bench.run("omp", "cost", "--launches", "1", "--on", "a.db", "-o", f"p-{os.path.basename(compiler)}.db", "--format", "json", "--", "./loader", env=bench.real_env)
    rows = json.loads(done.stdout)["omp_cost"]["constructs"] if done.returncode == 0 else []
    tap.ok(sum(r["calls"] for r in rows if r["construct"] == "critical") == 70 and all(r["place"].startswith("counted.so") for r in rows),
           "so are those of a library that nobody else sees", done.stderr)


def check_cost(tap, bench, runtimes):
    for compiler, runtime, family, chunks in (("gcc", "libgomp", "gomp", 10), ("clang", "libomp", "kmp", 12)):
        if runtime in runtimes and shutil.which(compiler):
            check_counts(tap, bench, shutil.which(compiler), family, chunks)
            if family == "kmp":
                check_counts(tap, bench, shutil.which(compiler), family, chunks, "disabled")
            check_plugin(tap, bench, shutil.which(compiler))
    without = bench.run("omp", "cost", "-o", "w.db", "--", "true", env=bench.real_env)
    tap.ok(without.returncode == 3 and "no OpenMP" in without.stderr and not os.path.exists(bench.path("w.db")),
           "a program without directives is told", without.stderr)
    wrong = bench.run("omp", "tune", "true", env=bench.real_env)
    tap.ok(wrong.returncode == 2 and "cost" in wrong.stderr, "and so is another word", wrong.stderr)


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    runtimes = runtimes_of(bench)
    if not runtimes:
        tap.skip("the OpenMP workers", "none was built")
        tap.done()
    check_notes(tap, bench, runtimes)
    check_skips(tap, bench, runtimes)
    check_shared_axis(tap, bench)
    check_cost(tap, bench, runtimes)
    if "address" in subprocess.run(["ldd", bench.archmeter], capture_output=True, text=True,
                                   check=False).stdout + os.environ.get("ASAN_OPTIONS", ""):
        tap.skip("another library", "a sanitizer wants to be the first one preloaded")
    else:
        check_liar(tap, bench)
        check_renamed(tap, bench)
        check_added(tap, bench)
    tap.done()


if __name__ == "__main__":
    main()
