# SPDX-License-Identifier: MIT
"""Every test file is run: the meson.build nearest above it names it, or the stages of ./setup.sh test do.

A test is named by its file ('test_WORD.c', 'FOLDER/test_WORD.c'), or by a word from which meson.build makes the
file's name: 'FOLDER/WORD' where tests lie in folders below, 'WORD' of a list (e2e_suites, starpu_tests) elsewhere.
Branches that are joined lose such words easily, and nothing else would notice.
"""

import re
import sys
from pathlib import Path

from structure import Case, Violation, main, read, sources

NAME = re.compile(r"test_(\w+)\.(?:c|py)")
QUOTED = re.compile(r"'([^'\n]*)'")
LIST = re.compile(r"\[[^\[\]]*\]")


def without_comments(text: str) -> str:
    return re.sub(r"(?m)^([^'#\n]|'[^'\n]*')*#.*$", lambda m: m.group()[: m.group().rindex("#")], text)


def build_file_above(path: Path, root: Path) -> Path | None:
    for folder in path.parents:
        if (folder / "meson.build").exists():
            return folder / "meson.build"
        if folder == root:
            break
    return None


def is_named(path: Path, build_file: Path) -> bool:
    text = without_comments(read(build_file))
    place = path.relative_to(build_file.parent)
    word = NAME.fullmatch(path.name).group(1)
    spelled = {path.name, str(place)} | ({f"{place.parent}/{word}"} if len(place.parts) > 1 else set())
    in_lists = {w for found in LIST.findall(text) for w in QUOTED.findall(found)}
    return bool(spelled & set(QUOTED.findall(text))) or word in in_lists


def is_of_a_stage(path: Path, root: Path) -> bool:
    stages = root / "tools" / "run_tests.py"
    return stages.exists() and f'"{path.relative_to(root)}"' in read(stages)


def check(root: Path) -> tuple[list[Violation], int]:
    found, examined = [], 0
    for path in sources(root, ("tests",), (".c", ".py")):
        if not NAME.fullmatch(path.name):
            continue
        examined += 1
        build_file = build_file_above(path, root)
        if not is_of_a_stage(path, root) and (build_file is None or not is_named(path, build_file)):
            found.append(Violation(str(path.relative_to(root)), 1, "no meson.build runs it"))
    return found, examined


UNIT = "unit_tests = {\n  'core/axis': [],\n  # 'core/gone': [],\n}\nx = ['starpu'] + (y ? ['hetero'] : [])\n"
CASES = [
    Case("a unit test that is listed passes", {"tests/unit/meson.build": UNIT, "tests/unit/core/test_axis.c": ""}, None),
    Case("one that is not is found", {"tests/unit/meson.build": UNIT, "tests/unit/core/test_lost.c": ""}, "no meson.build runs it"),
    Case("one of another folder is found", {"tests/unit/meson.build": UNIT, "tests/unit/fit/test_axis.c": ""}, "no meson.build runs it"),
    Case("one that only a comment names is found", {"tests/unit/meson.build": UNIT, "tests/unit/core/test_gone.c": ""},
         "no meson.build runs it"),
    Case("words of a list pass", {"tests/unit/meson.build": UNIT, "tests/unit/bench_exec/test_hetero.c": ""}, None),
    Case("an e2e test that its list lost is found", {"tests/e2e/meson.build": "s = {'e2e': ['omp', 'tiny']}\n",
         "tests/e2e/test_omp.py": "", "tests/e2e/test_names.py": ""}, "test_names.py"),
    Case("a file may be named as it is", {"tests/ocl/meson.build": "test('f', executable('t', 'test_found.c'))\n",
         "tests/ocl/test_found.c": ""}, None),
    Case("a stage may run it", {"tools/run_tests.py": 'run(["tests/bundle/test_b.py"])\n', "tests/bundle/test_b.py": ""}, None),
    Case("a folder without meson.build is found", {"tests/new/test_x.c": ""}, "no meson.build runs it"),
]

if __name__ == "__main__":
    sys.exit(main(check, CASES, "every test file is run by some meson.build"))
