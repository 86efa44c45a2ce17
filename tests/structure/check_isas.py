# SPDX-License-Identifier: MIT
"""Every table with a row per instruction set has all sets of src/core/bench/isas.h, and no others."""

import ast
import re
import sys
from pathlib import Path
from typing import Iterator

from structure import Case, Violation, main, read, sources

TABLE = "src/core/bench/isas.h"
MAP = "src/kernels/isa.h"
FLAGS = "src/kernels/meson.build"
BOTH, X86, ARM = ("x86_64", "aarch64"), ("x86_64",), ("aarch64",)
# Python file, table in it (of a class: Class.NAME), architectures whose sets are its keys.
PYTHON = (
    ("src/kernels/stencil_slices.py", "MACHINES", BOTH),
    ("src/kernels/stencil_slices.py", "X86.NAMES", X86),
    ("tests/codegen/codegen.py", "GEMM_PRODUCTS", BOTH),
    ("tests/codegen/codegen.py", "VECTOR_BYTES", BOTH),
    ("tests/codegen/codegen.py", "X86.WIDTH", X86),
    ("tests/codegen/codegen.py", "X86.FOREIGN", X86),
    ("tests/codegen/codegen.py", "AArch64.FOREIGN", ARM),
    ("tests/codegen/codegen.py", "AArch64.REGISTER", ARM),
    ("tests/codegen/stencil.py", "REGISTERS", X86),
)
LISTS_OF_OTHERS = ("src/app/fft/fft.c",)  # FFTW's own words
PRIVATE_LIST = 3  # names of sets as texts in one file: more than an example


def all_sets(root: Path) -> dict[str, int]:
    """Name: bytes of a vector, by rank."""
    body = re.search(r"#define AM_ISAS\(X\)((?:[^\n]*\\\n)*[^\n]*)", read(root / TABLE)).group(1)
    return {name: int(size) for name, size in re.findall(r"X\((\w+), (\d+)\)", body)}


def mapped_sets(root: Path) -> dict[str, list[str]]:
    """Architecture: names, as kernels/isa.h has them."""
    text = read(root / MAP).replace("\\\n", " ")
    found = re.findall(r"defined\(__(\w+)__\)\n#define AM_ISA_MAP\(X, a, b\)([^\n]*)", text)
    return {arch: re.findall(r"X\((\w+), a, b\)", body) for arch, body in found}


def flagged_sets(root: Path) -> dict[str, dict[str, int]]:
    """Architecture: name: bytes, as Meson compiles them."""
    body = re.search(r"kernel_isas_of = \{\n(.*?)\n\}\n", read(root / FLAGS), re.DOTALL).group(1)
    archs = re.findall(r"^  '(\w+)': \{\n(.*?)^  \}", body, re.DOTALL | re.MULTILINE)
    return {arch: {name: int(size) for name, size in re.findall(r"'(\w+)': \[\s*(\d+),", rows)}
            for arch, rows in archs}


def python_keys(text: str, name: str) -> tuple[list, int] | None:
    """Keys of a dictionary that is assigned to NAME, or to CLASS.NAME, and its line."""
    scope, parts = ast.parse(text).body, name.split(".")
    if len(parts) == 2:
        scope = next((n.body for n in scope if isinstance(n, ast.ClassDef) and n.name == parts[0]), [])
    for node in scope:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == parts[-1]:
            return [ast.literal_eval(key) for key in node.value.keys], node.lineno
    return None


def differences(place: str, line: int, have: set[str], want: set[str], what: str) -> Iterator[Violation]:
    for isa in sorted(want - have):
        yield Violation(place, line, f"{what} has no {isa}")
    for isa in sorted(have - want):
        yield Violation(place, line, f"{what} has {isa}, which is not in {TABLE}")


def judge_maps(root: Path, table: dict[str, int]) -> Iterator[Violation]:
    mapped, flagged = mapped_sets(root), flagged_sets(root)
    union = {isa for isas in mapped.values() for isa in isas}
    yield from differences(MAP, 1, union, set(table), "AM_ISA_MAP of all architectures")
    for arch, isas in mapped.items():
        known = [isa for isa in isas if isa in table]
        if known != sorted(known, key=list(table).index):
            yield Violation(MAP, 1, f"AM_ISA_MAP of {arch} is not in the order of {TABLE}")
        flags = flagged.get(arch, {})
        yield from differences(FLAGS, 1, set(flags), set(isas), f"kernel_isas_of {arch}")
        for isa, size in flags.items():
            if table.get(isa, size) != size:
                yield Violation(FLAGS, 1, f"{isa} has {size} bytes, in {TABLE} {table[isa]}")


def sets_of(keys: list) -> dict[str, set[str]]:
    """Architecture: sets. Keys are (architecture, set), or a set, or (set, type): those stand under ""."""
    found: dict[str, set[str]] = {}
    for key in keys:
        words = key if isinstance(key, tuple) else (key,)
        arch, isa = words if words[0] in BOTH else ("", words[0])
        found.setdefault(arch, set()).add(isa)
    return found


def judge_python(root: Path) -> Iterator[Violation]:
    mapped = mapped_sets(root)
    for place, name, archs in PYTHON:
        table = python_keys(read(root / place), name)
        if table is None:
            yield Violation(place, 1, f"{name} is gone: say in check_isas.py where its sets are now")
            continue
        keys, line = table
        found = sets_of(keys)
        wanted = {"": {isa for arch in archs for isa in mapped[arch]}} if "" in found else {
            arch: set(mapped[arch]) for arch in archs}
        for arch, isas in wanted.items():
            yield from differences(place, line, found.get(arch, set()), isas, f"{name} {arch}".rstrip())


