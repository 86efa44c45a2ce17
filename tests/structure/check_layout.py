# SPDX-License-Identifier: MIT
"""A reader finds a file: no folder holds too many of one kind, and the files that comments name are
there."""

import re
import sys
from collections import Counter
from pathlib import Path
from typing import Iterator

from structure import TOKEN, Case, Violation, main, read, sources

FILES_MAX = 25  # of one kind in a folder
KINDS = (".c", ".h")

# Folders that may hold more, with the reason.
WIDE: dict[str, str] = {}

NAMED = re.compile(r"(?<![\w.-])(?:[\w-][\w./-]*)?\w\.(?:c|h|inc|cl|py|sh|sql|md)\b(?!\.\w)")
PLACEHOLDER = re.compile(r"[A-Z]{2,}|<|\*")  # kernels/WORD.cl
# What is no file of this tree, and where it comes from.
ELSEWHERE = {
    "sleef.h": "the library's",
    "archmeter-restore.sh": "what doctor writes",
}


def crowded(root: Path) -> Iterator[Violation]:
    count = Counter((str(p.parent.relative_to(root)), p.suffix)
                    for p in sources(root, ("src", "tests"), KINDS))
    for (folder, kind), n in sorted(count.items()):
        if n > FILES_MAX and folder not in WIDE:
            yield Violation(folder, 1, f"{n} files *{kind}, at most {FILES_MAX}")


def dangling(root: Path, files: list[str]) -> Iterator[Violation]:
    endings: dict[str, list[str]] = {}
    for file in files:
        endings.setdefault(file.rsplit("/", 1)[-1], []).append("/" + file)
    for path in sources(root, ("src", "tests"), (".c", ".h", ".inc", ".cl")):
        text = read(path)
        for comment in TOKEN.finditer(text):
            if not comment.group().startswith("/"):
                continue
            for named in NAMED.finditer(comment.group()):
                word = named.group().removeprefix("./").removeprefix("../")
                known = endings.get(word.rsplit("/", 1)[-1], [])
                if PLACEHOLDER.search(word) or word in ELSEWHERE:
                    continue
                if not any(file.endswith("/" + word) for file in known):
                    line = text.count("\n", 0, comment.start() + named.start()) + 1
                    yield Violation(str(path.relative_to(root)), line, f"there is no {word}")


def check(root: Path) -> tuple[list[Violation], int]:
    tops = ("src", "tests", "tools", "doc", "peers", "examples", "include")
    files = [str(p.relative_to(root)) for p in sources(root, tops, ("",))]
    files += [p.name for p in root.iterdir() if p.is_file()]
    return [*crowded(root), *dangling(root, files)], len(files)


def many(n: int, folder: str = "src/core", kind: str = "c") -> dict[str, str]:
    return {f"{folder}/a{i}.{kind}": "" for i in range(n)}


CASES = [
    Case("25 files of a kind pass", {**many(25), **many(25, kind="h")}, None),
    Case("26 are reported", many(26), "src/core:1: 26 files *.c"),
    Case("files of a folder below do not count", {**many(25), **many(25, "src/core/b")}, None),
    Case("a comment that names a file there is passes",
         {"src/a/a.h": "/* See b/b.c and doc/x.md. */\n", "src/b/b.c": "", "doc/x.md": ""}, None),
    Case("one that names no file is reported",
         {"src/a/a.h": "\n/* As\n * b/c.h says. */\n"}, "src/a/a.h:3: there is no b/c.h"),
    Case("a file of that name elsewhere does not help",
         {"src/a/a.h": "/* b/c.h */\n", "src/d/c.h": ""}, "there is no b/c.h"),
    Case("a placeholder is no name", {"src/a/a.h": "/* kernels/WORD.cl */\n"}, None),
]

if __name__ == "__main__":
    sys.exit(main(check, CASES, "folders are small, and comments name files that are there"))
