# SPDX-License-Identifier: MIT
"""The shipped studies: read, planned within their time and run on a simulated machine; none is measured here."""
import glob
import json
import os
import re
import sys

from e2e import Bench, Tap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "studies")
WITH_DEVICE, SMALL = (os.path.join(ROOT, "machines", f"{m}.machine") for m in ("xeon-guest-16-h200", "zen4-guest-2"))
QUICK_LIMIT_S = 180

# Tables and figures that the paper has (a figure of ours beside one has its number with a letter), and how many of each
# a simulated machine cannot show: it has no meter, no counters, and a driver that tells nothing of its device.
PAPERS = {
    "000-opencl": (4, 25, 1, 0),
    "001-tasks-energy": (30, 46, 2, 21),
    "002-openmp": (1, 27, 0, 0),
    "003-xeon-phi": (3, 15, 0, 0),
    "004-finite-differences": (4, 10, 0, 0),
}
NEEDS_DEVICE = {"000-opencl"}


# Columns of tables that hold what was measured; the others say of what.
MEASURED = re.compile(r"GFLOPS|deviation|^RT$|/s|, ms|cycles|error|per frame|%|\bGF\b|\bratio|devices", re.IGNORECASE)


def simulate(bench, machine, *args):
    return bench.run("--machine", machine, *args, env=bench.real_env)


def file_of(name):
    return os.path.join(FOLDER, name + ".study")


def planned(tap, bench, name):
    done = simulate(bench, WITH_DEVICE, "study", "check", file_of(name))
    tap.ok(done.returncode == 0, f"{name}: both forms name only what exists", done.stderr)
    for machine in (WITH_DEVICE, SMALL):
        done = simulate(bench, machine, "study", "plan", file_of(name), "--quick", "--format", "json")
        if machine == SMALL and name in NEEDS_DEVICE:
            tap.ok(done.returncode == 3 and "ocl.arith is left out" in done.stderr,
                   f"{name}: without a device there is nothing to measure", done.stderr)
            continue
        plan = json.loads(done.stdout) if done.returncode == 0 else {}
        late = [p["point"] for p in plan.get("points", []) if not p["fits"]]
        tap.ok(plan and plan["estimate_s"] <= QUICK_LIMIT_S and not late,
               f"{name}: the quick form fits three minutes on {os.path.basename(machine)}", (done.stderr, late[:5]))


def complete(tap, name, told):
    """Every table and figure of the paper is made or has its reason, and every claim an outcome."""
    tables, figures, *unseen = PAPERS[name]
    tap.ok(told["tables"]["in_paper"] == tables and told["figures"]["in_paper"] == figures,
           f"{name}: the paper has {tables} tables and {figures} figures", (told["tables"], told["figures"]))
    for what, most in zip(("tables", "figures"), unseen):
        counts = told[what]
        tap.ok(counts["made"] + counts["not_made_here"] + counts["missing"] == counts["in_paper"]
               and counts["not_made_here"] <= most,
               f"{name}: {what} are made, or missing with a reason", counts)
    outcomes = [c["outcome"] for c in told["claims"]]
    tap.ok(len(outcomes) >= 20 and set(outcomes) <= {"reproduced", "contradicted", "undecided here"},
           f"{name}: every claim has an outcome", outcomes)


def told_apart(tap, name, told):
    """No two rows of a table name the same configuration, and none is lost for want of a twin (audit of tasks and energy, D10)."""
    for item in told["items"]:
        rows = [tuple(str(v) for k, v in row.items() if not MEASURED.search(k)) for row in item["rows"]]
        if rows:
            twice = sorted({row for row in rows if rows.count(row) > 1})
            tap.ok(rows[0] and not twice, f"{name}: rows of table {item['number']} are told apart", twice)
    if name == "001-tasks-energy":
        with open(file_of(name), encoding="utf-8") as file:
            tap.ok(not re.search(r"(?<!left) join stats", file.read()), f"{name}: rows without a twin stay in its tables")


def shown(tap, bench, name):
    done = simulate(bench, WITH_DEVICE, "study", "run", file_of(name), "--quick", "--launches", "3", "--samples", "2", "--seed", "1", "-q",
                    "-o", name + ".db", "--format", "json")
    if tap.ok(done.returncode == 0, f"{name}: runs", done.stderr):
        complete(tap, name, json.loads(done.stdout))
        told_apart(tap, name, json.loads(done.stdout))


def planted(tap, bench):
    """What is taken out or misspelled is noticed."""
    with open(file_of("002-openmp"), encoding="utf-8") as file:
        text = file.read()
    block = text[text.index("figure 5\n"):text.index("figure 6-8")]
    for story, broken in (("figure 5", text.replace(block, "")), ('did you mean "omp.sched"', text.replace("omp.sched:", "omp.shced:", 1)),
                          ('did you mean "threads"', text.replace(" threads=@max", " thraeds=@max", 1))):
        with open(bench.path("002-broken.study"), "w", encoding="utf-8") as file:
            file.write(broken.replace("study 002-openmp", "study 002-broken", 1))
        done = simulate(bench, SMALL, "study", "check", "002-broken.study")
        tap.ok(done.returncode == 2 and story in done.stderr, f"a planted error is refused: {story}", done.stderr)


def main():
    tap, bench = Tap(), Bench(sys.argv[1], sys.argv[2])
    names = sorted(os.path.basename(f)[:-len(".study")] for f in glob.glob(file_of("*")))
    tap.ok(names == sorted(PAPERS), "each of the five papers has its study", names)
    for name in names:
        planned(tap, bench, name)
        shown(tap, bench, name)
    planted(tap, bench)
    tap.done()


if __name__ == "__main__":
    main()
