# SPDX-License-Identifier: MIT
"""Each source file opens with its licence and one sentence that says what it is for."""

import re
import sys
from pathlib import Path

from structure import Case, Violation, main, read, sources

LICENCE = re.compile(r"^(/\*|//|#|--)\s*SPDX-License-Identifier: MIT(\s*\*/)?$")
SENTENCE = re.compile(r'^(/\*|//|# |--|""")\s*\S+(\s+\S+)+')
SUFFIXES = (".c", ".h", ".c.in", ".h.in", ".py", ".sh", ".sql")


def check(root: Path) -> tuple[list[Violation], int]:
    paths = [*sources(root, ("src", "tests", "tools", "peers", "include"), SUFFIXES)]
    paths += [p for p in (root / "setup.sh", root / ".ci/run") if p.exists()]
    found = []
    for path in paths:
        name = str(path.relative_to(root))
        lines = read(path).split("\n")
        first = 1 if lines[0].startswith("#!") else 0
        opening = [*lines[first : first + 2], "", ""]
        if not LICENCE.match(opening[0]):
            found.append(Violation(name, first + 1, "the SPDX line of the licence is missing"))
        elif not SENTENCE.match(opening[1]):
            found.append(Violation(name, first + 2, "no sentence says what the file is for"))
    return found, len(paths)


LINE = "SPDX-License-Identifier: MIT"
CASES = [
    Case("C, Python and shell openings pass",
         {"src/core/a.c": f"/* {LINE} */\n/* Adds two numbers. */\n",
          "tools/a.py": f'# {LINE}\n"""Adds two numbers."""\n',
          "setup.sh": f"#!/bin/sh\n# {LINE}\n# Adds two numbers.\n"}, None),
    Case("a missing licence is reported", {"src/core/a.c": "/* Adds. */\n"}, "src/core/a.c:1: "),
    Case("another licence is reported",
         {"tools/a.sh": "#!/bin/sh\n# SPDX-License-Identifier: GPL-3.0\n# Adds two.\n"}, "SPDX"),
    Case("a missing sentence is reported",
         {"src/core/a.h": f"/* {LINE} */\n#ifndef A_H\n#define A_H\n#endif\n"}, "no sentence"),
    Case("an empty file is reported", {"src/core/a.c": ""}, "SPDX"),
]

if __name__ == "__main__":
    sys.exit(main(check, CASES, "each file opens with its licence and its purpose"))
