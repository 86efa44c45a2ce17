#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pages of doc/reference, made from the tables in the code.

    reference.py --write|--check ROOT BUILD [--without BENCH...]

commands.md, facts.md, figures.md, grades.md and outcomes.md are what `archmeter-reference PAGE` prints. benches.md is
made from what every worker of the build prints for --list, bench-header.md from the comments of
include/archmeter/bench.h (header_page.py). --write needs a build with all optional libraries.
--check prints TAP. It compares benches.md worker by worker, so that a build without some library skips that worker
visibly; --without names benches that this build has no library for, and workers that a full build has not.
"""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import header_page

MADE = "<!-- Made by tools/reference.py from the tables of the program: do not edit. -->\n"
PREFIX = "archmeter-worker-"
# Axes whose values depend on the machine or on the build.
OPEN = {
    "device": "OpenCL devices found here",
    "executor": "executors of the worker",
    "form": "instructions of this architecture",
    "instr": "instructions of this architecture",
    "isa": "instruction sets of this architecture",
    "runtime": "the worker's runtime",
    "variant": "implementations in this build",
}
# The same of one bench, where its axis has the name of another's; None: the values are the same everywhere.
OPEN_OF = {("ocl.arith", "form"): None, ("ocl.peer", "to"): "OpenCL devices found here"}
SUFFIXES = {"int": "number", "size": "bytes", "real": "number", "name": "name", "ranked": "name"}


class Bench(NamedTuple):
    """One bench of one worker: its line of summary and its rows, ready for a page."""

    summary: str
    rows: tuple[str, ...]


class Section(NamedTuple):
    """One bench of the page: workers that have it, rows with the workers they hold for (none named: all)."""

    workers: list[str]
    summary: str
    rows: dict[str, list[str]]


def cell(word: str) -> str:
    text = "" if word == "-" else unquote(word)
    return text.replace("|", "\\|")


def values_of(bench: str, name: str, kind: str, unit: str, choices: list[str]) -> str:
    open_ones = OPEN_OF.get((bench, name), OPEN.get(name))
    if open_ones:
        return open_ones
    if choices:
        return ", ".join(f"`{cell(c)}`" for c in choices)
    return "bytes" if unit == "B" else SUFFIXES[kind]


def axis_row(bench: str, words: list[str], choices: list[str]) -> str:
    _, name, kind, unit, dflt, quick, thorough, text = words[:8]
    shown = [f"`{cell(v)}`" if v != "-" else "" for v in (dflt, quick, thorough)]
    if name == "instr":
        shown[1] = "a few"  # others on other architectures
    return f"| `{name}` | {values_of(bench, name, kind, unit, choices)} | {' | '.join(shown)} | {cell(text)} |"


def metric_row(words: list[str]) -> str:
    _, name, unit, better, _, text = words[:6]
    stated = cell(words[6]).replace(" ", ", ") if len(words) > 6 else ""
    return f"| `{name}` | {cell(unit)} | {better} | {stated} | {cell(text)} |"


def parse_listing(text: str) -> dict[str, Bench]:
    """Benches by name, from what a worker lists."""
    found: dict[str, Bench] = {}
    name, summary, rows = "", "", []
    axis: list[str] = []
    choices: list[str] = []

    def close_axis() -> None:
        if axis:
            rows.append(axis_row(name, axis, choices))
        axis.clear()
        choices.clear()

    def close_bench() -> None:
        close_axis()
        if name:
            found[name] = Bench(summary, tuple(rows))
        rows.clear()

    for words in (line.split(" ") for line in text.splitlines()):
        if words[0] == "bench":
            close_bench()
            name, summary = words[1], unquote(words[8])
            summary += " (by `run --quick` only when named)" if words[6] == "named" else ""
        elif words[0] == "axis":
            close_axis()
            axis.extend(words)
        elif words[0] == "choice":
            choices.append(words[1])
        elif words[0] == "metric":
            close_axis()
            rows.append(metric_row(words))
    close_bench()
    return found


def list_workers(build: Path) -> dict[str, dict[str, Bench]]:
    """What each worker program of the build lists; those that list nothing are left out."""
    found = {}
    for path in sorted(build.glob(PREFIX + "*")):
        if path.is_file() and "." not in path.name:
            text = subprocess.run([path, "--list"], check=True, capture_output=True, text=True).stdout
            benches = parse_listing(text)
            if benches:
                found[path.name.removeprefix(PREFIX)] = benches
    return found


# ---- the page of benches ----


def is_axis(row: str) -> bool:
    return row.count(" | ") >= 5


def page_of(workers: dict[str, dict[str, Bench]]) -> str:
    names = sorted({name for benches in workers.values() for name in benches})
    out = ["# Benches, axes and metrics\n", MADE,
           "What `archmeter list BENCH` says, for every worker of a full build. Empty cells of *quick* and *thorough* "
           "are as the default. How values are written: [the command line](../guide/command-line.md#words); what the "
           "benches measure and how to read them: [benches](../benches/index.md). A row with workers in parentheses "
           "holds for those only. *Uncertainty* is what a bench states of its systematic uncertainty beside what every "
           "metric of its unit has: [uncertainty](../internals/uncertainty.md).\n"]
    for name in names:
        having = [w for w, benches in workers.items() if name in benches]
        rows: dict[str, list[str]] = {}
        for worker in having:
            for row in workers[worker][name].rows:
                rows.setdefault(row, []).append(worker)
        first = list(dict.fromkeys(row.split(" | ")[0] for row in rows))
        rows = dict(sorted(rows.items(), key=lambda item: first.index(item[0].split(" | ")[0])))
        noted = [row if of == having else row.replace("` |", f"` ({', '.join(of)}) |", 1) for row, of in rows.items()]
        out += [f"## {name}\n", f"{workers[having[0]][name].summary}.\n", f"Workers: {', '.join(having)}\n",
                "| axis | values | default | quick | thorough | meaning |", "| --- | --- | --- | --- | --- | --- |",
                *filter(is_axis, noted), "", "| metric | unit | better | uncertainty | meaning |",
                "| --- | --- | --- | --- | --- |",
                *(row for row in noted if not is_axis(row)), ""]
    return "\n".join(out)


def split_note(row: str) -> tuple[str, list[str]]:
    """A row of the page as the workers print it, and the workers that it names."""
    first, _, rest = row.partition(" | ")
    if first.endswith(")"):
        first, _, note = first[:-1].rpartition(" (")
        return f"{first} | {rest}", note.split(", ")
    return row, []


def parse_page(text: str) -> dict[str, Section]:
    found = {}
    for part in text.split("\n## ")[1:]:
        name, _, body = part.partition("\n")
        lines = [line for line in body.splitlines() if line]
        workers = next(line for line in lines if line.startswith("Workers: "))[9:].split(", ")
        rows = dict(split_note(line) for line in lines if line.startswith("| `"))
        found[name] = Section(workers, lines[0].removesuffix("."), rows)
    return found


def differences(worker: str, benches: dict[str, Bench], page: dict[str, Section], without: set[str]) -> list[str]:
    """How the page differs from what one worker lists."""
    found = []
    for name, bench in benches.items():
        section = page.get(name)
        if not section or worker not in section.workers:
            found.append(f"{name} of {worker} is not on the page")
            continue
        here = {row for row, of in section.rows.items() if not of or worker in of}
        found += [f"{name}: not on the page: {row}" for row in bench.rows if row not in here]
        found += [f"{name}: {worker} has no such row: {row}" for row in sorted(here - set(bench.rows))]
        if worker == section.workers[0] and section.summary != bench.summary:
            found.append(f"{name}: the summary is {bench.summary}")
    gone = {n for n, s in page.items() if worker in s.workers} - set(benches) - without
    return found + [f"{worker} has no {name}" for name in sorted(gone)]


# ---- both ways ----


def print_page(build: Path, name: str) -> str:
    program = build / "tools/reference/archmeter-reference"
    return subprocess.run([program, name], check=True, capture_output=True, text=True).stdout


def page_names(build: Path) -> list[str]:
    program = build / "tools/reference/archmeter-reference"
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()


def page_of_header(pages: Path) -> str:
    header = pages.parent.parent / "include/archmeter/bench.h"
    return header_page.page_of(header.read_text(encoding="utf-8"), MADE)


def write(pages: Path, build: Path) -> int:
    pages.mkdir(parents=True, exist_ok=True)
    for name in page_names(build):
        (pages / f"{name}.md").write_text(print_page(build, name), encoding="utf-8")
    (pages / "bench-header.md").write_text(page_of_header(pages), encoding="utf-8")
    (pages / "benches.md").write_text(page_of(list_workers(build)), encoding="utf-8")
    return 0


class Tap:
    """One line per check."""

    count = 0
    failed = False

    def ok(self, notes: list[str], sentence: str, skip: str = "") -> None:
        self.count += 1
        self.failed |= bool(notes)
        print(f"{'not ' if notes else ''}ok {self.count} - {sentence}{' # SKIP ' + skip if skip else ''}")
        for note in notes:
            print(f"# {note}")


EXAMPLE = """listing 3 cpu
bench a.b 1 0 0 all quick 0x0p+0 two%20words
axis size size B 1,2 - - bytes%20of%20it -
axis kind name - all x - sort -
choice x - -
choice y - -
metric time s lower time/op of%20one pieces=5%20standard
end
"""


def self_test(tap: Tap) -> None:
    """A page that is right passes, and none that is wrong does."""
    benches = parse_listing(EXAMPLE)
    page = page_of({"cpu": benches, "task": parse_listing(EXAMPLE.replace("sort", "kind"))})
    tap.ok(differences("cpu", benches, parse_page(page), set()), "self-test: a true page passes")
    for was, now in (("| `time` | s ", "| `time` | B "), ("bytes of it", "bytes"), ("## a.b", "## a.c"),
                     ("two words", "words"), ("Workers: cpu, task", "Workers: task"),
                     ("| `kind` (cpu) ", "| `kind` (task) "), ("`x`, `y`", "`x`"), ("pieces=5", "pieces=6")):
        found = differences("cpu", benches, parse_page(page.replace(was, now)), set())
        tap.ok([] if found and was in page else ["it passed"], f"self-test: {now} in place of {was} is found")


def check(pages: Path, build: Path, without: set[str]) -> int:
    tap = Tap()
    self_test(tap)
    for name in page_names(build):
        same = (pages / f"{name}.md").read_text(encoding="utf-8") == print_page(build, name)
        tap.ok([] if same else ["tools/reference.py --write makes it anew"], f"{name}.md is what the tables say")
    tap.ok(header_page.self_test(), "self-test: a header's comments come to the page")
    same = (pages / "bench-header.md").read_text(encoding="utf-8") == page_of_header(pages)
    tap.ok([] if same else ["tools/reference.py --write makes it anew"], "bench-header.md is what the header says")
    page = parse_page((pages / "benches.md").read_text(encoding="utf-8"))
    workers = list_workers(build)
    for worker in sorted({w for s in page.values() for w in s.workers} - set(workers)):
        tap.ok([], f"benches of {worker}", skip="this build has no such worker")
    for worker in sorted(set(workers) & without):
        tap.ok([], f"benches of {worker}", skip="a usual build has no such worker")
    for worker, benches in workers.items():
        if worker not in without:
            tap.ok(differences(worker, benches, page, without), f"benches.md has what {worker} lists")
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


def main(argv: list[str]) -> int:
    if len(argv) < 4 or argv[1] not in ("--write", "--check"):
        sys.exit(__doc__)
    pages, build = Path(argv[2], "doc/reference"), Path(argv[3])
    return write(pages, build) if argv[1] == "--write" else check(pages, build, set(argv[5:]))


if __name__ == "__main__":
    sys.exit(main(sys.argv))
