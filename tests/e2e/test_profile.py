# SPDX-License-Identifier: MIT
"""Marked programs: regions, calls and nesting of a program whose work is known; a region that became slower; words
that reach the program unchanged; a kill and a resume; the examples in C, C++ and Fortran; what a mark is when off."""
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from e2e import Bench, Tap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = os.path.join(ROOT, "include")
STRICT = ["-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", INCLUDE]

# Turns of loops of known length: the region "work" is TIMES as long as "steady".
PLANTED = r"""
#include <archmeter/mark.h>
static void spin(long n) { for (volatile long i = 0; i < n; i++) continue; }
static void visit(int depth)
{
    am_mark_begin("visit");
    spin(1000);
    if (depth)
        visit(depth - 1);
    am_mark_end("visit");
}
int main(int argc, char **argv)
{
    FILE *const words = fopen("words", "w");
    for (int i = 1; i < argc; i++)
        fprintf(words, "[%s]\n", argv[i]);
    fclose(words);
    for (int i = 0; i < 7; i++) {
        am_mark_begin("turn");
        am_mark_begin("steady");
        spin(1000000);
        am_mark_end("steady");
        am_mark_begin("work");
        spin(1000000L * TIMES);
        am_mark_end_work("work", 1e6, 2e6, 1e6);
        am_mark_end("turn");
    }
    visit(9);
    am_mark_end("nowhere");
    return 0;
}
"""


def compiler(*names):
    return next((found for name in names if (found := shutil.which(name))), None)


def build(bench, name, text, *flags):
    source = bench.path(name + ".c")
    os.makedirs(os.path.dirname(bench.path(name)), exist_ok=True)
    with open(source, "w", encoding="ascii") as file:
        file.write(text)
    subprocess.run([compiler("cc", "gcc", "clang"), *STRICT, *flags, "-o", bench.path(name), source], check=True)


def profile(bench, db, *words, options=("--launches", "5:5")):
    return bench.run("profile", "-o", db, *options, "--", *words, env=bench.real_env)


def regions(bench, db):
    """region: {metric: median}"""
    return {r["point"]["region"]: {name: m["median"] for name, m in r["metrics"].items()} for r in bench.results(db)}


def sums(bench, db):
    """Per execution: self times of all regions, time of the outermost ones."""
    launches = {}
    for launch, region, metric, value in bench.query(db, "SELECT v.launch, p.value, m.name, x.value FROM visit v "
                                                         "JOIN param p ON p.point = v.point "
                                                         "JOIN value x ON x.visit = v.id "
                                                         "JOIN metric m ON m.id = x.metric"):
        launches.setdefault(launch, {})[region, metric] = value
    return [(sum(v for (region, metric), v in values.items() if metric == "self" and region != "(program)"),
             values["turn", "time"] + values["visit", "time"]) for values in launches.values()]


def planted(tap, bench):
    build(bench, "one/planted", PLANTED, "-DTIMES=2")
    build(bench, "two/planted", PLANTED, "-DTIMES=6")
    done = profile(bench, "one.db", "./one/planted", "a b", "{x}", "it's \"so\"", "")
    tap.ok(done.returncode == 0, "a marked program is measured", done.stdout + done.stderr)
    tap.ok("1 ends without a begin (first: nowhere)" in done.stderr, "an end without a begin is told", done.stderr)
    with open(bench.path("words"), encoding="ascii") as file:
        tap.ok(file.read() == "[a b]\n[{x}]\n[it's \"so\"]\n[]\n",
               "its words reach it unchanged")
    found = regions(bench, "one.db")
    calls = {name: values["calls"] for name, values in found.items()}
    tap.ok(calls == {"(program)": 1, "turn": 7, "steady": 7, "work": 7, "visit": 10},
           "every region with its calls", calls)
    tap.ok(found["(program)"]["time"] > found["turn"]["time"] > found["work"]["time"] > 0,
           "inner regions are part of the outer one's time", found)
    tap.ok(len(sums(bench, "one.db")) == 5 and all(abs(s - t) < 1e-6 * t for s, t in sums(bench, "one.db")),
           "self times add up to the outermost regions'", sums(bench, "one.db"))
    visits = bench.query("one.db", "SELECT count(DISTINCT launch), count(*) FROM visit WHERE state = 'ok'")
    tap.ok(visits == [(5, 25)], "five executions serve all regions", visits)
    rates = bench.query("one.db", "SELECT count(*) FROM visit WHERE flops = 7e6 AND bytes_read = 14e6 AND ops = 7")
    tap.ok(rates == [(5,)] and found["work"]["flop_rate"] > 0, "stated work is added up", rates)


