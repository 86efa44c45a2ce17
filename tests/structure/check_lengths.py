# SPDX-License-Identifier: MIT
"""Files, functions and parameter lists stay within the budget of the house style."""

import statistics
import sys
from pathlib import Path

from structure import Case, Function, Violation, functions, main, read, sources

FILE_MAX = 600  # lines
FUNCTION_MAX = 80  # lines, signature and braces included
FUNCTION_MEDIAN = 15
FUNCTION_P90 = 50
PARAMETERS_MAX = 7
C_LIKE = (".c", ".h", ".inc", ".cl")
ENOUGH = 50  # functions from which on the median and the 90th percentile mean something

# Files and functions that are tables, with the reason.
LONG_FILES: dict[str, str] = {
    "src/cli/words/option_table.c": "one row per option; help and completion are made of it",
}
LONG_FUNCTIONS: dict[tuple[str, str], str] = {}
# Files whose functions have signatures that others laid down.
FOREIGN_SIGNATURES = {f"tests/ocl/{name}": "OpenCL's entry points"
                      for name in ("fake_icd.c", "fake_memory.c", "fake_driver.h", "between.h")}


def judge_function(name: str, function: Function) -> list[Violation]:
    found = []
    lines = function.last - function.first + 1
    if lines > FUNCTION_MAX and (name, function.name) not in LONG_FUNCTIONS:
        text = f"{function.name}() has {lines} lines, at most {FUNCTION_MAX}"
        found.append(Violation(name, function.first, text))
    if (function.parameters > PARAMETERS_MAX and not function.is_kernel
            and name not in FOREIGN_SIGNATURES):
        text = f"{function.name}() has {function.parameters} parameters, at most {PARAMETERS_MAX}"
        found.append(Violation(name, function.first, text))
    return found


def judge_all(lengths: list[int]) -> list[Violation]:
    if len(lengths) < ENOUGH:
        return []
    median, p90 = statistics.median(lengths), statistics.quantiles(lengths, n=10)[-1]
    found = []
    if median > FUNCTION_MEDIAN:
        found.append(Violation("src", 1, f"median function {median:g} > {FUNCTION_MEDIAN} lines"))
    if p90 > FUNCTION_P90:
        found.append(Violation("src", 1, f"90th percentile {p90:g} > {FUNCTION_P90} lines"))
    return found


def check(root: Path) -> tuple[list[Violation], int]:
    found, lengths, examined = [], [], 0
    suffixes = (*C_LIKE, ".py", ".sh", ".sql")
    for path in sources(root, ("src", "tests", "tools", "peers"), suffixes):
        examined += 1
        name, text = str(path.relative_to(root)), read(path)
        lines = text.count("\n")
        if lines > FILE_MAX and name not in LONG_FILES:
            found.append(Violation(name, lines, f"{lines} lines, at most {FILE_MAX}"))
        if not name.endswith(C_LIKE):
            continue
        for function in functions(text):
            found += judge_function(name, function)
            if name.startswith("src/"):
                lengths.append(function.last - function.first + 1)
    return found + judge_all(lengths), examined


def function(lines: int, name: str = "f", parameters: str = "void") -> str:
    """A definition of exactly that many lines."""
    return f"int {name}({parameters})\n{{\n" + "    x();\n" * (lines - 3) + "}\n\n"


CASES = [
    Case("a file of 600 lines passes", {"src/core/a.c": "\n" * 600}, None),
    Case("a file of 601 lines is reported", {"src/core/a.c": "\n" * 601}, "601 lines"),
    Case("a function of 80 lines passes", {"src/core/a.c": function(80)}, None),
    Case("a function of 81 lines is reported",
         {"src/core/a.c": "\n" + function(81)}, "src/core/a.c:2: f() has 81 lines"),
    Case("one in an included piece too", {"src/core/a.inc": function(81)}, "f() has 81 lines"),
    Case("and one on a device",
         {"src/bench/ocl/a.cl": "__kernel __attribute__((reqd_work_group_size(8, 1, 1))) " +
          function(81)}, "f() has 81 lines"),
    Case("a kernel takes its arguments one by one",
         {"src/bench/ocl/a.cl": "__kernel " + function(5, "g", ", ".join(
             f"int p{i}" for i in range(8)))}, None),
    Case("a file that is one table may be long",
         {"src/cli/words/option_table.c": "\n" * 700}, None),
    Case("a long table is no function",
         {"src/core/a.c": "static const int t[] = {\n" + "    1,\n" * 90 + "};\n"}, None),
    Case("eight parameters are reported",
         {"src/core/a.c": function(5, "g", ", ".join(f"int p{i}" for i in range(8)))},
         "g() has 8 parameters"),
    Case("a function pointer counts as one parameter",
         {"src/core/a.c": function(5, "g", "int (*cb)(int, int, int), " + ", ".join(
             f"int p{i}" for i in range(6)))}, None),
    Case("a tree of long functions is reported",
         {f"src/core/{k}.c": "".join(function(30, f"f{i}") for i in range(10)) for k in range(6)},
         "median function 30"),
]

if __name__ == "__main__":
    sys.exit(main(check, CASES, "files, functions and parameter lists are within the budget"))
