#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the model concludes about machines whose truth is known.

    judge_machines.py ARCHMETER [--seeds N] [--first SEED] [--quick] [--lies] [--guides N] [--jobs N] [--results FILE]
                      [--seconds S] [--write FILE] MACHINE...

Runs mem.latency on each described machine (machines/*.machine) with each seed, derives the model and holds it against
the description: the number of cache levels with their sizes (right, undecided or wrong), latencies, and statements of
the system (true ones denied, false ones denied or believed). Sizes are wrong when the truth lies outside of the stated
interval by more than replacement policies differ. --lies states one cache falsely, by 2.5, 4 or 8 either way, in every
third seed. --guides N also runs the quick set of cores and memory with the first N seeds and holds the guidelines
against the description.

A machine's row is printed when its last run is judged. Every judged run is a line of the file of --results, and runs
that have their line there are not repeated: an interrupted command is finished by giving it again, until something
that was judged changes (programs, description, these tools). After --seconds no further run is begun. Rates of all
that is judged come last; with --write the whole goes as a page to that file, once everything is judged. Machines whose
neighbour works nearly always and is seen are busy: there every fact about memory is one too many.

Exit code 1 when a number of levels or a size is wrong, a true statement is denied, a guideline is contradicted, a busy
machine is concluded upon or a run failed; 3 when runs are left to be judged.
Needs this folder, the descriptions, Python and an installed archmeter or a bundle; nothing else.
"""

import argparse
import datetime
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Iterator, NamedTuple, TextIO

from machine_truth import Cache, Truth, contradictions, cpu_count, is_held_out, other_kinds, truth_of, with_lie

FALSE_BY = 2.0  # a statement further from the truth than this is a lie that must be found
SIZE_TOLERANCE = 4 / 3  # policies lose a quarter of the loads at 0.75 to 1.33 of a cache (doc/guide/machines.md)
LEVELS = ("l1d", "l2", "l3", "l4")
HEAD = ("machine", "right", "undecided", "wrong", "size error, median", "latency error, median",
        "true statements denied", "lies denied", "lies where undecided", "guidelines contradicted", "concluded when busy")
WORKERS = ("cpu", "sim")  # of the real ones; all that is judged is measured by the first
FINE, WRONG, UNFINISHED = 0, 1, 3


class Task(NamedTuple):
    machine: Path
    seed: int
    part: str  # "memory" or "guides"


class Tally:
    def __init__(self, **values) -> None:
        self.right = self.undecided = self.wrong = 0
        self.true_claims = self.falsely_denied = self.lies = self.denied = self.left_open = 0
        self.guided = self.busy_runs = self.busy_facts = 0
        self.size_errors: list[float] = []
        self.latency_errors: list[float] = []
        self.contradicted: list[str] = []
        self.mistakes: list[str] = []  # what makes a run wrong, and lies that were believed
        vars(self).update(values)

    def add(self, other: "Tally") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def runs(self) -> int:
        return self.right + self.undecided + self.wrong

    def is_bad(self) -> bool:
        return bool(self.wrong or self.falsely_denied or self.contradicted or self.busy_facts)


# ---- one run ----


def scratch() -> str | None:
    """Results of simulated machines need no disk."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def finished(words: list[str], allowed: tuple[int, ...]) -> str:
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode not in allowed:
        raise RuntimeError(f"{' '.join(words)} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def model_of(archmeter: str, machine: Path, seed: int, what: list[str]) -> dict:
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        run = str(Path(folder, "run.db"))
        finished([archmeter, "--machine", str(machine), "run", *what, "-q", "--seed", str(seed), "-o", run],
                 (0, 1))  # 1: some points could not be measured on such a machine
        return json.loads(finished([archmeter, "model", run, "--format", "json"], (0,)))


def pick(facts: list[dict], name: str, level: str) -> dict | None:
    return next((f for f in facts if f["family"] == "memory" and f["name"] == name
                 and f["labels"].get("level", "") == level), None)


def size_is_off(size: dict | None, cache: Cache) -> bool:
    if not size:
        return False
    lo, hi = (size["value"] if end is None else end for end in size["interval"])
    return lo / SIZE_TOLERANCE > cache.most or hi * SIZE_TOLERANCE < cache.least


def judge_levels(facts: list[dict], truth: Truth, tally: Tally) -> bool:
    """Whether the number is right; the run only is when its sizes are those of the caches, too."""
    levels = next((f["value"] for f in facts if f["family"] == "memory" and f["name"] == "levels"), None)
    right = levels == len(truth.caches)
    off = [level for level, cache in zip(LEVELS, truth.caches) if right and size_is_off(pick(facts, "size", level), cache)]
    tally.right += right and not off
    tally.undecided += levels is None
    tally.wrong += levels is not None and (not right or bool(off))
    if levels is not None and not right:
        tally.mistakes.append(f"{levels:.0f} levels, not {len(truth.caches)}")
    for level in off:
        size, cache = pick(facts, "size", level), truth.caches[LEVELS.index(level)]
        tally.mistakes.append(f"{level} of {size['value'] / 1024:.0f} KiB, {size['interval']}, "
                              f"not {cache.least / 1024:.0f} to {cache.most / 1024:.0f} KiB")
    return right


def judge_statement(fact: dict | None, cache: Cache, decided: bool, tally: Tally) -> None:
    if cache.stated <= 0:
        return
    denied = bool(fact and fact["contradicts"])
    if max(cache.stated / cache.most, cache.own / cache.stated) >= FALSE_BY:
        counts = decided or fact is not None
        tally.lies += counts
        tally.left_open += not counts
        tally.denied += denied
        if counts and not denied:
            told = f"{fact['value'] / 1024:.0f} KiB, {fact['interval']}" if fact else "no size"
            tally.mistakes.append(f"{cache.section} is stated with {cache.stated / 1024:.0f} KiB and has "
                                  f"{cache.most / 1024:.0f}; not denied by {told}")
    elif cache.own <= cache.stated <= cache.most:
        tally.true_claims += 1
        tally.falsely_denied += denied
        if denied:
            tally.mistakes.append(f"{cache.section} of {cache.stated / 1024:.0f} KiB is denied by {fact['interval']}")


def judge(facts: list[dict], truth: Truth) -> Tally:
    tally = Tally()
    if truth.busy:
        tally.busy_runs = 1
        tally.busy_facts = sum(f["family"] == "memory" for f in facts)
        return tally
    right = judge_levels(facts, truth, tally)
    for level, cache in zip(LEVELS, truth.caches):
        size, cycles = pick(facts, "size", level), pick(facts, "cycles", level)
        judge_statement(size, cache, right, tally)
        if size:
            nearest = min(max(size["value"], cache.least), cache.most)
            tally.size_errors.append(abs(size["value"] / nearest - 1))
        if cycles and right:
            tally.latency_errors.append(abs(cycles["value"] / cache.cycles - 1))
    memory = next((f for f in facts if f["family"] == "memory" and f["name"] == "latency_local"), None)
    memory = memory or pick(facts, "latency", "memory")
    if memory and right:
        tally.latency_errors.append(abs(memory["value"] * 1e9 / truth.memory_ns - 1))
    return tally


def judge_places(facts: list[dict], machine: Path) -> Tally:
    """The first kind of core, and each other one that something is told of: their caches differ."""
    tally = judge([f for f in facts if "on" not in f["labels"]], truth_of(machine))
    for place, kind in other_kinds(machine).items():
        own = [f for f in facts if f["labels"].get("on") == place and f["family"] == "memory"]
        if own:
            other = judge(own, truth_of(machine, kind))
            other.mistakes = [f"{place}: {text}" for text in other.mistakes]
            tally.add(other)
    return tally


def judge_guides(archmeter: str, machine: Path, seed: int) -> Tally:
    tally = Tally()
    tally.guided, tally.contradicted = contradictions(machine, model_of(archmeter, machine, seed, ["--quick"])["guidelines"])
    return tally


def judge_memory(options: argparse.Namespace, machine: Path, seed: int) -> Tally:
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        used = with_lie(machine, seed, Path(folder)) if options.lies else machine
        what = ["mem.latency"] + (["--quick"] if options.quick else [])
        return judge_places(model_of(options.archmeter, used, seed, what)["facts"], used)


def one(options: argparse.Namespace, task: Task) -> Tally:
    if task.part == "guides":
        tally = judge_guides(options.archmeter, task.machine, task.seed)
    else:
        tally = judge_memory(options, task.machine, task.seed)
    told = f"{task.machine.stem}, seed {task.seed}: "
    tally.contradicted = [told + text for text in tally.contradicted]
    tally.mistakes = [told + text for text in tally.mistakes]
    return tally


# ---- what is judged already ----


class Results:
    """Judged runs by what they depend on; a file of JSON lines when there is one."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.digests: dict[Path, str] = {}
        self.common = digest([*programs_of(options.archmeter), *sorted(Path(__file__).resolve().parent.glob("*machine*.py"))])
        self.done: dict[str, Tally] = {}
        self.file: TextIO | None = None
        if options.results:
            self.read(options.results)
            self.file = options.results.open("a", encoding="utf-8")

    def read(self, path: Path) -> None:
        """A line that was cut when somebody pulled the plug is judged again."""
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            try:
                entry = json.loads(line)
                self.done[entry["key"]] = Tally(**entry["tally"])
            except (ValueError, KeyError, TypeError):
                continue

    def key(self, task: Task) -> str:
        machine = self.digests.setdefault(task.machine, digest([task.machine]))
        how = f"{'quick' if self.options.quick else 'standard'} {'lies' if self.options.lies else 'honest'}"
        return f"{task.machine.stem} {task.seed} {'quick set' if task.part == 'guides' else how} {machine} {self.common}"

    def put(self, task: Task, tally: Tally) -> None:
        self.done[self.key(task)] = tally
        if self.file:
            self.file.write(json.dumps({"key": self.key(task), "tally": vars(tally)}) + "\n")
            self.file.flush()

    def get(self, task: Task) -> Tally | None:
        return self.done.get(self.key(task))


def digest(files: list[Path]) -> str:
    whole = hashlib.sha256()
    for file in files:
        whole.update(file.read_bytes())
    return whole.hexdigest()[:16]


def programs_of(archmeter: str) -> list[Path]:
    """archmeter and the workers in use, where either kind of installation has them."""
    here = Path(archmeter).resolve().parent
    workers = [folder / f"archmeter-worker-{name}" for folder in (here, here.parent / "libexec" / "archmeter") for name in WORKERS]
    return [Path(archmeter).resolve(), *(path for path in workers if path.exists())]


def use_few_workers(archmeter: str, folder: Path) -> None:
    """Every run asks all workers that it finds for their benches; drivers of devices take their time to come up."""
    for program in programs_of(archmeter)[1:]:
        (folder / program.name).symlink_to(program)
    os.environ["ARCHMETER_WORKERS"] = str(folder)


# ---- tables ----


def median(values: list[float]) -> str:
    values = sorted(values)
    return f"{100 * values[len(values) // 2]:.1f} %" if values else "-"


def of(part: int, whole: int) -> str:
    return f"{part} of {whole}" if whole else "-"


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} % ({part} of {whole})" if whole else "none"


def row(name: str, t: Tally) -> str:
    cells = (name, t.right, t.undecided, t.wrong, median(t.size_errors), median(t.latency_errors),
             of(t.falsely_denied, t.true_claims), of(t.denied, t.lies), t.left_open or "-",
             of(len(t.contradicted), t.guided), of(t.busy_facts, t.busy_runs))
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def machine_row(machine: Path, tally: Tally) -> str:
    return row(machine.stem + (" (held out)" if is_held_out(machine.stem) else ""), tally)


def head() -> list[str]:
    return ["| " + " | ".join(HEAD) + " |", "|" + " --- |" * len(HEAD)]


def rates(t: Tally) -> list[str]:
    """What is asked for, and what was found."""
    return [
        f"- levels and their sizes right in {share(t.right, t.runs())} (asked: 85 %), undecided in "
        f"{share(t.undecided, t.runs())}, wrong in {share(t.wrong, t.runs())} (asked: 1 % at most)",
        f"- median error of sizes {median(t.size_errors)} (asked: 8 %), of latencies {median(t.latency_errors)} "
        "(asked: 2 %)",
        f"- true statements denied: {share(t.falsely_denied, t.true_claims)} (asked: 0.5 % at most)",
        f"- statements false by 2 x or more denied: {share(t.denied, t.lies)} (asked: 97 %); {t.left_open} more about "
        "levels that were left undecided",
        f"- guidelines that the description contradicts: {of(len(t.contradicted), t.guided)} (asked: 0)",
        f"- facts about memory on busy machines: {t.busy_facts} in {t.busy_runs} runs (asked: 0)",
    ]


def summary(tallies: dict[Path, Tally]) -> tuple[list[str], list[str]]:
    """Rows of the parts, and the rates of each with what was wrong."""
    parts: dict[str, Tally] = {"in view": Tally(), "held out": Tally(), "all": Tally()}
    for machine, tally in tallies.items():
        parts["held out" if is_held_out(machine.stem) else "in view"].add(tally)
        parts["all"].add(tally)
    rows = [row(f"**{name}**, {t.runs() + t.busy_runs} runs", t) for name, t in parts.items() if vars(t) != vars(Tally())]
    told = []
    for name, t in parts.items():
        if t.runs() or t.busy_runs:
            told += ["", f"**{name}**:", "", *rates(t)]
    wrong = parts["all"].contradicted + parts["all"].mistakes
    return rows, told + (["", "**Mistakes**:", "", *(f"- {text}" for text in wrong)] if wrong else [])


def page(options: argparse.Namespace, lines: list[str]) -> str:
    version = finished([options.archmeter, "--version"], (0,))
    lies = "one cache stated falsely by 2.5, 4 or 8 either way in every third seed" if options.lies else "as stated"
    return "\n".join([
        "# Conclusions on simulated machines", "",
        "Written by `tools/judge_machines.py`; do not edit. "
        f"Sweep: {'quick' if options.quick else 'standard'}; seeds {options.first} to "
        f"{options.first + options.seeds - 1}; statements: {lies}; guidelines of the quick set of cores and memory with {options.guides} "
        f"seeds per machine. {version.splitlines()[0]}, {datetime.date.today().isoformat()}.", "",
        "Descriptions whose name hashes (SHA-256) to a first digit of c to f are held out: nothing of the fit was changed because "
        "of their results, which were printed meanwhile. Machines whose neighbour works nearly always and is seen are busy. A run is right "
        "when it has the number of levels and every size that it tells is that of its cache: the truth lies in the stated interval, or "
        "outside of it by less than replacement policies differ (a third). Sizes are held against what a launch gets of a "
        "cache; latencies against the description without translation. The simulator's caches follow the same theory of "
        "replacement as the fit (doc/guide/machines.md): real machines are the other test. Each kind of core that a machine has "
        "counts as a run of its own.", "",
        *lines, ""])


# ---- all of it ----


def tasks_of(options: argparse.Namespace) -> list[Task]:
    """Machine by machine, those with most CPUs first: they take longest."""
    seeds = range(options.first, options.first + options.seeds)
    return [Task(machine, seed, part) for machine in sorted(options.machines, key=cpu_count, reverse=True)
            for part in ("memory", "guides") for seed in (seeds if part == "memory" else seeds[:options.guides])]


def run_all(options: argparse.Namespace, tasks: list[Task], results: Results) -> Iterator[Task | None]:
    """Yields every task that has been judged, and None for each that failed; ends early when it is told or time is up."""
    stop, ends = threading.Event(), time.monotonic() + options.seconds
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, lambda *_: stop.set())

    def work(task: Task) -> Tally | None:
        return None if stop.is_set() or time.monotonic() > ends else one(options, task)

    with ThreadPoolExecutor(options.jobs) as pool:
        waiting = {pool.submit(work, task): task for task in tasks}
        for future in as_completed(waiting):
            try:
                tally = future.result()
            except RuntimeError as error:
                if not stop.is_set():
                    print(error, file=sys.stderr, flush=True)
                    yield None
                continue
            if tally:
                results.put(waiting[future], tally)
                yield waiting[future]


def judge_all(options: argparse.Namespace, results: Results) -> tuple[dict[Path, Tally], int, int]:
    """Tallies by machine, tasks left and failures. Prints rows as machines are finished."""
    tasks = tasks_of(options)
    left = {machine: sum(task.machine == machine for task in tasks) for machine in options.machines}
    tallies = {machine: Tally() for machine in options.machines}
    failures = 0

    def note(task: Task) -> None:
        left[task.machine] -= 1
        tallies[task.machine].add(results.get(task) or Tally())
        if left[task.machine] == 0:
            print(machine_row(task.machine, tallies[task.machine]), flush=True)

    print("\n".join(head()), flush=True)
    for task in tasks:
        if results.get(task):
            note(task)
    for task in run_all(options, [task for task in tasks if not results.get(task)], results):
        if task:
            note(task)
        else:
            failures += 1
    for machine in options.machines:
        if left[machine]:
            print(machine_row(machine, tallies[machine]), f"({left[machine]} runs are left)")
    return tallies, sum(left.values()), failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("archmeter")
    parser.add_argument("machines", nargs="+", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--lies", action="store_true")
    parser.add_argument("--guides", type=int, default=0, metavar="N")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--results", type=Path, metavar="FILE")
    parser.add_argument("--seconds", type=float, default=float("inf"), metavar="S")
    parser.add_argument("--write", type=Path, metavar="FILE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        use_few_workers(options.archmeter, Path(folder))
        tallies, left, failures = judge_all(options, Results(options))
    rows, told = summary(tallies)
    print("\n".join([*rows, *told]))
    if left:
        print(f"\n{left} runs are left" + ("; give the command again" if options.results else ""))
    elif options.write:
        own = [machine_row(machine, tallies[machine]) for machine in sorted(tallies)]
        options.write.write_text(page(options, [*head(), *own, *rows, *told]), encoding="utf-8")
    if failures or any(tally.is_bad() for tally in tallies.values()):
        return WRONG
    return UNFINISHED if left else FINE


if __name__ == "__main__":
    sys.exit(main())
