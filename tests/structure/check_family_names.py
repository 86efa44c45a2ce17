# SPDX-License-Identifier: MIT
"""Every bench, axis and metric that src/family names exists: a rename in a worker that leaves a fact
or a figure without its results fails here instead of dropping it in silence.

Arguments: the root of the tree, the build directory with the workers, the program that prints the
names of the tables (family_names.c). Names in tables are compared bench by bench; names in the
functions beside them (selectors, look-ups of axes and metrics) with those of all benches together.
"""

import fnmatch
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from structure import Tap, read, sources

# Axes that no worker states: of merged files (src/store/merge.c), and of cpu.flops in files from before it had places.
ADDED_AXES = {"node", "smt"}

LITERAL = r'"((?:\\.|[^"\\\n])*)"'
LOOKUP = re.compile(r"\bam_result_(number|text|param|is|same|metric)\s*\([^;{}\"]*?,\s*" + LITERAL)
SELECTOR = re.compile(r"struct am_selector(?:\s+\w+|\))?\s*=?\s*\{([^{}]*)\}")
LISTS = re.compile(r"\bam_picks_(?:like|group|extreme|curve|beside|differ|varying)\s*\([^;{}\"]*?,\s*" + LITERAL)
WHERE = re.compile(r"\bam_(?:picks_where|where_matches)\s*\([^;{}\"]*?" + LITERAL)

# Benches of experiments and of users: a worker has them only while it is given one. What described stencils have stands in their text.
MADE = ("exec.*", "own.*")
DESCRIBED = "src/cli/stencil/bench_end.c.txt"
DESCRIBED_NAME = re.compile(r"^    \{\.name = " + LITERAL, re.MULTILINE)


class Known(NamedTuple):
    """What the workers have: axes and metrics of each bench, over all workers."""

    axes: dict[str, set[str]]
    metrics: dict[str, set[str]]


def learn(listings: list[str]) -> Known:
    known = Known({}, {})
    for listing in listings:
        bench = ""
        for line in listing.splitlines():
            words = line.split(" ")
            if words[0] == "bench":
                bench = unquote(words[1])
                known.axes.setdefault(bench, set(ADDED_AXES))
                known.metrics.setdefault(bench, set())
            elif words[0] == "axis":
                known.axes[bench].add(unquote(words[1]))
            elif words[0] == "metric":
                known.metrics[bench].add(unquote(words[1]))
    return known


def learn_described(known: Known, text: str) -> None:
    """Axes and metrics that archmeter is told of a described stencil: two tables, one after the other."""
    axes, _, metrics = text.partition("struct archmeter_metric")
    known.axes["own.described"] = set(DESCRIBED_NAME.findall(axes))
    known.metrics["own.described"] = set(DESCRIBED_NAME.findall(metrics))


def metric_exists(name: str, names: set[str], meters: str) -> bool:
    """A name or glob. Metrics "power:package" come from meters: their first word is the conductor's."""
    found = any(fnmatch.fnmatchcase(metric, name) for metric in names)
    return found or (":" in name and f'"{name.split(":")[0]}' in meters)


def check_tables(lines: list[str], known: Known, meters: str, absent: set[str]) -> tuple[list[str], set[str]]:
    """Complaints about names of tables, and the benches that no worker here has."""
    bad, unknown = [], set()
    for line in lines:
        kind, bench, name, place = line.split("\t")
        benches = [b for b in known.axes if fnmatch.fnmatchcase(b, bench)]
        if not benches:
            unknown.add(bench)
            if kind == "bench" and not absent and bench not in MADE:
                bad.append(f"{place}: no worker has the bench {bench}")
            continue
        axes = set().union(*(known.axes[b] for b in benches))
        metrics = set().union(*(known.metrics[b] for b in benches))
        if kind == "axis" and name not in axes:
            bad.append(f"{place}: {bench} has no axis {name}")
        if kind == "metric" and not metric_exists(name, metrics, meters):
            bad.append(f"{place}: {bench} has no metric {name}")
    return bad, unknown


def conditions(where: str) -> list[str]:
    return [re.split(r"[?!=<>]", word.lstrip("!"))[0] for word in where.split()]


def fields(initialiser: str) -> list[tuple[str, str]]:
    """The literals of a struct am_selector with the fields that they set, by name or by place."""
    parts = re.split(r',(?=(?:[^"]*"[^"]*")*[^"]*$)', initialiser)
    found = []
    for place, part in enumerate(parts):
        named = re.match(r"\s*\.(\w+)\s*=", part)
        field = named.group(1) if named else ("bench", "where", "metric", "")[min(place, 3)]
        found += [(field, literal) for literal in re.findall(LITERAL, part)]
    return found


