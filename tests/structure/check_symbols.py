# SPDX-License-Identifier: MIT
"""Global symbols of src/ begin with am_, each is defined by one source, and none is mutable data.
Arguments: build folder, source root, compiler command."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Iterator, NamedTuple

from structure import Tap, Violation

FREE_NAMES = {"main"}
# Names of a library that a source answers to in its place: (source, beginning of the names).
OTHERS = (("src/app/fft/fft_vectors.c", ("fftw_have_simd_", "fftwf_have_simd_")),)

# Mutable data that has to be: (source, symbol without the suffix of a local static).
MUTABLE = {
    ("src/app/fft/fft_vectors.c", "allowed"),  # what FFTW's planner may know, which is one per process
    ("src/base/log.c", "threshold"),  # how much is told, set once by main
    ("src/base/log.c", "columns_max"),  # and how wide the terminal is
    ("src/base/digest.c", "chosen"),  # the way of hashing that this machine has: the same whoever asks first
    ("src/bench/ocl/host/device.c", "known"),  # devices, asked for once a process; the driver bound to
    ("src/bench/ocl/host/together.c", "known"),  # names of several devices as one
    ("src/bench/nanos6/engine.c", "once"),  # a runtime that begins once a process
    ("src/bench/nanos6/engine.c", "begun"),  # the same
    ("src/cli/main.c", "interrupted"),  # set by the signal handler
    ("src/cluster/main.c", "interrupted"),  # the same
    ("src/cli/run/output.c", "unfinished"),  # the file that the signal handler removes
}


class Symbol(NamedTuple):
    name: str
    kind: str  # nm's letter, capital for global
    section: str


class Table(NamedTuple):
    """What nm says of one object file."""

    obj: Path
    symbols: tuple[Symbol, ...]


OBJECTS_AT_ONCE = 200  # a process per object would take most of the test's time


def read_rows(text: str) -> tuple[Symbol, ...]:
    rows = ([field.strip() for field in line.split("|")] for line in text.split("\n"))
    return tuple(Symbol(f[0], f[2], f[6]) for f in rows if len(f) == 7 and f[0] != "Name")


def tables(objs: list[Path]) -> Iterator[Table]:
    """The symbols of each object, in the order given: nm heads each table with its file."""
    for first in range(0, len(objs), OBJECTS_AT_ONCE):
        part = objs[first : first + OBJECTS_AT_ONCE]
        command = ["nm", "--defined-only", "--format=sysv", *map(str, part)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        told = re.split(r"^\n*Symbols from .*:$", text, flags=re.MULTILINE)[1:]
        for obj, rows in zip(part, told, strict=True):
            yield Table(obj, read_rows(rows))


def is_mutable(symbol: Symbol) -> bool:
    """In writable memory after relocation; .data.rel.ro holds constant tables of pointers."""
    section = symbol.section
    if symbol.kind.upper() == "C" or section == "*COM*":
        return True
    return section.startswith((".data", ".bss", ".tdata", ".tbss")) and not section.startswith(
        (".data.rel.ro", ".data.rel.local.ro")
    )


def is_template(symbol: Symbol, source: str) -> bool:
    """A copy of what a C++ library's headers define: weak, and named by the compiler."""
    return source.endswith(".cpp") and symbol.kind in "WVu" and symbol.name.startswith(("_Z", "DW.ref."))


def is_of_others(name: str, source: str) -> bool:
    return any(source == where and name.startswith(names) for where, names in OTHERS)


def examine(table: Table, source: str) -> list[Violation]:
    found = []
    for symbol in table.symbols:
        if is_template(symbol, source):
            continue
        if symbol.kind.isupper() and not symbol.name.startswith("am_"):
            if symbol.name not in FREE_NAMES and not is_of_others(symbol.name, source):
                found.append(Violation(source, 1, f"global symbol {symbol.name} lacks am_"))
        if is_mutable(symbol):
            if (source, symbol.name.split(".")[0]) not in MUTABLE:
                found.append(Violation(source, 1, f"{symbol.name} is mutable data"))
    return found


