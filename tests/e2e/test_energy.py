# SPDX-License-Identifier: MIT
"""Energy from the command line to the file: a scripted counter below a false root, and what must not
become a number."""
import concurrent.futures
import contextlib
import csv
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time

from e2e import Bench, Tap

WATTS = 50.0
RANGE = "262143328850"
ZONES = "sys/class/powercap"
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scripted_meter.py")
RUN = ["cpu.flops", "--quick", "-p", "op=add", "-p", "type=f64", "-p", "isa=scalar", "-p",
       "threads=1", "-p", "on=machine", "-p", "streams=4", "--launches", "2", "--samples", "1"]
SHORT = ["--min-batch", "250ms"]  # the floor of half a second is the user's to lower

# Rises for half a second, begins anew, and rises again.
REWIND = """
import os, sys, time
fd = os.open(sys.argv[1], os.O_WRONLY)
for i in range(300):
    os.pwrite(fd, b"%015d\\n" % (50000 * (100 + i if i < 200 else i - 199)), 0)
    time.sleep(0.0025)
"""


def put(root, path, text):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="ascii") as f:
        f.write(text + "\n")
    return full


def zone(root, name, title):
    """Makes a powercap zone and returns its counter's file."""
    put(root, f"{ZONES}/{name}/name", title)
    put(root, f"{ZONES}/{name}/max_energy_range_uj", RANGE)
    return put(root, f"{ZONES}/{name}/energy_uj", f"{5000000:015d}")


@contextlib.contextmanager
def moving(*files, watts=WATTS):
    child = subprocess.Popen([sys.executable, SCRIPT, str(watts), *files], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True)
    child.stdout.readline()
    try:
        yield
    finally:
        child.stdin.close()
        child.wait()


def energy(bench, root, *args, **kwargs):
    done = bench.run("energy", "--fsroot", root, "--format", "json", *args, **kwargs)
    return done, json.loads(done.stdout) if done.stdout else None


def patiently(measure, has_numbers):
    """The first of up to 20 measurements whose windows have numbers; else the last one. The process that moves the counter
    and the thread that reads it are as late as the machine is busy, and a window without readings rightly has no number.
    Whether the numbers are right is for the caller to ask: `has_numbers` must not."""
    for _ in range(20):
        found = measure()
        if has_numbers(found):
            break
    return found


def is_valid(found):
    """Of what energy() gives: the command was measured, and every scope has its number."""
    return found[1] is not None and found[1]["scopes"] and all(s["valid"] for s in found[1]["scopes"])


def is_power(watts):
    """Whether these are the power of the moving counter. On a busy machine some windows may have no number; but most have
    one, and none a wrong one: a wrong unit, meter or window gives more than a factor of two."""
    known = [w for w in watts if w is not None]
    return 2 * len(known) > len(watts) and all(WATTS / 2 < w < 2 * WATTS for w in known)


def near(scope, seconds, watts=WATTS):
    """Within what the meter says of itself; time is read a moment apart."""
    return abs(scope["energy"] - watts * seconds) <= scope["uncertainty"] + 0.01 * watts * seconds


