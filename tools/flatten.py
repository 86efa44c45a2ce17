#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One C file with the headers of the project that it includes: flatten.py ROOT INPUT OUTPUT DEPFILE.

Headers are taken in once each, files that are no headers (.inc) wherever they are named."""
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'\s*#include\s+"([^"]+)"')
FLAGS = "/* archmeter-flags: -std=gnu17 -D_GNU_SOURCE */\n"


def flatten(root: Path, path: Path, seen: list[Path]) -> str:
    """The text of a file, with what it includes in place of the lines that say so."""
    lines = [f'#line 1 "{path.relative_to(root)}"\n']
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(keepends=True), 1):
        found = INCLUDE.match(line)
        if not found:
            lines.append(line)
            continue
        header = root / found[1]
        if header not in seen or header.suffix != ".h":
            seen.append(header)
            lines.append(flatten(root, header, seen))
        lines.append(f'#line {number + 1} "{path.relative_to(root)}"\n')
    return "".join(lines)


def main(argv: list[str]) -> None:
    if len(argv) != 5:
        sys.exit(__doc__)
    root, source, target, depfile = (Path(a) for a in argv[1:])
    seen = [source]
    text = flatten(root.resolve(), source.resolve(), seen)
    target.write_text(FLAGS + text, encoding="utf-8")
    depfile.write_text(f"{target}: " + " ".join(str(p) for p in seen) + "\n", encoding="utf-8")


main(sys.argv)
