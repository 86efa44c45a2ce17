# SPDX-License-Identifier: MIT
"""tools/judge_machines.py with planted answers: what is wrong is called so, and what was judged is not judged again."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from e2e import Tap

ROOT = Path(__file__).resolve().parent.parent.parent
JUDGE = ROOT / "tools" / "judge_machines.py"
MACHINE = ROOT / "machines" / "core2-q6600.machine"  # two levels: 32 KiB and 4 MiB
KINDS = ROOT / "machines" / "apple-m1-like.machine"  # large cores: 128 KiB, 12 MiB; small ones: 64 KiB, 4 MiB; 8 MiB more
# Plays archmeter: counts runs, and tells the planted model.
PROGRAM = """#!/bin/sh
case "$1" in
--version) echo planted 1 ;;
model) cat {folder}/model.json ;;
*) echo run >> {folder}/runs ;;
esac
"""


def size_of(level, size, least, most, contradicts=False):
    return {"family": "memory", "name": "size", "labels": {"level": level}, "value": size, "interval": [least, most],
            "contradicts": contradicts}


def levels(n):
    return {"family": "memory", "name": "levels", "labels": {}, "value": n, "interval": [n, n], "contradicts": False}


def placed(facts, place):
    return [{**f, "labels": {**f["labels"], "on": place}} for f in facts]


RIGHT = [levels(2), size_of("l1d", 32e3, 30e3, 34e3), size_of("l2", 4.2e6, 4e6, 4.4e6)]
# What the model says, the exit code, and a word of what is printed.
PLANTED = [
    ("the truth", RIGHT, 0, "right in 100.0 %"),
    ("nothing", [], 0, "undecided in 100.0 %"),
    ("other cores' levels only", placed(RIGHT, "kind:small"), 0, "undecided in 100.0 %"),
    ("a level too many", [levels(3)] + RIGHT[1:], 1, "3 levels, not 2"),
    ("a size far off", RIGHT[:2] + [size_of("l2", 9e6, 8e6, 10e6)], 1, "l2 of 8789 KiB"),
    ("the same with an interval that has the truth", RIGHT[:2] + [size_of("l2", 9e6, 4e6, 10e6)], 0, "right in 100.0 %"),
    ("a true statement denied", RIGHT[:2] + [size_of("l2", 4.2e6, 4e6, 4.4e6, True)], 1, "is denied by"),
]


class Stage:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.program = self.folder / "archmeter"
        self.program.write_text(PROGRAM.format(folder=folder), encoding="utf-8")
        self.program.chmod(0o755)

    def judge(self, facts, *words, guidelines=(), machine=MACHINE):
        model = {"facts": facts, "guidelines": list(guidelines)}
        (self.folder / "model.json").write_text(json.dumps(model), encoding="utf-8")
        (self.folder / "runs").write_text("", encoding="utf-8")
        done = subprocess.run([sys.executable, JUDGE, self.program, machine, "--seeds", "4", *words],
                              capture_output=True, text=True, check=False)
        return done, len((self.folder / "runs").read_text(encoding="utf-8").splitlines())


def planted(tap, stage):
    for what, facts, code, word in PLANTED:
        done, runs = stage.judge(facts)
        tap.ok(done.returncode == code and word in done.stdout and runs == 4, f"{what}: {word}",
               (done.returncode, done.stdout, done.stderr))
    small = [levels(3), size_of("l1d", 65e3, 64e3, 70e3), size_of("l2", 4.2e6, 4e6, 4.4e6), size_of("l3", 13e6, 12e6, 14e6)]
    done, _ = stage.judge(placed(small, "kind:small"), machine=KINDS)
    tap.ok(done.returncode == 0 and "right in 50.0 % (4 of 8)" in done.stdout, "each kind of core has its own caches", done.stdout)
    done, _ = stage.judge(small, machine=KINDS)
    tap.ok(done.returncode == 1 and "l2 of 4102 KiB" in done.stdout, "and not those of another", done.stdout)
    said = {"id": "core.precision", "text": "Single precision has 1.5 x the arithmetic of double."}
    done, runs = stage.judge(RIGHT, "--guides", "2", guidelines=[said])
    tap.ok(done.returncode == 1 and "it is 2 x" in done.stdout and runs == 6, "a guideline contradicted", done.stdout)


def resumed(tap, stage):
    results = stage.folder / "results.jsonl"
    words = ("--results", str(results))
    done, runs = stage.judge(RIGHT, *words, "--seconds", "-1")
    tap.ok(done.returncode == 3 and runs == 0 and "4 runs are left" in done.stdout, "no time: nothing is judged", done.stdout)
    done, runs = stage.judge(RIGHT, *words)
    tap.ok(done.returncode == 0 and runs == 4, "all are judged", (runs, done.stdout))
    done, runs = stage.judge(PLANTED[2][1], *words)
    tap.ok(done.returncode == 0 and runs == 0, "and not again", (runs, done.stdout))
    text = results.read_text(encoding="utf-8")
    results.write_text(text[:-20], encoding="utf-8")
    done, runs = stage.judge(RIGHT, *words)
    tap.ok(done.returncode == 0 and runs == 1, "a line that was cut is judged again", (runs, done.stderr))
    done, runs = stage.judge(RIGHT, *words, "--lies")
    tap.ok(runs == 4, "other statements are another question", runs)
    stage.program.write_text(stage.program.read_text(encoding="utf-8") + "# built anew\n", encoding="utf-8")
    done, runs = stage.judge(RIGHT, *words)
    tap.ok(runs == 4, "what another program concluded does not count", runs)


def failing(tap, stage):
    stage.program.write_text("#!/bin/sh\necho broken >&2\nexit 9\n", encoding="utf-8")
    done, _ = stage.judge(RIGHT)
    tap.ok(done.returncode == 1 and "ended with 9: broken" in done.stderr, "runs that fail are told", done.stderr)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="am-judge-") as folder:
        stage = Stage(os.path.realpath(folder))
        planted(tap, stage)
        resumed(tap, stage)
        failing(tap, stage)
    tap.done()


if __name__ == "__main__":
    main()