def test_form(tap, bench):
    root = bench.path("plain")
    counter = zone(root, "intel-rapl:0", "package-0")
    with moving(counter):
        # The counter itself is late at times, by more than the meter can know: an answer that is always wrong stays wrong.
        done, said = patiently(lambda: energy(bench, root, "--", "sleep", "0.6"),
                               lambda found: is_valid(found) and near(found[1]["scopes"][0], found[1]["time"]))
        scope = said["scopes"][0] if said["scopes"] else {}
        tap.ok(done.returncode == 0 and said["schema"] == 1 and said["synthetic"] is True
               and said["exit"] == 0 and said["time"] >= 0.6, "the form of the answer",
               done.stdout + done.stderr)
        tap.ok({"meter", "scope", "id", "energy", "power", "uncertainty", "valid", "reason"}
               <= set(scope) and (scope["meter"], scope["scope"], scope["id"])
               == ("powercap", "package", "package-0"), "one scope by its names", scope)
        tap.ok(scope["valid"] is True and scope["reason"] is None and near(scope, said["time"]),
               "its energy is the scripted one within its uncertainty", scope)
        tap.ok(abs(scope["power"] - scope["energy"] / said["time"]) < 1e-6 * scope["power"],
               "power is energy over time", scope)
        done, said = patiently(lambda: energy(bench, root, "-n", "3", "--", "sleep", "0.3"), is_valid)
        tap.ok(said["repetitions"] == 3 and abs(said["scopes"][0]["power"] - WATTS) < 0.1 * WATTS,
               "medians of three executions", done.stdout + done.stderr)
        done = bench.run("energy", "--fsroot", root, "--", "sleep", "0.5")
        tap.ok("powercap:package-0" in done.stdout and "synthetic" in done.stdout
               and "updated every" in done.stdout,
               "the table says the same, and that it is synthetic", done.stdout + done.stderr)


def test_exit_codes(tap, bench):
    root, empty = bench.path("plain"), bench.path("empty")
    os.makedirs(empty)
    with moving(os.path.join(root, ZONES, "intel-rapl:0", "energy_uj")):
        for command, code in ((["false"], 1), (["sh", "-c", "exit 42"], 42),
                              (["sh", "-c", "kill -TERM $$"], 143),
                              (["/no/such/program"], 127)):
            done, said = energy(bench, root, "--", *command)
            tap.ok(done.returncode == code and said["exit"] == code,
                   f"{' '.join(command)}: exit code {code} is passed on",
                   f"{done.returncode} {done.stderr}")
        done, said = energy(bench, root, "--", "sh", "-c", "echo loud")
        tap.ok(said is not None and "loud" in done.stderr,
               "the program's own output does not stand in our JSON", done.stdout)
        done = bench.run("energy", "--fsroot", root, "--format", "csv", "--", "sh", "-c", "echo loud; sleep 0.5")
        rows = list(csv.DictReader(done.stdout.splitlines()))
        tap.ok(len(rows) == 1 and rows[0]["meter"] == "powercap:package-0" and float(rows[0]["time"]) >= 0.5
               and "loud" in done.stderr, "CSV is CSV: the time is a column, the program speaks elsewhere",
               done.stdout)
    done, said = energy(bench, empty, "--", "true")
    tap.ok(done.returncode == 3 and said["scopes"] == [] and "no energy meter" in done.stderr,
           "without a sensor: no scope, exit code 3, the reason on stderr", done.stderr)
    done, said = energy(bench, empty, "--", "false")
    tap.ok(done.returncode == 1 and said["scopes"] == [], "but CMD's own status comes first")


def refused(tap, scope, word, sentence):
    tap.ok(scope["valid"] is False and word in (scope["reason"] or "")
           and scope["energy"] is None and scope["power"] is None
           and scope["uncertainty"] is None, sentence, scope)


def test_no_number(tap, bench):
    root = bench.path("plain")
    counter = os.path.join(root, ZONES, "intel-rapl:0", "energy_uj")
    with moving(counter):
        _, said = energy(bench, root, "--", "true")
        refused(tap, said["scopes"][0], "shorter", "a short command gives no number, and says why")
    _, said = energy(bench, root, "--", "sleep", "0.5")
    refused(tap, said["scopes"][0], "stood still", "a stuck counter gives no number")
    put(root, f"{ZONES}/intel-rapl:0/max_energy_range_uj", "0")
    _, said = energy(bench, root, "--", sys.executable, "-c", REWIND, counter)
    refused(tap, said["scopes"][0], "", "a counter of unknown range that goes back gives no number")
    gone = bench.path("gone")
    os.makedirs(os.path.join(gone, ZONES, "intel-rapl:0", "energy_uj"))  # cannot be read as a file
    put(gone, f"{ZONES}/intel-rapl:0/name", "package-0")
    done, said = energy(bench, gone, "--", "sleep", "0.2")
    tap.ok(done.returncode == 3 and len(said["scopes"]) == 1, "a sensor that cannot be read: exit 3",
           done.stderr)
    refused(tap, said["scopes"][0], "directory", "and its reason in its scope")