def slower(tap, bench):
    """A longer try where the machine was too busy to decide, or busier while the second program ran: one turn of others on
    its CPU takes many times as long as the steady region."""
    for launches in ("8:8", "16:16", "32:32"):
        for name in ("one", "two"):
            profile(bench, f"{name}{launches}.db", f"./{name}/planted", options=("--launches", launches))
        out = bench.run("compare", f"one{launches}.db", f"two{launches}.db").stdout
        verdict = {name: next((line for line in out.splitlines() if f"region={name} " in line), "")
                   for name in ("work", "steady")}
        ratio = {name: float(re.search(r" ([0-9.]+)  +\[", line)[1]) for name, line in verdict.items()}
        if "slower" in verdict["work"] and ratio["work"] > 1.5 * ratio["steady"]:
            break
    tap.ok("slower" in verdict["work"], "a region that takes three times as long is found", out)
    tap.ok(ratio["work"] > 1.5 * ratio["steady"], "beside one that does the same, whatever else the machine did", out)


def refusals(tap, bench):
    build(bench, "plain", "int main(int argc, char **argv) { (void)argv; return argc > 1 ? 7 : 0; }\n")
    done = profile(bench, "plain.db", "./plain")
    tap.ok(done.returncode == 0 and "has no marks" in done.stderr and list(regions(bench, "plain.db")) == ["(program)"],
           "a program without marks is measured as a whole, and that is said", done.stderr)
    build(bench, "older", PLANTED, "-DTIMES=1")
    with open(os.path.join(INCLUDE, "archmeter/mark.h"), encoding="ascii") as file:
        header = file.read()
    os.makedirs(bench.path("then/archmeter"), exist_ok=True)
    with open(bench.path("then/archmeter/mark.h"), "w", encoding="ascii") as file:
        file.write(re.sub(r"#define AM_MARK_VERSION \d+", "#define AM_MARK_VERSION 1", header))
    subprocess.run([compiler("cc", "gcc", "clang"), "-O2", "-DTIMES=1", "-I", bench.path("then"), "-o", bench.path("older"),
                    bench.path("older.c")], check=True)
    done = profile(bench, "older1.db", "./older")
    tap.ok(done.returncode == 0 and "another version of archmeter/mark.h" in done.stderr and
           list(regions(bench, "older1.db")) == ["(program)"], "marks of an older version are told apart", done.stderr)
    done = profile(bench, "seven.db", "./plain", "x")
    tap.ok(done.returncode == 3 and "exit code 7" in done.stderr and not os.path.exists(bench.path("seven.db")),
           "a program that fails is told, and nothing is left", done.stderr)
    done = profile(bench, "none.db", "./nowhere")
    tap.ok(done.returncode != 0 and "nowhere" in done.stderr, "a program that is not there", done.stderr)
    done = bench.run("profile", env=bench.real_env)
    tap.ok(done.returncode == 2, "no program is a mistake", done.stderr)


