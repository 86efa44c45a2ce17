# SPDX-License-Identifier: MIT
"""Machine models as files: written, read again, compared; one per node of a merged file."""
import csv
import io
import itertools
import json
import os
import sys

from e2e import Bench, Tap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCHES = ["cpu.flops", "mem.bandwidth", "mem.latency", "app.gemm"]


def simulate(bench, word, db, seed, benches=None):
    machine = os.path.join(ROOT, "machines", word + ".machine")
    return bench.run("--machine", machine, "run", *(benches or BENCHES), "--quick", "--launches", "5", "--seed", seed, "-q",
                     "-o", db, env=bench.real_env)


def told(bench, *args):
    return json.loads(bench.run(*args, "--format", "json").stdout)


def read(bench, name):
    with open(bench.path(name), encoding="utf-8") as file:
        return file.read()


def write(bench, name, text):
    with open(bench.path(name), "w", encoding="utf-8") as file:
        file.write(text)


def files(tap, bench):
    made = bench.run("model", "a.db", "-o", "a.json")
    tap.ok(made.returncode == 0 and not made.stdout and not made.stderr, "model -o writes a file", made.stderr)
    again = bench.run("model", "a.json", "-o", "a2.json")
    tap.ok(again.returncode == 0 and read(bench, "a.json") == read(bench, "a2.json"),
           "which is read and written as it was", again.stderr)
    tap.ok(bench.run("model", "a.db", "--format", "json").stdout == read(bench, "a.json"),
           "and is what --format json shows")
    model = json.loads(read(bench, "a.json"))
    tap.ok(model["kind"] == "machine model" and model["version"] == 1 and model["run"]["synthetic"] is True
           and model["run"]["started"] and model["build"]["version"] and model["machine"]["model_name"],
           "it says what it is, of which run, machine and build, and that it is simulated", model["run"])
    tap.ok(all(f["launches"] >= 1 for f in model["facts"] if f["coverage"] is not None),
           "facts have the launches behind them")
    for option in ([], ["--facts"], ["--format", "csv"]):
        of_run, of_file = (bench.run("model", name, *option).stdout for name in ("a.db", "a.json"))
        lines = [line for line in of_run.splitlines() if line not in of_file.splitlines()]
        tap.ok(of_file and all(line.startswith(("quiet", "busy")) for line in lines),
               f"the file says what the run says ({' '.join(option) or 'table'})", lines)
    tap.ok("simulated" in bench.run("model", "a.json").stdout, "the stamp survives")
    shown = bench.run("show", "a.json")
    tap.ok(shown.returncode == 2 and "machine model" in shown.stderr and not shown.stdout,
           "a command that needs a run says what the file is", shown.stderr)