def test_denied(tap, bench):
    """As root every file can be read: the program is run by somebody else."""
    root = bench.path("denied")
    os.chmod(zone(root, "intel-rapl:0", "package-0"), 0o400)
    extra = {}
    if os.getuid() == 0:
        for path in [bench.dir, *(os.path.join(d, n) for d, dirs, _ in os.walk(root) for n in dirs),
                     root]:
            os.chmod(path, 0o755)
        extra = {"user": 65534, "group": 65534, "extra_groups": []}
        try:
            probe = subprocess.run([bench.archmeter, "--version"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, check=False, **extra)
        except OSError:
            probe = None
        if not probe or probe.returncode != 0:
            tap.skip("a denied file", "another user cannot run the program from here")
            return
    else:
        os.chmod(os.path.join(root, ZONES, "intel-rapl:0", "energy_uj"), 0)
    done, said = energy(bench, root, "--", "true", **extra)
    refused(tap, said["scopes"][0], "denied", "a denied file: no number, and the reason")
    tap.ok(done.returncode == 3 and "chgrp" in done.stderr, "with the remedy on stderr", done.stderr)


def test_nested(tap, bench):
    root = bench.path("nested")
    files = [zone(root, "intel-rapl:0", "package-0"), zone(root, "intel-rapl:0:0", "core"),
             zone(root, "intel-rapl-mmio:0", "package-0"), zone(root, "intel-rapl:1", "package-1")]
    put(root, f"{ZONES}/intel-rapl:1/energy_uj", f"{900000000:015d}")
    with moving(*files[:3]), moving(files[3], watts=20):
        _, said = patiently(lambda: energy(bench, root, "--", "sleep", "0.6"),
                            lambda found: is_valid(found) and near(found[1]["scopes"][-1], found[1]["time"], 20))
    ids = {s["id"]: s for s in said["scopes"]}
    tap.ok(set(ids) == {"package-0", "core-0", "package-1"},
           "the package by MMIO is not a second one", sorted(ids))
    tap.ok(ids["core-0"]["inside"] == "package-0", "cores are inside their package")
    tap.ok(near(ids["package-1"], said["time"], 20), "another package has its own", ids)
    twice = bench.path("twice")
    files = [zone(twice, "intel-rapl:0", "package-0"), zone(twice, "intel-rapl:1", "package-1")]
    with moving(*files):  # the two are read one after the other: on a busy machine, at times too far apart to be alike
        _, said = patiently(lambda: energy(bench, twice, "--", "sleep", "0.5"), lambda found: len(found[1]["scopes"]) == 1)
    tap.ok([s["id"] for s in said["scopes"]] == ["package-0"],
           "two dies that show one counter are one", said["scopes"])


def environment(bench, db):
    return dict(bench.query(db, "SELECT key, value FROM environment UNION ALL "
                                "SELECT key, value FROM setting"))


def values(bench, db, metric):
    return [v for v, in bench.query(
        db, "SELECT v.value FROM value v JOIN metric m ON m.id = v.metric JOIN bench b ON b.id = m.bench"
        " WHERE m.name = ?", metric)]


def idle_power(bench, db):
    """Before and after the run; None where there is no number."""
    facts = environment(bench, db)
    said = [facts.get(f"energy.idle.package.{when}", "") for when in ("before", "after")]
    return [float(text.split()[0]) if text.endswith(" W") else None for text in said]


def machine(bench, make_tree, name):
    root = bench.path(name)
    subprocess.run([make_tree, "vm", root], check=True)
    return root, zone(root, "intel-rapl:0", "package-0")


def test_run(tap, bench, make_tree):
    root, counter = machine(bench, make_tree, "vm")

    def measure():
        with contextlib.suppress(FileNotFoundError):
            os.unlink(bench.path("e.db"))
        return bench.run("run", *RUN, "--launches", "1", "--samples", "2", "--energy", "--process-node", "32", "--fsroot",
                         root, "-o", "e.db", env=bench.real_env)
    with moving(zone(root, "intel-rapl:0:0", "core"), counter):
        done = patiently(measure, lambda done: done.returncode != 0 or len(values(bench, "e.db", "power:package")) >= 2 and all(
            v is not None for v in values(bench, "e.db", "power:package") + idle_power(bench, "e.db")))
    if not tap.ok(done.returncode == 0, "run --energy measures", done.stderr):
        return
    power, times = values(bench, "e.db", "power:package"), bench.query(
        "e.db", "SELECT elapsed_ns * 1e-9 / iters FROM sample s JOIN visit v ON v.id = s.visit"
        " JOIN point p ON p.id = v.point JOIN bench b ON b.id = p.bench")
    joules = values(bench, "e.db", "energy:package")
    tap.ok(len(power) >= 2 and is_power(power),
           "every sample has the scripted power", power)
    tap.ok(all(abs(j - p * t) <= 1e-9 * j for j, p, (t,) in zip(joules, power, times) if p),
           "energy is that of one iteration")
    tap.ok(bench.query("e.db", "SELECT name FROM bench") == [("cpu.flops",)],
           "only what was asked for is measured: standards would take longer than that", bench.query("e.db", "SELECT name FROM bench"))
    names = {n for n, in bench.query("e.db", "SELECT name FROM metric")}
    tap.ok({f"{k}:package" for k in ("energy", "power", "net_energy", "flops_per_watt",
                                     "joule_per_byte", "joule_per_op", "edp", "ed2p", "edp_norm",
                                     "ed2p_norm")} <= names, "all the metrics are there", names)
    tap.ok("power:off-core" in names, "with what is off the cores", names)
    flops, per_watt = values(bench, "e.db", "flops"), values(bench, "e.db", "flops_per_watt:package")
    tap.ok(all(abs(w - f / p) < 1e-6 * w for w, f, p in zip(per_watt, flops, power) if p),
           "flop/s a watt is what it says")
    tap.ok(all(v is None for v in values(bench, "e.db", "joule_per_byte:package")),
           "a bench without bytes has no joules a byte")
    facts = environment(bench, "e.db")
    tap.ok(is_power(idle_power(bench, "e.db")), "idle power before and after", facts)
    text = bench.run("show", "e.db").stdout
    tap.ok("cpu.flops  package" in text and "net_energy" in text and "joule_per_byte" not in text,
           "energy has a table of its own, without columns that are empty", text)
    shown = json.loads(bench.run("show", "e.db", "--format", "json").stdout)
    tap.ok(shown["run"]["synthetic"] is True, "the run is stamped synthetic")
    batch = bench.query("e.db", "SELECT min_batch_ns FROM run")[0][0]
    tap.ok(batch >= 0.5e9, "a batch lasts as long as a package needs", batch)


def test_refusal(tap, bench, make_tree):
    root = bench.path("bare")
    subprocess.run([make_tree, "vm", root], check=True)
    done = bench.run("run", *RUN, "--energy", "--fsroot", root, "-o", "no.db", env=bench.real_env)
    tap.ok(done.returncode == 3 and "no energy meter" in done.stderr
           and not os.path.exists(bench.path("no.db")),
           "run --energy without a meter ends before measuring", done.stderr)
    done = bench.run("run", "meter.stability", "--fsroot", root, "-o", "no.db", env=bench.real_env)
    tap.ok(done.returncode == 3 and "--energy" in done.stderr, "meter.stability needs the meters",
           done.stderr)


def repetitions(done):
    """How many windows with a number the table of meter.stability counts."""
    rows = [line.split() for line in done.stdout.splitlines() if line.strip().startswith("energy:package")]
    return int(rows[0][1]) if rows else 0


def test_stability(tap, bench, make_tree):
    root, counter = machine(bench, make_tree, "steady")
    with moving(counter):
        # A machine that is very busy leaves a launch no time for its samples, or a window no reading beside it.
        for n in range(20):
            db = f"s{n}.db"
            done = bench.run("run", "meter.stability", "--energy", "--fsroot", root, "-o", db,
                             "--quick", "--launches", "1", "--samples", "5", *SHORT, "-p",
                             "threads=1", env=bench.real_env)
            if repetitions(done) >= 3:
                break
        # Without what the runs above have taught of a busy machine; a counter that is late makes every batch longer.
        fresh = dict(bench.real_env, XDG_DATA_HOME=bench.path("nothing-learnt"))
        plan = patiently(lambda: json.loads(bench.run(
            "plan", "meter.stability", "--energy", "--fsroot", root, "--quick", "--launches", "1", "--samples", "200",
            "--min-batch", "200ms", "-p", "threads=1", "--format", "json", env=fresh).stdout),
                         lambda plan: plan["estimate_s"] < 100)
    tap.ok(100 > plan["estimate_s"] > 40, "plan says how long the batches take that were asked for", plan["estimate_s"])
    tap.ok(done.returncode == 0, "meter.stability measures", done.stderr)
    tap.ok(repetitions(done) >= 3 and "beyond 3 sigma" in done.stdout
           and "update period" in done.stdout,
           "and shows median, mean, deviation and outliers, and how often the meter changes", done.stdout)
    facts = bench.run("model", db, "--facts", "--format", "json")
    tap.ok("energy.repeated_sigma{scope=package,n=128,threads=1}" in facts.stdout
           and "energy.repeated_outliers{scope=package,n=128,threads=1}" in facts.stdout,
           "and its deviation and outliers are facts", facts.stdout[:400] + facts.stderr)


def killed_and_resumed(bench, root, db):
    """How many windows there were when the run was killed; how it was resumed; the power of every window."""
    child = bench.start("run", *RUN, *SHORT, "--samples", "2", "--energy", "--meter", "powercap*",
                        "--fsroot", root, "-o", db, env=bench.real_env)
    deadline = time.monotonic() + 900
    while time.monotonic() < deadline and child.poll() is None:
        with contextlib.suppress(Exception):
            if bench.query(db, "SELECT count(*) FROM launch")[0][0]:
                break
        time.sleep(0.05)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    before = len(values(bench, db, "power:package"))
    done = bench.run("resume", db, env=bench.real_env)
    return before, done, values(bench, db, "power:package"), db


def test_resume(tap, bench, make_tree):
    root, counter = machine(bench, make_tree, "resumed")
    names = (f"r{n}.db" for n in itertools.count())
    with moving(counter):
        before, done, power, db = patiently(lambda: killed_and_resumed(bench, root, next(names)),
                                            lambda found: found[0] < len(found[2]) and
                                            2 * sum(p is None for p in found[2]) < len(found[2]))
    tap.ok(done.returncode == 0 and len(power) > before and is_power(power),
           f"resume measures energy again, below the same root, without being told ({before}, {len(power)})",
           f"{power} {done.stderr}")
    net = values(bench, db, "net_energy:package")
    tap.ok(all((v is None) == (p is None) for v, p in zip(net, power)) and
           "energy.idle.package.resumed" in environment(bench, db),
           "with an idle power of its own", net)


def test_commands(tap, bench, make_tree):
    """A command of known length beside a meter of known power."""
    root, counter = machine(bench, make_tree, "commands")
    names = (f"command{n}.db" for n in itertools.count())

    def measure():
        db = next(names)
        done = bench.run("time", "sleep 0.6", "--energy", "--fsroot", root, "--launches", "2", "-o", db, env=bench.real_env)
        return done, bench.results(db)[0]["metrics"]["power:package"]["median"]
    with moving(counter):
        done, power = patiently(measure, lambda found: found[1] is not None)
    tap.ok(done.returncode == 0 and "energy" in done.stdout and is_power([power]),
           "time --energy has the energy of a command on its screen", done.stdout + done.stderr)


PHASES = r"""
#include <archmeter/mark.h>
static void rest(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}
int main(void)
{
    am_mark_begin("phase");
    rest(600);
    am_mark_end("phase");
    for (int i = 0; i < 30; i++) {
        am_mark_begin("this");
        rest(5);
        am_mark_end("this");
        am_mark_begin("that");
        rest(5);
        am_mark_end("that");
    }
    return 0;
}
"""


def test_regions(tap, bench, make_tree):
    """A phase of a program has the energy of its time; what takes turns with others has none, and says so."""
    compiler = next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), None)
    if not compiler:
        tap.skip("energy of regions", "no C compiler")
        return
    root, counter = machine(bench, make_tree, "regions")
    with open(bench.path("phases.c"), "w", encoding="ascii") as f:
        f.write(PHASES)
    include = os.path.join(os.path.dirname(SCRIPT), "..", "..", "include")
    subprocess.run([compiler, "-O2", "-I", include, "-o", bench.path("phases"), bench.path("phases.c")], check=True)
    names = (f"regions{n}.db" for n in itertools.count())

    def measure():
        db = next(names)
        done = bench.run("profile", "--energy", "--fsroot", root, "--launches", "2:2", "-o", db, "--", "./phases",
                         env=bench.real_env)
        found = {r["point"]["region"]: {k: m["median"] for k, m in r["metrics"].items()} for r in bench.results(db)}
        return done, db, found
    with moving(counter):
        done, db, found = patiently(measure, lambda got: all(got[2].get(region, {}).get("power:package") is not None
                                                             for region in ("(program)", "phase")))
    tap.ok(done.returncode == 0, "a profile with energy", done.stdout + done.stderr)
    for region in ("(program)", "phase"):
        power, energy_j, time_s = (found[region].get(key) for key in ("power:package", "energy:package", "time"))
        tap.ok(is_power([power]) and abs(energy_j - power * time_s) < 0.05 * energy_j, f"{region}: {power} W", found[region])
    tap.ok(found["this"].get("energy:package") is None, "a region without a time of its own has no energy", found["this"])
    notes = " ".join(row[0] for row in bench.query(db, "SELECT value FROM note WHERE key LIKE 'energy:%'"))
    tap.ok("spread over other work" in notes, "and says why", notes)


class Notes:
    """What a group of tests says, to be told when its turn comes."""

    def __init__(self):
        self.said = []

    def ok(self, condition, sentence, detail=None):
        self.said.append(lambda tap: tap.ok(condition, sentence, detail))
        return bool(condition)

    def skip(self, sentence, why):
        self.said.append(lambda tap: tap.skip(sentence, why))


def group(*tests):
    notes = Notes()
    for test in tests:
        test(notes)
    return notes


def main():
    bench, tap = Bench(sys.argv[1], sys.argv[2]), Tap()
    make_tree = os.path.abspath(sys.argv[3])

    def plain(*tests):
        return [lambda notes, t=t: t(notes, bench) for t in tests]

    def made(*tests):
        return [lambda notes, t=t: t(notes, bench, make_tree) for t in tests]

    # Most of the time something rests or sleeps: the groups do so beside each other.
    groups = [plain(test_form, test_exit_codes, test_no_number, test_denied, test_nested) + made(test_refusal, test_commands),
              made(test_run, test_stability), made(test_resume, test_regions)]
    with concurrent.futures.ThreadPoolExecutor(len(groups)) as pool:
        for notes in pool.map(lambda tests: group(*tests), groups):
            for say in notes.said:
                say(tap)
    tap.done()


main()
