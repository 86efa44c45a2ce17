# SPDX-License-Identifier: MIT
"""What the structure checks share: the source tree, C text without comments, TAP, self-tests."""

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Callable, Iterator, NamedTuple

# From the top down: an #include may only point down this list (doc/internals/architecture.md).
LAYERS = (
    "cluster", "cli", "write", "document", "model", "family", "fit", "evidence", "conductor", "store", "meter", "topo", "worker", "bench", "app",
    "runtime", "kernels", "sim", "core", "base",
)


class Violation(NamedTuple):
    """One broken rule, at a place."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


class Case(NamedTuple):
    """A small tree for a checker's self-test. `expect` is part of the only violation, or None."""

    sentence: str
    files: dict[str, str]
    expect: str | None


def sources(root: Path, folders: tuple[str, ...], suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Files below the folders of root with one of the suffixes, in a fixed order."""
    for folder in folders:
        for directory, names, files in os.walk(root / folder):
            names[:] = sorted(n for n in names if n != "__pycache__")
            for name in sorted(files):
                if name.endswith(suffixes):
                    yield Path(directory, name)


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def code_only(text: str) -> str:
    """C text with comments and the insides of literals blanked; line numbers stay."""

    def blank(match: re.Match[str]) -> str:
        token = match.group()
        if token[0] == "/":
            return re.sub(r"[^\n]", " ", token)
        return token[0] + re.sub(r"[^\n]", " ", token[1:-1]) + token[-1]

    return TOKEN.sub(blank, text)


class Function(NamedTuple):
    """A function definition, found by its layout: clang-format puts its braces in column 0."""

    name: str
    first: int  # line of the signature's start, 1-based
    last: int  # line of the closing brace
    parameters: int
    body: list[str]  # between the braces
    is_kernel: bool = False  # of a device: OpenCL gives it no struct with pointers


def parameter_count(signature: str) -> int:
    """Parameters of the outermost list; a function pointer among them counts once."""
    depth, commas = 0, 0
    inside = signature[signature.index("(") + 1 : signature.rindex(")")].strip()
    for char in inside:
        depth += (char == "(") - (char == ")")
        commas += char == "," and depth == 0
    return 0 if inside in ("", "void") else commas + 1


ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")


def functions(text: str) -> Iterator[Function]:
    lines = code_only(text).split("\n")
    for i, line in enumerate(lines):
        if line.rstrip() != "{":
            continue
        start = i
        while start > 0 and lines[start - 1].strip() and not lines[start - 1].startswith(("#", "}")):
            start -= 1
        signature = ATTRIBUTE.sub("", " ".join(lines[start:i]))
        named = re.search(r"(\w+)\s*\(", signature)
        if not named or ")" not in signature:
            continue
        last = next((j for j in range(i, len(lines)) if lines[j].rstrip() == "}"), len(lines) - 1)
        count = parameter_count(signature[named.start() :])
        yield Function(named.group(1), start + 1, last + 1, count, lines[i + 1 : last],
                       "__kernel" in signature)


Checker = Callable[[Path], tuple[list[Violation], int]]


class Tap:
    """Prints one line a check and remembers whether any failed."""

    def __init__(self) -> None:
        self.count = 0
        self.failed = False

    def ok(self, passed: bool, sentence: str, notes: list[str] | None = None) -> None:
        self.count += 1
        self.failed |= not passed
        print(f"{'' if passed else 'not '}ok {self.count} - {sentence}")
        for note in notes or []:
            print(f"# {note}")

    def done(self) -> int:
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def self_test(tap: Tap, check: Checker, cases: list[Case]) -> None:
    """Runs the checker on the example trees: one that cannot fail proves nothing."""
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            for name, content in case.files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
            found, _ = check(Path(folder))
        if case.expect is None:
            passed = not found
        else:
            passed = len(found) == 1 and case.expect in str(found[0])
        tap.ok(passed, f"self-test: {case.sentence}", [] if passed else [str(v) for v in found])


def skip_all(reason: str) -> int:
    print(f"1..0 # SKIP {reason}")
    return 0


def main(check: Checker, cases: list[Case], what: str) -> int:
    """A checker's main: the self-test, then the tree named by the first argument."""
    tap = Tap()
    self_test(tap, check, cases)
    found, examined = check(Path(sys.argv[1]).resolve())
    tap.ok(examined > 0, f"{examined} files examined")
    tap.ok(not found, what, [str(v) for v in found])
    return tap.done()
