# SPDX-License-Identifier: MIT
"""Studies on a simulated machine: planned, measured, interrupted, shown in every format; bad ones refused with their place."""
import json
import os
import signal
import sqlite3
import sys
import time

from e2e import Bench, Tap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MACHINE = os.path.join(ROOT, "machines", "zen4-guest-2.machine")
EXAMPLE = os.path.join(ROOT, "examples", "latency.study")
SHORT = ["--quick", "--seed", "1", "-q"]
WANTED = {"memory-is-far": "reproduced", "grows": "reproduced", "flat": "contradicted", "huge-pages": "undecided here"}

BAD = [
    ("no study: its first line", "test null\nrun\n"),
    (":2:1: ", "study s\ntitel T\nsource S\ntest null\nrun\n"),
    (":6:19: no bench is called \"mem.latncy\"; did you mean \"mem.latency\"",
     "study s\ntitle T\nsource S\ntable 1\ncaption C\nnumber A | 3 ns | mem.latncy\ntest null\nrun\n"),
    (":7:6: mem.latency has no axis \"siz\"; did you mean \"size\"",
     "study s\ntitle T\nsource S\nclaim c\nsays X\nsection 1\nthat mem.latency siz=1 is less than 3 ns\ntest null\nrun\n"),
    ("mem.latency has no metric \"latenci\"; did you mean \"latency\"",
     "study s\ntitle T\nsource S\nclaim c\nsays X\nsection 1\nthat mem.latency:latenci is less than 3 ns\ntest null\nrun\n"),
    (":5:1: no figure is called \"latecy\"; did you mean \"latency\"",
     "study s\ntitle T\nsource S\nfigure 1\nlike latecy\ntest null\nrun\n"),
    ("no bench of ours is called so", "study s\ntitle T\nsource S\ntest mem.latncy\nrun\n"),
]


def simulate(bench, *args, **kwargs):
    return bench.run("--machine", MACHINE, *args, env=bench.real_env, **kwargs)