def judge_private(root: Path, table: dict[str, int]) -> Iterator[Violation]:
    """A list of sets beside the table's would be forgotten when one is added."""
    quoted = re.compile("|".join(f'"{isa}"' for isa in table))
    for path in sources(root, ("src",), (".c", ".h", ".inc")):
        name, text = str(path.relative_to(root)), read(path)
        words = list(quoted.finditer(text))
        if name not in LISTS_OF_OTHERS and len({w.group() for w in words}) >= PRIVATE_LIST:
            line = text.count("\n", 0, words[0].start()) + 1
            yield Violation(name, line, f"a private list of instruction sets: use {TABLE}")


def check(root: Path) -> tuple[list[Violation], int]:
    table = all_sets(root)
    found = [*judge_maps(root, table), *judge_python(root), *judge_private(root, table)]
    return found, len({place for place, _, _ in PYTHON}) + 3


# ---- self-test: a small tree that is complete, and one with something forgotten ----

GOOD = {
    TABLE: "#define AM_ISAS(X) X(scalar, 8) X(neon, 16) \\\n    X(avx, 32)\n",
    MAP: "#if defined(__x86_64__)\n#define AM_ISA_MAP(X, a, b) X(scalar, a, b) X(avx, a, b)\n"
         "#elif defined(__aarch64__)\n#define AM_ISA_MAP(X, a, b) X(scalar, a, b) X(neon, a, b)\n#endif\n",
    FLAGS: "kernel_isas_of = {\n  'x86_64': {\n    'scalar': [8, ['-a']],\n    'avx': [\n      32,\n      ['-b'],\n"
           "    ],\n  },\n  'aarch64': {\n    'scalar': [8, ['-a']],\n    'neon': [16, ['-a']],\n  },\n}\n",
    "src/kernels/stencil_slices.py":
        'class X86:\n    NAMES = {"scalar": 1, "avx": 2}\nMACHINES = {("x86_64", "scalar"): 1, ("x86_64", "avx"): 2,\n'
        '    ("aarch64", "scalar"): 3, ("aarch64", "neon"): 4}\n',
    "tests/codegen/codegen.py":
        'GEMM_PRODUCTS = {"scalar": 1, "avx": 2, "neon": 3}\nVECTOR_BYTES = {"scalar": 8, "avx": 32, "neon": 16}\n'
        'class X86:\n    WIDTH = {"scalar": 1, "avx": 2}\n    FOREIGN = {"scalar": 1, "avx": 2}\n'
        'class AArch64:\n    FOREIGN = {"scalar": 1, "neon": 2}\n'
        '    REGISTER = {("scalar", "f32"): 1, ("neon", "f32"): 2}\n',
    "tests/codegen/stencil.py": 'REGISTERS = {"scalar": 16, "avx": 16}\n',
}


def without(place: str, text: str, by: str = "") -> dict[str, str]:
    assert text in GOOD[place], (place, text)
    return {**GOOD, place: GOOD[place].replace(text, by, 1)}


CASES = [
    Case("complete tables pass", GOOD, None),
    Case("a set that no architecture has is reported",
         without(TABLE, "X(avx, 32)", "X(avx, 32) X(sve, 32)"), "architectures has no sve"),
    Case("a set beside the table is reported", without(TABLE, "X(neon, 16) ", ""), "which is not in"),
    Case("an order of its own is reported",
         without(MAP, "X(scalar, a, b) X(avx, a, b)", "X(avx, a, b) X(scalar, a, b)"), "not in the order"),
    Case("a set without flags is reported",
         without(FLAGS, "    'neon': [16, ['-a']],\n"), "kernel_isas_of aarch64 has no neon"),
    Case("another width is reported", without(FLAGS, "16, ['-a']", "32, ['-a']"), "neon has 32 bytes"),
    Case("a machine that the generator lacks is reported",
         without("src/kernels/stencil_slices.py", ',\n    ("aarch64", "scalar"): 3', ""), "MACHINES aarch64 has no scalar"),
    Case("names that the generator lacks are reported",
         without("src/kernels/stencil_slices.py", ', "avx": 2}', "}"), "X86.NAMES has no avx"),
    *(Case(f"a set that {table} lacks is reported",
           without("tests/codegen/codegen.py", row, ""), f"{table} has no")
      for table, row in (("GEMM_PRODUCTS", ', "avx": 2'),
                         ("VECTOR_BYTES", ', "neon": 16'),
                         ("AArch64.FOREIGN", ', "neon": 2'),
                         ("AArch64.REGISTER", ', ("neon", "f32"): 2'))),
    Case("a set that a test of generated code lacks is reported",
         without("tests/codegen/stencil.py", ', "avx": 16'), "REGISTERS has no avx"),
    Case("a table that is gone is reported",
         without("tests/codegen/stencil.py", "REGISTERS", "OTHERS"), "REGISTERS is gone"),
    Case("a private list is reported with its place",
         {**GOOD, "src/model/a.c": '\nstatic const char *const order[] = {"scalar", "neon",\n    "avx"};\n'},
         "src/model/a.c:2: a private list"),
]

if __name__ == "__main__":
    sys.exit(main(check, CASES, "every table of instruction sets is complete"))
