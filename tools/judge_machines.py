#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the model concludes about machines whose truth is known.

    judge_machines.py ARCHMETER [--seeds N] [--first SEED] [--quick] MACHINE...

Runs mem.latency on each described machine (machines/*.machine) with each seed, derives the model and holds it against
the description: the number of cache levels (right, undecided or wrong), sizes, latencies, and statements of the system
(true ones denied, false ones denied or believed). A Markdown table goes to standard output. Exit code 1 when a number
of levels is wrong or a true statement is denied, so that a test can run a part of it.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

SUFFIXES = {"K": 2**10, "M": 2**20, "G": 2**30}
FALSE_BY = 2.0  # a statement further from the truth than this is a lie that must be found


class Cache(NamedTuple):
    least: float  # bytes that a launch gets of it
    most: float
    stated: float  # 0: not stated
    cycles: float


class Truth(NamedTuple):
    caches: list[Cache]
    memory_ns: float


class Tally:
    def __init__(self) -> None:
        self.right = self.undecided = self.wrong = 0
        self.true_claims = self.falsely_denied = self.lies = self.denied = self.believed = 0
        self.size_errors: list[float] = []
        self.latency_errors: list[float] = []

    def add(self, other: "Tally") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def number(text: str) -> float:
    return float(text[:-1]) * SUFFIXES[text[-1]] if text[-1] in SUFFIXES else float(text)


def sections(path: Path) -> list[tuple[str, dict[str, str]]]:
    found: list[tuple[str, dict[str, str]]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("["):
            found.append((line.strip("[]"), {}))
        elif line and found:
            key, _, value = line.partition(" ")
            found[-1][1].setdefault(key, value.strip())
    return found


def truth_of(path: Path) -> Truth:
    """As one core of the first kind sees it; exclusive levels add the one before them."""
    all_sections = sections(path)
    kind = next(name.split()[1] for name, _ in all_sections if name.startswith("kind "))
    ghz = float(next(keys["one_ghz"] for name, keys in all_sections if name.startswith("kind ")))
    caches: list[Cache] = []
    before = 0.0
    for name, keys in all_sections:
        if not name.startswith("cache ") or keys.get("kind", kind) != kind:
            continue
        size = number(keys["size"])
        adds = before if keys.get("fill", "inclusive") != "inclusive" else 0
        stated = 0.0 if keys.get("hidden") == "yes" else number(keys.get("stated", "0")) or size
        caches.append(Cache(size * float(keys.get("share_least", "1")) + adds,
                            size * float(keys.get("share_most", "1")) + adds, stated,
                            float(keys["cycles"]) + float(keys.get("ns", "0")) * ghz))
        before = size
    memory = next(keys for name, keys in all_sections if name == "memory")
    return Truth(caches, float(memory["latency_ns"]))


def facts_of(archmeter: str, machine: Path, seed: int, quick: bool) -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        run = str(Path(folder, "run.db"))
        words = [archmeter, "--machine", str(machine), "run", "mem.latency", "-q", "--seed", str(seed), "-o", run]
        subprocess.run(words + (["--quick"] if quick else []), stdout=subprocess.DEVNULL, check=True)
        told = subprocess.run([archmeter, "model", run, "--facts", "--format", "json"], stdout=subprocess.PIPE,
                              check=True, text=True)
    return json.loads(told.stdout)["facts"]


def pick(facts: list[dict], name: str, level: str) -> dict | None:
    return next((f for f in facts if f["family"] == "memory" and f["name"] == name
                 and f["labels"].get("level", "") == level), None)


def judge_levels(facts: list[dict], truth: Truth, tally: Tally) -> bool:
    levels = next((f["value"] for f in facts if f["family"] == "memory" and f["name"] == "levels"), None)
    right = levels == len(truth.caches)
    tally.right += right
    tally.undecided += levels is None
    tally.wrong += levels is not None and not right
    return right


def judge_cache(fact: dict, cache: Cache, tally: Tally) -> None:
    nearest = min(max(fact["value"], cache.least), cache.most)
    tally.size_errors.append(abs(fact["value"] / nearest - 1))
    if cache.stated <= 0:
        return
    away = max(cache.stated / cache.most, cache.least / cache.stated)
    if away >= FALSE_BY:
        tally.lies += 1
        tally.denied += fact["contradicts"]
        tally.believed += not fact["contradicts"]
    elif cache.least <= cache.stated <= cache.most:
        tally.true_claims += 1
        tally.falsely_denied += fact["contradicts"]


def judge(facts: list[dict], truth: Truth) -> Tally:
    tally = Tally()
    if not judge_levels(facts, truth, tally):
        return tally
    for level, cache in zip(("l1d", "l2", "l3", "l4"), truth.caches):
        size, cycles = pick(facts, "size", level), pick(facts, "cycles", level)
        if size:
            judge_cache(size, cache, tally)
        if cycles:
            tally.latency_errors.append(abs(cycles["value"] / cache.cycles - 1))
    memory = pick(facts, "latency", "memory")
    if memory:
        tally.latency_errors.append(abs(memory["value"] * 1e9 / truth.memory_ns - 1))
    return tally


def median(values: list[float]) -> str:
    values = sorted(values)
    return f"{100 * values[len(values) // 2]:.1f} %" if values else "-"


def row(name: str, t: Tally) -> str:
    lies = f"{t.denied} of {t.lies}" if t.lies else "-"
    return (f"| {name} | {t.right} | {t.undecided} | {t.wrong} | {median(t.size_errors)} | {median(t.latency_errors)} |"
            f" {t.falsely_denied} of {t.true_claims} | {lies} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("archmeter")
    parser.add_argument("machines", nargs="+", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    total = Tally()
    print("| machine | right | undecided | wrong | size error, median | latency error, median | true statements denied |"
          " lies denied |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
    for machine in options.machines:
        truth, tally = truth_of(machine), Tally()
        for seed in range(options.first, options.first + options.seeds):
            tally.add(judge(facts_of(options.archmeter, machine, seed, options.quick), truth))
        print(row(machine.stem, tally), flush=True)
        total.add(tally)
    runs = total.right + total.undecided + total.wrong
    print(row(f"all {runs} runs", total))
    return 1 if total.wrong or total.falsely_denied else 0


if __name__ == "__main__":
    sys.exit(main())