def refusals(tap, bench):
    text = read(bench, "a.json")
    cases = {
        "cut": (text[:len(text) // 2], "cut.json:"),
        "word": (text.replace('"contradicts"', '"contradict"', 1), 'did you mean "contradicts"?'),
        "number": (text.replace('"threads": 1,', '"threads": 1e999,', 1), "beyond all bounds"),
        "version": (text.replace('"version": 1,', '"version": 7,', 1), "version 1 only"),
        "other": ('{"schema": 1, "rows": []}', "not a machine model"),
        "deep": ("[" * 100000, "nested too deeply"),
        "nothing": ("{", "nothing.json:1:2:"),
    }
    for name, (bad, story) in cases.items():
        write(bench, name + ".json", bad)
        got = bench.run("model", name + ".json")
        tap.ok(got.returncode == 2 and story in got.stderr and not got.stdout, f"{name}: refused with its place",
               got.stderr)
    for args in (["a.db", "b.db", "-o", "x.json"], ["a.db", "--node", "a"], ["a.db", "absent.json"]):
        got = bench.run("model", *args)
        tap.ok(got.returncode == 2 and got.stderr and not got.stdout, f"model {' '.join(args)}: code 2", got.stderr)
    tap.ok(not os.path.exists(bench.path("x.json")), "and nothing is left behind")


def differences(tap, bench):
    same = told(bench, "model", "a.db", "b.db")
    rows = same["differences"]
    tap.ok(len(rows) > 20 and not [r for r in rows if r["verdict"].startswith("different")],
           "two runs of one machine do not differ", [r for r in rows if r["verdict"] == "different?"])
    other = told(bench, "model", "a.json", "x.db")["differences"]
    found = {r["fact"]: r for r in other}
    wide = found.get("core.flops_per_cycle{type=f64,isa=avx512}")
    tap.ok(wide and wide["verdict"] == "different?" and 1.2 < wide["ratio"] < 2.2
           and wide["interval"][0] <= wide["ratio"] <= wide["interval"][1] and wide["by"] == "launches",
           "a file and a run of another machine: more arithmetic per cycle is found", wide)
    tap.ok(any(r["base"] != r["fact"] and "threads=16" in r["fact"] for r in other),
           "all threads of one stand against all threads of the other")
    table = bench.run("model", "a.json", "x.db")
    tap.ok(table.returncode == 0 and "different?" in table.stdout and "simulated" in table.stdout
           and " same " not in table.stdout.split("compared:")[0], "the table has what differs", table.stdout)
    every = bench.run("model", "a.json", "x.db", "--facts").stdout
    tap.ok(" undecided" in every.split("compared:")[0] or " same" in every.split("compared:")[0],
           "--facts has all", every)
    of_csv = list(csv.DictReader(io.StringIO(bench.run("model", "a.json", "x.db", "--format", "csv").stdout)))
    tap.ok(len(of_csv) == len(other) and of_csv[0]["verdict"], "csv has a row per pair", len(of_csv))
    three = bench.run("model", "a.db", "b.db", "x.db")
    tap.ok(three.returncode == 0 and "\nx.db\n" in three.stdout, "of three each is held against the first",
           three.stdout)
    bench.run("run", "fake.work", "-p", "n=1", "--quick", "-q", "-o", "none.db")
    got = bench.run("model", "a.db", "none.db")
    tap.ok(got.returncode == 4 and "no fact in common" in got.stderr, "nothing in common: code 4", got.stderr)


def nodes(tap, bench):
    merged = bench.run("merge", "-o", "all.db", "left=a.db", "right=b.db", "odd=x.db", "-q")
    tap.ok(merged.returncode == 0, "three machines are merged", merged.stderr)
    tree = told(bench, "model", "all.db")
    names = [m["node"] for m in tree["models"]]
    tap.ok(names == ["left", "right", "odd"], "one model per node", names)
    for node, db in (("left", "a.db"), ("odd", "x.db")):
        own, part = told(bench, "model", db), told(bench, "model", "all.db", "--node", node)
        tap.ok(own["facts"] == part["facts"] and own["ceilings"] == part["ceilings"]
               and own["machine"] == {k: part["machine"][k] for k in own["machine"]}
               and own["run"]["started"] == part["run"]["started"] and part["run"]["synthetic"],
               f"{node} is as if its own file had been read")
    accused = {r["model"] for r in tree["differences"] if r["verdict"].startswith("different")}
    tap.ok(accused == {"odd"}, "what differs is said, of the odd one and no other", accused)
    table = bench.run("model", "all.db")
    tap.ok(table.returncode == 0 and "Between the machines" in table.stdout
           and all(f"Node  {n}" in table.stdout for n in names), "the table has both", table.stdout[:2000])
    for args, story in ((["--node", "od"], 'did you mean "odd"?'), (["-o", "n.json"], "--node left")):
        got = bench.run("model", "all.db", *args)
        tap.ok(got.returncode == 2 and story in got.stderr and not got.stdout, f"{args}: code 2", got.stderr)


def predictions(tap, bench):
    bench.run("model", "x.db", "-o", "x.json")
    by_run, by_file = (told(bench, "explain", "a.db", "--on", name) for name in ("x.db", "x.json"))
    tap.ok(by_run["predictions"] == by_file["predictions"], "a run and its model predict the same")
    points = [p for p in by_file["predictions"] if not p["why_not"]]
    tap.ok(len(points) > 5 and all(p["bound_interval"][0] <= p["bound"] <= p["bound_interval"][1]
                                   for p in points), "bounds there have their interval", points[:2])
    wide = [p for p in points if p["bench"] == "cpu.flops" and p["point"]["threads"] == 1
            and p["point"]["type"] == "f64" and p["point"]["isa"] == "avx512"]
    tap.ok(wide and all(p["bound"] > 1.1 * p["measured"] and "arithmetic" in p["limit"] for p in wide),
           "the arithmetic of the other machine bounds", wide)
    tap.ok(by_file["on"]["run"]["synthetic"] is True, "the stamp survives", by_file["on"]["run"])
    back = told(bench, "explain", "x.db", "--on", "a.json")["predictions"]
    tap.ok(any(p["why_not"] and "16 threads, and that machine has 2" in p["why_not"] for p in back),
           "what cannot run there is said", {p["why_not"] for p in back})
    itself = bench.run("explain", "a.db", "--on", "a.json")
    tap.ok(itself.returncode == 0 and "PREDICTION" not in itself.stdout and "share" in itself.stdout,
           "a model of the run's own machine explains it, and predicts nothing")
    bare = simulate(bench, "zen4-guest-2", "bare.db", "4", ["mem.latency"])
    own, by_bare = (told(bench, "explain", "a.db", *on)["points"] for on in ([], ["--on", "bare.db"]))
    tap.ok(bare.returncode == 0 and own == by_bare, "a file of the same machine without ceilings leaves the run its own", bare.stderr)
    table = bench.run("explain", "a.db", "--on", "x.json")
    tap.ok(table.returncode == 0 and "PREDICTION" in table.stdout and "bound there" in table.stdout
           and "simulated" in table.stdout, "the table says that it is a prediction", table.stdout[:500])
    rows = list(csv.DictReader(io.StringIO(bench.run("explain", "a.db", "--on", "x.json", "--format", "csv").stdout)))
    tap.ok(len(rows) == len(by_file["predictions"]) and rows[0]["bound"], "csv has a row per point", len(rows))
    merged = told(bench, "explain", "all.db")
    tap.ok([n["node"] for n in merged["nodes"]] == ["left", "right", "odd"]
           and merged["nodes"][2]["points"] == told(bench, "explain", "x.db")["points"],
           "of a merged file each machine is explained by its own ceilings")
    for args in (["a.json"], ["a.db", "--on", "all.db"], ["all.db", "--on", "a.json"], ["a.db", "--on", "cut.json"],
                 ["a.db", "--on", "absent"], ["a.db", "cpu.flop", "--on", "x.json"]):
        got = bench.run("explain", *args)
        tap.ok(got.returncode == 2 and got.stderr and not got.stdout, f"explain {' '.join(args)}: code 2", got.stderr)


SIZES = "8K,48K,200K,768K,3M,12M,24M,64M,200M,1G"
MACHINES = ("ryzen-9950x", "xeon-8180", "guest-16-lying-l3")


def held_out(tap, bench):
    """Points of simulated machines, between sizes that their models measured, predicted for each other and measured there.
    The interval must hold what was measured; a rule that says nothing, or anything, does not pass either."""
    for word in MACHINES:
        machine = os.path.join(ROOT, "machines", word + ".machine")
        bench.run("--machine", machine, "run", *BENCHES[:3], "--quick", "--seed", "7", "-q", "-o", f"m-{word}.db",
                  env=bench.real_env)
        bench.run("--machine", machine, "run", *BENCHES[:2], "--quick", "-p", f"size={SIZES}", "-p", "threads=1", "--seed", "9",
                  "-q", "-o", f"p-{word}.db", env=bench.real_env)
        bench.run("model", f"m-{word}.db", "-o", f"m-{word}.json")
    found = {word: {(r["bench"], str(r["point"])): r for r in bench.results(f"p-{word}.db")} for word in MACHINES}
    for here, there in itertools.permutations(MACHINES, 2):
        right, wrong, silent, widths = 0, [], 0, []
        for p in told(bench, "explain", f"p-{here}.db", "--on", f"m-{here}.json", "--on", f"m-{there}.json")["predictions"]:
            measured = found[there].get((p["bench"], str(p["point"])))
            if not measured or p["factor"] is None:
                silent += 1
                continue
            lo, hi = measured["metrics"][p["metric"]]["ci"]
            holds = p["expected_interval"][0] <= hi and p["expected_interval"][1] >= lo
            right += holds
            wrong += [] if holds else [p]
            widths.append(p["factor_interval"][1] / p["factor_interval"][0])
        widths.sort()
        tap.ok(right >= 0.95 * (right + len(wrong)) and silent < 0.3 * (right + silent) and widths[len(widths) // 2] < 3,
               f"{here} to {there}: {right} of {right + len(wrong)} hold, {silent} not said, half within "
               f"{widths[len(widths) // 2]:.2f}", wrong[:3])


def analysis(tap, bench):
    machine = os.path.join(ROOT, "machines", "xeon-phi-5110p.machine")
    done = bench.run("--machine", machine, "run", "app.leukocyte", "mem.latency", "cpu.flops", "--quick", "-q",
                     "--launches", "5", "--seed", "1", "-o", "phi.db", "-p", "variant=naive,atan,minmax",
                     "-p", "executor=serial,task:dbf", env=bench.real_env)
    tap.ok(done.returncode == 0, "tracking on a simulated Xeon Phi", done.stderr)
    text = " ".join(bench.run("explain", "phi.db", "app.leukocyte").stdout.split())
    for words in ("467 KiB in f64", "1 of 8 lanes of avx512 is used, 12.5 %", "36, against 240 hardware threads",
                  "204 of them find no cell", "Step 0, plain, one thread.", "From bottom to top:"):
        tap.ok(words in text, f"the analysis says: {words}", text)
    tree = told(bench, "explain", "phi.db", "app.leukocyte")
    tap.ok([a["bench"] for a in tree["analyses"]] == ["app.leukocyte"] and len(tree["analyses"][0]["paragraphs"]) > 5,
           "and json has its paragraphs")
    tap.ok(all(p["share"] > 0 and p["bound"] > p["measured"] for p in tree["points"]), "its points have a bound")
    there = " ".join(bench.run("explain", "phi.db", "--on", "x.db").stdout.split())
    tap.ok("against the machine of x.db" in there and "36, against 16 hardware threads" in there,
           "with --on it is held against the other machine", there[-2000:])


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    for word, db, seed in (("zen4-guest-2", "a.db", "1"), ("zen4-guest-2", "b.db", "2"),
                           ("xeon-guest-16-h200", "x.db", "3")):
        done = simulate(bench, word, db, seed)
        tap.ok(done.returncode == 0, f"{word} is simulated", done.stderr)
    files(tap, bench)
    refusals(tap, bench)
    differences(tap, bench)
    nodes(tap, bench)
    predictions(tap, bench)
    held_out(tap, bench)
    analysis(tap, bench)
    tap.done()


if __name__ == "__main__":
    main()
