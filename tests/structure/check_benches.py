# SPDX-License-Identifier: MIT
"""Benches, axes and metrics are named above the store in src/family only.

A bench's name is recognised wherever it stands in a literal, and in comments too: a layer that knows no bench
explains itself without one. Names of axes and metrics are ordinary words ("size", "threads"): they are
recognised where results are asked for them.
"""

import re
import sys
from pathlib import Path

from structure import TOKEN, Case, Violation, main, read, sources

FOLDERS = ("src/evidence", "src/fit", "src/model", "src/document", "src/write", "src/cli", "src/cluster")

# First words of benches' names (check_family_names.py holds them against the workers).
FIRST_WORDS = ("app", "cpu", "mem", "meter", "mpi", "ocl", "omp", "task")
BENCH = re.compile(r"(?<![\w./-])(?:%s)\.[a-z*][a-z_0-9*]*(?![\w.(])" % "|".join(FIRST_WORDS))

# Texts for people that show how a command is used.
EXAMPLES = ("src/cli/words/", "src/cluster/words.c")

LITERAL = r'"((?:\\.|[^"\\\n])*)"'
ASKING = re.compile(
    r"\b(am_result_(?:number|text|param|is|same|metric|summary)|am_picks_\w+|am_where_matches|am_fact_label_axes|am_keys_use)"
    r"\s*\((?:[^()\"';{}]|\([^()\"]*\))*?" + LITERAL)
FIELDS = re.compile(r"\.(bench|metric|where)\s*=\s*" + LITERAL)


def without_comments(text: str) -> str:
    return TOKEN.sub(lambda m: re.sub(r"[^\n]", " ", m.group()) if m.group()[0] == "/" else m.group(), text)


def names_in(name: str, text: str) -> list[Violation]:
    found = []
    code = without_comments(text)

    def add(at: int, what: str) -> None:
        found.append(Violation(name, code.count("\n", 0, at) + 1, f"{what}: belongs into src/family"))

    for match in TOKEN.finditer(text):
        bench = BENCH.search(match.group()) if match.group()[0] in '"/' else None
        if bench and not name.startswith(EXAMPLES) and not text[: match.start()].endswith("#include "):
            add(match.start() + (bench.start() if match.group()[0] == "/" else 0), f"the bench {bench.group()}")
    for match in ASKING.finditer(code):
        add(match.start(), f'{match.group(1)}(... "{match.group(2)}")')
    for match in FIELDS.finditer(code):
        if not BENCH.search(match.group(2)):
            add(match.start(), f'.{match.group(1)} = "{match.group(2)}"')
    return found


def check(root: Path) -> tuple[list[Violation], int]:
    found, examined = [], 0
    for path in sources(root, FOLDERS, (".c", ".h")):
        examined += 1
        found += names_in(str(path.relative_to(root)), read(path))
    return found, examined


CASES = [
    Case("a bench in a literal is found", {"src/model/a.c": 'x = strcmp(r->bench, "mem.latency");\n'}, "the bench mem.latency"),
    Case("a bench in a sentence is found", {"src/model/a.c": 'return "run cpu.flops first";\n'}, "the bench cpu.flops"),
    Case("an axis that is asked for is found", {"src/cli/a.c": 'n = am_result_number(f(x), "threads");\n'}, "am_result_number"),
    Case("a metric that is asked for is found", {"src/document/a.c": 'm = am_result_metric(r, "flops");\n'}, "am_result_metric"),
    Case("a condition is found", {"src/write/a.c": 'p = am_picks_where(&all, "nt=0");\n'}, "am_picks_where"),
    Case("a selector is found", {"src/model/a.c": 's = (struct am_selector){.metric = "flops"};\n'}, ".metric"),
    Case("a family may name all of them", {"src/family/a.c": 'm = am_result_metric(r, "flops"); b = "mem.latency";\n'}, None),
    Case("a bench in a comment is found", {"src/cli/a.h": '/* a pattern\n * ("mem.latency") */\n'}, "a.h:2: the bench mem.latency"),
    Case("comments, variables, files and facts pass", {
        "src/model/a.c": '/* memory.latency of am_result_number(r, "size") */\n#include "app.h"\nn = am_result_number(r, axis);\nf("core.clock", "memory.size");\n',
    }, None),
]

if __name__ == "__main__":
    sys.exit(main(check, CASES, "benches, axes and metrics are named in src/family only"))