def defined_twice(named: dict[str, set[str]]) -> list[Violation]:
    """Symbols that more than one source defines; a source may be compiled more than once."""
    found = []
    for name, places in sorted(named.items()):
        if len(places) > 1 and name not in FREE_NAMES:
            first, *others = sorted(places)
            found.append(Violation(first, 1, f"{name} is defined in {', '.join(others)} too"))
    return found


def note_globals(table: Table, source: str, named: dict[str, set[str]]) -> None:
    for symbol in table.symbols:
        if symbol.kind.isupper() and symbol.kind not in "WV":
            named.setdefault(symbol.name, set()).add(source)


def objects(build: Path, root: Path) -> Iterator[tuple[Path, str]]:
    """Object files that come from src/ or are generated, and their sources."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        obj = build / entry["output"]
        source = (build / entry["file"]).resolve()
        name = source.relative_to(build if source.is_relative_to(build) else root)
        if obj.exists() and name.parts[0] != "tests":
            yield obj, str(name)


# Sentence, C text, part of the only violation or None.
CASES = (
    ("functions of the project's prefix pass", "int am_f(void);int am_f(void){return 1;}", None),
    ("a static function may have any name",
     "static int f(void){return 1;}int am_f(void);int am_f(void){return f();}", None),
    ("a constant table of pointers passes",
     'extern const char *const am_t[2];const char *const am_t[2]={"a","b"};', None),
    ("a global symbol without prefix is reported", "int f(void);int f(void){return 1;}", "f lacks"),
    ("a mutable global is reported", "int am_count=1;", "am_count is mutable"),
    ("a local static counter is reported",
     "int am_f(void);int am_f(void){static int n;return ++n;}", "is mutable"),
    ("a thread-local variable is reported", "_Thread_local int am_t;", "am_t is mutable"),
)


def compiled(compiler: list[str], text: str, obj: Path) -> Table:
    command = [*compiler, "-fPIE", "-O1", "-c", "-x", "c", "-", "-o", str(obj)]
    subprocess.run(command, input=text, text=True, check=True)
    return next(tables([obj]))


def test_twice(tap: Tap, compiler: list[str]) -> None:
    """The same function in two sources, and in one source compiled twice."""
    text = "int am_f(void);int am_f(void){return 1;}"
    with tempfile.TemporaryDirectory() as folder:
        table, once, twice = compiled(compiler, text, Path(folder, "a.o")), {}, {}
        note_globals(table, "src/base/a.c", once)
        note_globals(table, "src/base/a.c", once)
        note_globals(table, "src/base/a.c", twice)
        note_globals(table, "src/core/b.c", twice)
    tap.ok(not defined_twice(once), "self-test: a source may be compiled twice")
    found = [str(v) for v in defined_twice(twice)]
    tap.ok(found == ["src/base/a.c:1: am_f is defined in src/core/b.c too"],
           "self-test: a function of two sources is reported", found if len(found) != 1 else [])


def self_test(tap: Tap, compiler: list[str]) -> None:
    test_twice(tap, compiler)
    for sentence, text, expect in CASES:
        with tempfile.TemporaryDirectory() as folder:
            found = examine(compiled(compiler, text, Path(folder, "a.o")), "src/base/a.c")
        passed = not found if expect is None else len(found) == 1 and expect in found[0].text
        tap.ok(passed, f"self-test: {sentence}", [] if passed else [str(v) for v in found])


def main() -> int:
    build, root = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    tap = Tap()
    self_test(tap, sys.argv[3:])
    found, examined, named = [], 0, {}
    sources = dict(objects(build, root))
    for table in tables(list(sources)):
        examined += 1
        found += examine(table, sources[table.obj])
        note_globals(table, sources[table.obj], named)
    found += defined_twice(named)
    tap.ok(examined > 0, f"{examined} objects examined")
    tap.ok(not found, "globals begin with am_, are defined once, and src/ has no mutable data", [str(v) for v in found])
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
