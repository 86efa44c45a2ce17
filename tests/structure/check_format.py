# SPDX-License-Identifier: MIT
"""The layout of C sources is what clang-format 14 makes of them with the project's .clang-format."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from structure import Case, Violation, main, skip_all, sources

VERSION = 14
CONFIG = Path(sys.argv[1]).resolve() / ".clang-format"


def find_tool() -> str | None:
    for name in (f"clang-format-{VERSION}", "clang-format"):
        tool = shutil.which(name)
        if tool:
            told = subprocess.run([tool, "--version"], capture_output=True, text=True).stdout
            if re.search(rf"version {VERSION}\.", told):
                return tool
    return None


TOOL = find_tool()


def check(root: Path) -> tuple[list[Violation], int]:
    paths = [*sources(root, ("src", "tests", "include"), (".c", ".h"))]
    command = [TOOL, f"--style=file:{CONFIG}", "--dry-run", "--ferror-limit=1", *map(str, paths)]
    told = subprocess.run(command, capture_output=True, text=True, cwd=root).stderr
    found = {}
    for path, line in re.findall(r"^(.+?):(\d+):\d+: (?:warning|error): ", told, re.MULTILINE):
        name = str(Path(path).relative_to(root))
        found.setdefault(name, Violation(name, int(line), "layout differs from clang-format's"))
    if told and not found:
        found[""] = Violation("clang-format", 1, told.strip().split("\n")[0])
    return list(found.values()), len(paths)


CASES = [
    Case("formatted text passes", {"src/core/a.c": "int f(int a)\n{\n    return a;\n}\n"}, None),
    Case("a wrong indent is reported with its place",
         {"src/core/a.c": "int f(int a)\n{\n  return a;\n}\n"}, "src/core/a.c:2: "),
    Case("a brace in the wrong place is reported",
         {"tests/a.c": "int f(int a) {\n    return a;\n}\n"}, "layout differs"),
]

if __name__ == "__main__":
    if not TOOL:
        sys.exit(skip_all(f"clang-format {VERSION} is not here"))
    sys.exit(main(check, CASES, "clang-format would change nothing"))