def check_source(path: str, text: str, known: Known, meters: str) -> list[str]:
    """Complaints about names in functions. Macros hide the bench: all benches count."""
    axes = set().union(*known.axes.values())
    metrics = set().union(*known.metrics.values())
    used: list[tuple[str, str, int]] = []
    for m in LOOKUP.finditer(text):
        used.append(("metric" if m.group(1) == "metric" else "axis", m.group(2), m.start()))
    for m in LISTS.finditer(text):
        used += [("axis", part, m.start()) for part in re.split("[,/]", m.group(1)) if part]
    for m in WHERE.finditer(text):
        used += [("axis", axis, m.start()) for axis in conditions(m.group(1))]
    for m in SELECTOR.finditer(text):
        for field, literal in fields(m.group(1)):
            if field == "where":
                used += [("axis", axis, m.start()) for axis in conditions(literal)]
            elif field == "metric":
                used.append(("metric", literal, m.start()))
    bad = []
    for kind, name, at in used:
        known_name = name in axes if kind == "axis" else metric_exists(name, metrics, meters)
        if name and "%" not in name and not known_name:
            bad.append(f"{path}:{text.count(chr(10), 0, at) + 1}: no bench has the {kind} {name}")
    return bad


DESCRIPTION = 'struct archmeter_axis axes[] = {\n    {.name = "strip"},\n};\nstruct archmeter_metric metrics[] = {\n    {.name = "updates"},\n};\n'
LISTING = ["bench a.b 1 0\naxis size size B\nmetric rate B/s higher\n"]

SELF_TESTS = (
    ("a bench that is gone is found", "bench\ta.x\ta.x\tr", "", "no worker has the bench a.x"),
    ("an axis that is gone is found", "axis\ta.b\tlength\tr", "", "a.b has no axis length"),
    ("a metric that is gone is found", "metric\ta.b\tspeed\tr", "", "a.b has no metric speed"),
    ("names that exist pass", "metric\ta.*\trate\tr", 'am_result_number(r, "size"); struct am_selector s = {B, "size=1 node=x", "rate"};', None),
    ("an axis in a function is found", "", 'x = am_result_number(r->a(b), "sise");', "no bench has the axis sise"),
    ("an axis in a condition is found", "", 'struct am_selector s = {B, "size=1 sise>2"};', "no bench has the axis sise"),
    ("a metric in a selector is found", "", 'struct am_selector s = {B, NULL, "rat"};', "no bench has the metric rat"),
    ("a condition of presence is none of a metric", "", 'struct am_selector s = {B, "size", "rate"};', None),
    ("an axis of described stencils exists", "", 'x = am_result_number(r, "strip");', None),
    ("a metric of theirs is no axis", "", 'x = am_result_number(r, "updates");', "no bench has the axis updates"),
    ("an axis in a list is found", "", 'g = am_picks_group(&p, "size,sise");', "no bench has the axis sise"),
)


def self_test(tap: Tap) -> None:
    known = learn(LISTING)
    learn_described(known, DESCRIPTION)
    for sentence, table, source, expect in SELF_TESTS:
        bad, _ = check_tables([table] if table else [], known, "", set())
        bad += check_source("x.c", source, known, "")
        tap.ok(bad == [] if expect is None else len(bad) == 1 and expect in bad[0], f"self-test: {sentence}", bad)


def main() -> int:
    root, build, program = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    tap = Tap()
    self_test(tap)
    workers = sorted(p for p in build.glob("archmeter-worker-*") if p.is_file())
    known = learn([subprocess.run([w, "--list"], capture_output=True, text=True, timeout=60, check=False).stdout for w in workers])
    learn_described(known, read(root / DESCRIBED))
    absent = {line.split()[0] for line in read(build / "workers.txt").splitlines() if line.strip() and line[0] != "#"}
    meters = "".join(read(p) for p in sources(root / "src", ("conductor", "meter"), (".c", ".h")))
    tap.ok(len(known.axes) > 20, f"{len(workers)} workers state {len(known.axes)} benches")
    lines = subprocess.run([program], capture_output=True, text=True, timeout=60, check=True).stdout.splitlines()
    bad, unknown = check_tables(lines, known, meters, absent)
    notes = [f"workers {', '.join(sorted(absent))} are not built here: {bench} is not checked" for bench in sorted(unknown) if absent]
    tap.ok(len(lines) > 100 and not bad, f"{len(lines)} names of tables exist", bad + notes)
    bad = []
    for path in sources(root, ("src/family",), (".c",)):
        bad += check_source(str(path.relative_to(root)), read(path), known, meters)
    tap.ok(not bad, "names in functions of families exist", bad)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
