# SPDX-License-Identifier: MIT
"""The end of a run is one screen, on a simulated machine with accelerators; commands take the latest run."""
import json
import os
import re
import sys
import unicodedata

from e2e import Bench, Tap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
MACHINE = os.path.join(ROOT, "machines", "gpu-host-8.machine")
LINES, COLUMNS = 20, 80


def width(line):
    return sum(0 if unicodedata.combining(c) else 1 for c in line)


def fits(text):
    lines = text.splitlines()
    return 0 < len(lines) <= LINES and all(width(line) <= COLUMNS for line in lines)


def first_screen(tap, bench):
    ran = bench.run("run", "--machine", MACHINE, "-o", "gpu.db", env=bench.real_env)
    text = ran.stdout
    if not tap.ok(ran.returncode == 0 and fits(text), "bare run ends with one screen", text + ran.stderr):
        return
    tap.ok("quick" in text.splitlines()[0] + text.splitlines()[1], "of the quick set", text)
    tap.ok("--standard" in ran.stderr, "and it is said how to get more", ran.stderr)
    for words in ("EPYC 7763 (Zen 3)", "one core", "all cores", "f64 arithmetic", "f32 arithmetic", "memory read",
                  "memory latency", "L3", "core to core", "OpenMP", "8 alike", "results gpu.db", "archmeter show"):
        tap.ok(words in text, f"it has: {words}", text)
    tap.ok(re.search(r"^(quiet|busy|too few)", text, re.M), "and says how far to trust it", text)
    tap.ok(not re.search(r"\s-(\s|$)", text), "nothing is a dash", text)


def everywhere(tap, bench):
    """One screen on machines of every kind, however little of it there was time for."""
    folder = os.path.join(ROOT, "machines")
    names = sorted(name for name in os.listdir(folder) if name.endswith(".machine"))[::3]
    wrong = {}
    for name in names:
        ran = bench.run("run", "--machine", os.path.join(folder, name), "--budget", "6s", "--seed", "1", "-o", name + ".db",
                        env=bench.real_env)
        if ran.returncode != 0 or not fits(ran.stdout) or "quick set" not in ran.stdout:
            wrong[name] = ran.stdout + ran.stderr
        os.unlink(bench.path(name + ".db"))
    tap.ok(len(names) >= 9 and not wrong, f"one screen on each of {len(names)} machines", "\n".join(wrong.values()))


def latest(tap, bench):
    for command, words in (("show", "cpu.flops"), ("model", "f64 arithmetic"), ("explain", "cpu.flops")):
        got = bench.run(command)
        tap.ok(got.returncode in (0, 1) and words in got.stdout, f"{command} takes the latest run", got.stderr)
    got = bench.run("report")
    tap.ok(got.returncode == 0 and os.path.exists(bench.path("gpu.html")), "so does report", got.stderr)
    got = bench.run("compare")
    tap.ok(got.returncode == 2 and "latest~1" in got.stderr, "compare says that there is no other", got.stderr)
    ran = bench.run("run", "null", "--quick", "--machine", MACHINE, "-o", "later.db", env=bench.real_env)
    tap.ok("null" in ran.stdout and "one core" not in ran.stdout,
           "a run that fills no line prints its tables", ran.stdout + ran.stderr)
    got = bench.run("compare", "gpu.db")
    tap.ok("later.db" in got.stdout, "compare of one run is against the latest", got.stdout + got.stderr)


def formats(tap, bench):
    ran = bench.run("run", "cpu.flops", "--quick", "--machine", MACHINE, "-o", "j.db", "--format", "json",
                    env=bench.real_env)
    tap.ok(ran.returncode == 0 and json.loads(ran.stdout)["results"], "json is the results", ran.stderr)
    some = ("run", "cpu.flops", "mem.latency", "omp.sync", "--quick", "--machine", MACHINE)
    ran = bench.run(*some, "-o", "three.db", env=bench.real_env)
    tap.ok("one core" in ran.stdout and fits(ran.stdout), "three families fill a screen", ran.stdout + ran.stderr)
    ran = bench.run(*some, "-o", "v.db", "-v", env=bench.real_env)
    tap.ok("flops_per_cycle" in ran.stdout and "one core" not in ran.stdout, "-v prints the tables", ran.stderr)


def habits(tap, bench):
    got = bench.run()
    tap.ok(got.returncode == 0 and fits(got.stdout) and "archmeter run" in got.stdout,
           "the name alone is a short overview", got.stdout + got.stderr)
    got = bench.run("run", "null", "-o", "gpu.db", env=bench.real_env)
    tap.ok(got.returncode == 2 and "archmeter resume gpu.db" in got.stderr and "remove" in got.stderr,
           "a file that exists: how to go on, or replace it", got.stderr)
    for size, good in (("16KiB", True), ("16k", True), ("1MiB", True), ("16kB", False)):
        got = bench.run("plan", "mem.latency", "-p", f"size={size}", env=bench.real_env)
        tap.ok((got.returncode == 0) == good and (good or "KiB" in got.stderr), f"size={size}", got.stderr)
    for command in (["show", "gpu.db"], ["export", "gpu.db", "--samples", "--format", "csv"]):
        child = bench.start(*command)
        child.stdout.readline()
        child.stdout.close()
        told = child.stderr.read()
        child.stderr.close()
        tap.ok(child.wait(timeout=600) == 0 and not told, f"{command[0]} into a pipe that is closed ends quietly", told)


def main():
    bench, tap = Bench(sys.argv[1], sys.argv[2]), Tap()
    first_screen(tap, bench)
    everywhere(tap, bench)
    latest(tap, bench)
    formats(tap, bench)
    habits(tap, bench)
    tap.done()


if __name__ == "__main__":
    main()