def bad_files(tap, bench):
    for i, (story, text) in enumerate(BAD):
        name = f"bad{i}.study"
        with open(bench.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        done = simulate(bench, "study", "check", name)
        tap.ok(done.returncode == 2 and story in done.stderr, f"a bad study is refused: {story}", done.stderr)
    for words, story in ((["run"], "takes a study"), (["rnu", "x"], 'did you mean "run"'), (["show", "none.db"], "none.db"),
                         (["run", "no-such"], "no study")):
        done = simulate(bench, "study", *words)
        tap.ok(done.returncode == 2 and story in done.stderr, f"study {' '.join(words)} is refused", done.stderr)


def planned(tap, bench):
    done = simulate(bench, "study", "check", EXAMPLE)
    tap.ok(done.returncode == 0 and "quick form" in done.stderr and "full form" in done.stderr, "both forms of the example are good",
           done.stderr)
    done = simulate(bench, "study", "plan", EXAMPLE, "--quick")
    tap.ok(done.returncode == 0 and "mem.latency" in done.stdout, "plan says what is measured", done.stdout)
    tap.ok(simulate(bench, "study").returncode == 0, "without words the shipped studies are listed")


def ranked(tap, bench):
    """Points that a claim or its reason rests on come first, then those of figures, then the rest; launches likewise."""
    with open(bench.path("ranked.study"), "w", encoding="utf-8") as file:
        file.write("study ranked\ntitle T\nsource S\ntest mem.latency\npattern random\naxis size 16K,64K,256K,1M\nrun\ntest null\nrun\n"
                   "figure 1\ncaption C\nbench mem.latency\nx size\nwhere size>=256K\n"
                   "claim c\nsays X\nsection 1\nthat mem.latency size=@min is less than 3 ns\nbecause Y | mem.latency size=64K is less than 9 ns\n")
    done = simulate(bench, "study", "plan", "ranked.study", "--quick", "--format", "json")
    plan = json.loads(done.stdout) if done.returncode == 0 else {"points": []}
    ranks = {p["point"].get("size"): (p["worth"] // 100, p["least"], p["most"]) for p in plan["points"]}
    claimed, drawn, rest = (0, 3, 20), (1, 2, 5), (2, 2, 5)
    tap.ok(ranks == {16384: claimed, 65536: claimed, 262144: drawn, 1048576: drawn, None: rest}, "time goes to claims first", (ranks, done.stderr))
    done = simulate(bench, "study", "plan", "ranked.study", "--quick", "--launches", "3", "--format", "json")
    tap.ok({(p["least"], p["most"]) for p in json.loads(done.stdout)["points"]} == {(3, 3)}, "launches that are asked for are those that are made")


def trusted(tap, bench):
    """A study from elsewhere runs no command unasked."""
    with open(bench.path("runs.study"), "w", encoding="utf-8") as file:
        file.write("study runs\ntitle T\nsource S\nreps 3\ntest touch\nexec touch\narg done\nrun\n"
                   "claim c\nsays X\nsection 1\nthat exec.touch:time is less than 1e6 s\n")
    done = bench.run("study", "run", "runs.study", "-q", "-o", "t.db", env=bench.real_env)
    tap.ok(done.returncode == 2 and "--trust" in done.stderr and not os.path.exists(bench.path("done")),
           "commands of a study are not run unasked", done.stderr)
    done = bench.run("study", "run", "runs.study", "--trust", "-q", "-o", "t.db", "--format", "json", env=bench.real_env)
    tap.ok(os.path.exists(bench.path("done")) and json.loads(done.stdout)["comparisons"] == 1, "with --trust they are", done.stderr)


def outcomes(told):
    return {c["claim"]: c["outcome"] for c in told["claims"]}


def shown(tap, bench):
    done = simulate(bench, "study", "run", EXAMPLE, *SHORT, "-o", "s.db", "--format", "json")
    told = json.loads(done.stdout) if done.returncode == 0 else {"claims": []}
    tap.ok(outcomes(told) == WANTED, "claims come out as the machine was planted", (done.stderr, outcomes(told)))
    again = bench.run("study", "show", "s.db", "--format", "json")
    tap.ok(again.returncode == 0 and json.loads(again.stdout)["claims"] == told["claims"],
           "show says the same of the stored run, without the file", again.stderr)
    tap.ok(told["tables"] == {"in_paper": 1, "made": 1, "not_made_here": 0, "missing": 0} and told["figures"]["missing"] == 1,
           "tables and figures are counted", (told.get("tables"), told.get("figures")))
    reasons = [c["why"] for c in told["claims"] if c["claim"] == "huge-pages"]
    tap.ok(reasons and "pages=huge" in reasons[0], "what is undecided has its reason", reasons)
    for form, part in (("table", "contradicted"), ("md", "| contradicted"), ("tex", "contradicted"), ("csv", "contradicted,flat")):
        done = bench.run("study", "show", "s.db", "--format", form)
        tap.ok(done.returncode == 0 and part in done.stdout, f"show as {form}", (done.stdout[:2000], done.stderr))
    done = bench.run("study", "show", "s.db", "-o", "s.html")
    with open(bench.path("s.html"), encoding="utf-8") as file:
        page = file.read()
    tap.ok(done.returncode == 0 and "<svg" in page and "Figure 1" in page and "Caches: the sentence is wrong" in page,
           "the page has the figure, and why a claim is contradicted")
    tap.ok("(supported: ratio" in page, "and that the run supports it")
    with sqlite3.connect(bench.path("s.db")) as db:
        db.execute("UPDATE setting SET value = replace(value, 'like latency', 'like later\nmetric energy:')")
    done = bench.run("study", "show", "s.db")
    tap.ok(done.returncode == 0 and "this version has no such figure" in done.stdout, "a figure of another version is not made", done.stderr)
    tap.ok(simulate(bench, "run", "null", *SHORT, "--launches", "1", "-o", "n.db").returncode == 0
           and bench.run("study", "show", "n.db").returncode == 2, "a run that is no study's has none to show")


def resumed(tap, bench):
    """A study that was interrupted goes on by resume, without its file, and says the same in the end."""
    with open(EXAMPLE, encoding="utf-8") as example, open(bench.path("mine.study"), "w", encoding="utf-8") as mine:
        mine.write(example.read())
    started = bench.start("--machine", MACHINE, "study", "run", "mine.study", *SHORT, "-o", "r.db", env=bench.real_env)
    while started.poll() is None and not os.path.exists(bench.path("r.db")):
        time.sleep(0.01)
    started.send_signal(signal.SIGINT)
    started.communicate()
    os.remove(bench.path("mine.study"))
    done = bench.run("--machine", MACHINE, "resume", "r.db", "-q", env=bench.real_env)
    told = json.loads(bench.run("study", "show", "r.db", "--format", "json").stdout)
    tap.ok(outcomes(told) == WANTED, "resume finishes a study", (outcomes(told), done.stdout, done.stderr))


def main():
    tap, bench = Tap(), Bench(sys.argv[1], sys.argv[2])
    bad_files(tap, bench)
    planned(tap, bench)
    ranked(tap, bench)
    trusted(tap, bench)
    shown(tap, bench)
    resumed(tap, bench)
    tap.done()


if __name__ == "__main__":
    main()