def killed(tap, bench):
    child = subprocess.Popen([bench.archmeter, "profile", "-o", "killed.db", "--launches", "12:12", "--",
                              "./two/planted"], cwd=bench.dir, env=bench.real_env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(1200):
        time.sleep(0.05)
        if child.poll() is not None or (os.path.exists(bench.path("killed.db")) and
                                        bench.run("show", "killed.db").returncode == 0 and
                                        bench.query("killed.db", "SELECT count(*) FROM launch")[0][0] >= 2):
            break
    child.send_signal(signal.SIGKILL)
    child.wait()
    before = bench.query("killed.db", "SELECT count(*) FROM launch")[0][0]
    done = bench.run("resume", "killed.db", env=bench.real_env)
    visits = bench.query("killed.db", "SELECT count(*) FROM visit WHERE state = 'ok'")
    tap.ok(done.returncode == 0 and visits == [(60,)], f"killed after {before} launches, resume completes it",
           f"{visits} {done.stderr}")


def known(bench, name, key):
    """A shipped model as if it were of the machine of that key: the tests may run on the very machine it is of."""
    with open(os.path.join(ROOT, "known", name), encoding="utf-8") as file:
        model = json.load(file)
    model["machine"]["key"] = key
    path = bench.path(name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(model, file)
    return path


def explained(tap, bench):
    key = json.loads(bench.run("show", "one.db", "--format", "json").stdout)["machine"]["key"]
    here, there = known(bench, "xeon-16cpu-h200.json", key), known(bench, "zen4-2cpu.json", "0" * 16)
    alone = bench.run("explain", "one.db")
    tap.ok(alone.returncode == 0 and "give it by --on MODEL" in " ".join(alone.stdout.split()),
           "a profile has no ceilings, and that is said", alone.stdout + alone.stderr)
    done = bench.run("explain", "one.db", "--on", here, "--format", "json")
    points = {p["point"]["region"]: p for p in json.loads(done.stdout)["points"]}
    work = points["work"]
    tap.ok(work["why_not"] is None and work["bound"] > 0 and abs(work["intensity"] - 1 / 3) < 1e-9,
           "a model of the same machine bounds the region with stated work", work)
    tap.ok("none were stated" in points["steady"]["why_not"], "one without says what is missing", points["steady"])
    done = bench.run("explain", "one.db", "--on", there, "--on", here, "--format", "json")
    points = {p["point"]["region"]: p for p in json.loads(done.stdout)["predictions"]}
    tap.ok(done.returncode == 0 and points["work"]["bound"] > 0 and points["work"]["bound_here"] > 0 and
           points["work"]["limit"] and "factor" in points["work"],
           "a second model predicts, whatever their order", done.stdout + done.stderr)
    done = bench.run("explain", "one.db", "--on", there)
    tap.ok(done.returncode == 0 and "--on HERE --on THERE" in done.stderr,
           "without this machine's model nothing is expected there", done.stderr)
    done = bench.run("explain", "one.db", "--on", there, "--on", there)
    tap.ok(done.returncode == 2 and "one prediction at a time" in done.stderr, "two other machines are refused",
           done.stderr)


def stated(tap, bench):
    """An experiment that states its work, and counters of a whole program."""
    with open(bench.path("work.exp"), "w", encoding="ascii") as file:
        file.write("test planted\nexec ./one/planted\naxis n 10,20\nthreads 1\nwork 2*{n}*1e6 8*{n}\nrun\n")
    done = bench.run("experiment", "work.exp", "-o", "work.db", "--launches", "5:5", env=bench.real_env)
    work = bench.query("work.db", "SELECT DISTINCT flops, bytes_read FROM visit ORDER BY 1")
    tap.ok(done.returncode == 0 and work == [(20e6, 80), (40e6, 160)], "an experiment states its work",
           f"{work} {done.stderr}")
    key = json.loads(bench.run("show", "work.db", "--format", "json").stdout)["machine"]["key"]
    done = bench.run("explain", "work.db", "--on", known(bench, "xeon-16cpu-h200.json", key), "--format", "json")
    points = json.loads(done.stdout)["points"]
    tap.ok(len(points) == 2 and all(p["bound"] > 0 and p["unit"] == "flop/s" for p in points),
           "and is explained by it", done.stdout + done.stderr)
    env = dict(bench.real_env, ARCHMETER_PAPI=os.path.abspath(sys.argv[4]))
    done = bench.run("profile", "-o", "counted.db", "--launches", "4:4", "--counters", "PAPI_L3_TCM", "--",
                     "./one/planted", env=env)
    counts = {name for name, values in regions(bench, "counted.db").items() if values["count:PAPI_L3_TCM"] is not None}
    tap.ok(done.returncode == 0 and counts == {"(program)"}, "events belong to the program, not to its regions",
           f"{counts} {done.stderr}")


# Touches a known number of pages in one region and none in another, with as many threads or processes as asked for.
FAULTS = r"""
#include <archmeter/mark.h>
#define PAGES 500
static void *touch(void *unused)
{
    char *const memory = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)unused;
    if (memory == MAP_FAILED)
        exit(3);
    am_mark_begin("touch");
    for (long i = 0; i < PAGES; i++)
        ((volatile char *)memory)[i * 4096] = 1;
    am_mark_end("touch");
    am_mark_begin("again");
    for (long i = 0; i < PAGES; i++)
        ((volatile char *)memory)[i * 4096] = 2;
    am_mark_end("again");
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    (void)argc;
    for (int i = 0; i < atoi(argv[1]); i++)
        pthread_create(&threads[i], NULL, touch, NULL);
    for (int i = 0; i < atoi(argv[1]); i++)
        pthread_join(threads[i], NULL);
    if (argc > 2)
        touch(NULL);
    return 0;
}
"""


def may_count():
    """Whether the system lets a process count its own page faults."""
    return bool(ctypes.CDLL(None, use_errno=True).syscall(298, ctypes.create_string_buffer(
        (1).to_bytes(4, "little") + (112).to_bytes(4, "little") + (2).to_bytes(8, "little") + bytes(96)), 0, -1, -1, 0) >= 0)


def counted(tap, bench):
    """Events of regions, by the kernel's own event that every machine has; the program's by a library that counts what it
    likes."""
    if os.uname().machine != "x86_64" or not may_count():
        tap.skip("events of regions", "perf_event_open is refused here")
        return
    build(bench, "faults", FAULTS, "-pthread")
    env = dict(bench.real_env, ARCHMETER_PAPI=os.path.abspath(sys.argv[4]))
    for threads in (1, 2):
        db = f"faults{threads}.db"
        done = bench.run("profile", "-o", db, "--launches", "3:3", "--counters", "perf::PAGE-FAULTS", "--", "./faults",
                         str(threads), env=env)
        counts = {name: values["count:perf::PAGE-FAULTS"] for name, values in regions(bench, db).items()}
        tap.ok(done.returncode == 0 and 500 * threads <= counts["touch"] <= 510 * threads and counts["again"] <= 5 * threads,
               f"page faults of {threads} threads belong to the region that has them", f"{counts} {done.stderr}")
        times = regions(bench, db)["touch"]["time"]
        tap.ok(times and times > 0, "times are of other executions", times)


def ranks(tap, bench):
    """Processes of mpirun are told apart and added up."""
    if not shutil.which("mpirun"):
        tap.skip("ranks of mpirun", "there is none")
        return
    env = dict(bench.real_env, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
               ARCHMETER_PAPI=os.path.abspath(sys.argv[4]))
    probe = subprocess.run(["mpirun", "--oversubscribe", "-n", "2", "true"], env=env, capture_output=True, text=True)
    if probe.returncode:
        tap.skip("ranks of mpirun", "it cannot start two processes here")
        return
    words = ["mpirun", "--oversubscribe", "-n", "2", "./faults", "0", "x"]
    done = bench.run("profile", "-o", "ranks.db", "--launches", "2:2", "--counters", "perf::PAGE-FAULTS", "--", *words, env=env)
    found = regions(bench, "ranks.db")
    notes = {row[0] for row in bench.query("ranks.db", "SELECT value FROM note WHERE key = 'marks'")}
    tap.ok(done.returncode == 0 and found["touch"]["calls"] == 2 and notes == {"2 regions, 2 threads, 2 processes, 2 ranks"},
           "two ranks are two processes of one region", f"{notes} {done.stderr}")
    if may_count():
        tap.ok(1000 <= found["touch"]["count:perf::PAGE-FAULTS"] <= 1020, "and their events are added up", found["touch"])


EXAMPLES = (
    ("triad", ("cc", "gcc", "clang"), ["-fopenmp"], ["triad.c"], ["50000", "4"],
     {"fill": 1, "pass": 4, "triad": None, "sum": None}),
    ("jacobi", ("c++", "g++", "clang++"), ["-std=c++11"], ["jacobi.cc"], ["64", "20"], {"step": 20, "residual": 2}),
)


def examples(tap, bench):
    for name, compilers, flags, sources, words, wanted in EXAMPLES:
        cc = compiler(*compilers)
        if not cc:
            tap.skip(f"example {name}", f"no compiler of {compilers}")
            continue
        made = subprocess.run([cc, *STRICT, *flags, "-o", bench.path(name),
                               *(os.path.join(ROOT, "examples", "marks", s) for s in sources)],
                              capture_output=True, text=True)
        if made.returncode and "fopenmp" in flags[0] and "omp" in made.stderr:
            tap.skip(f"example {name}", "no OpenMP")
            continue
        tap.ok(made.returncode == 0, f"example {name} compiles without a warning", made.stderr)
        check_example(tap, bench, name, words, wanted)


def fortran(tap, bench):
    gfortran, cc = compiler("gfortran"), compiler("cc", "gcc")
    if not gfortran or not cc:
        tap.skip("example pi", "no Fortran compiler")
        return
    subprocess.run([cc, *STRICT, "-c", "-o", bench.path("mark_fortran.o"),
                    os.path.join(INCLUDE, "archmeter", "mark_fortran.c")], check=True)
    made = subprocess.run([gfortran, "-O2", "-Wall", "-Werror", "-J", bench.dir, "-o", bench.path("pi"),
                           os.path.join(INCLUDE, "archmeter", "archmeter_mark.f90"),
                           os.path.join(ROOT, "examples", "marks", "pi.f90"), bench.path("mark_fortran.o")],
                          capture_output=True, text=True)
    tap.ok(made.returncode == 0, "example pi compiles without a warning", made.stderr)
    check_example(tap, bench, "pi", [], {"terms": 20})


def check_example(tap, bench, name, words, wanted):
    done = profile(bench, name + ".db", "./" + name, *words, options=("--launches", "2:2"))
    found = regions(bench, name + ".db")
    tap.ok(done.returncode == 0 and set(found) == {"(program)", *wanted} and
           all(found[n]["calls"] == calls for n, calls in wanted.items() if calls),
           f"example {name} has its regions", f"{found}\n{done.stderr}")
    tap.ok(not done.stderr or "marks:" not in done.stderr, f"and {name}'s are in order", done.stderr)


OFF = """
#include <archmeter/mark.h>
void mark(void);
void mark(void) { am_mark_begin("region"); }
"""


def off(tap, bench):
    """One load, one test and one branch: nothing else stands between entry and return."""
    if os.uname().machine != "x86_64" or not shutil.which("objdump"):
        tap.skip("what a mark is when off", "needs objdump on x86-64")
        return
    with open(bench.path("off.c"), "w", encoding="ascii") as file:
        file.write(OFF)
    subprocess.run([compiler("cc", "gcc", "clang"), *STRICT, "-c", "-o", bench.path("off.o"), bench.path("off.c")],
                   check=True)
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", bench.path("off.o")], check=True,
                          capture_output=True, text=True).stdout
    body = text[text.index("<mark>:"):].splitlines()[1:]
    path = []
    for line in body:
        words = line.split("\t")[-1].split()
        if words and words[0] not in ("endbr64", "nop"):
            path.append(words[0])
        if words and words[0].startswith("ret"):
            break
    tap.ok(len(path) <= 5 and path[-1].startswith("ret") and sum(w.startswith("j") for w in path) == 1 and
           not any(w.startswith("call") for w in path), "a mark that is off is a load and a branch", path)


def main():
    tap, bench = Tap(), Bench(sys.argv[1], sys.argv[2])
    planted(tap, bench)
    slower(tap, bench)
    explained(tap, bench)
    refusals(tap, bench)
    stated(tap, bench)
    counted(tap, bench)
    ranks(tap, bench)
    killed(tap, bench)
    examples(tap, bench)
    fortran(tap, bench)
    off(tap, bench)
    tap.done()


if __name__ == "__main__":
    main()
