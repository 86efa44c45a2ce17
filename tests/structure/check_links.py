# SPDX-License-Identifier: MIT
"""Relative links of the documents lead to files that exist and to headings that are there; source files that they
name as code (`family/memory/memory.c`) are there too."""

import re
import sys
from pathlib import Path

from structure import Case, Violation, main, read, sources

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
NAMED = re.compile(r"`([\w./-]+/[\w.-]+\.(?:c|h|py|inc|cl|md|sql|in|exp|tab|spec|sh))`")
PLACEHOLDER = re.compile(r"[A-Z]{3,}|\bx\.")  # FAMILY.c, x.k.c
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """Anchors of the headings, as code hosts make them."""
    headings = re.findall(r"^#+\s+(.*)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def judge(path: Path, target: str) -> str | None:
    if re.match(r"\w+:", target):
        return None  # another host: not ours to try
    name, _, anchor = target.partition("#")
    file = path.parent / name if name else path
    if not file.exists():
        return f"{target} leads nowhere"
    if anchor and anchor not in anchors(read(file)):
        return f"{target}: no such heading"
    return None


def judge_name(name: str, files: dict[str, list[str]]) -> str | None:
    """A path may begin anywhere below the root: `cli/main.c` is src/cli/main.c."""
    if PLACEHOLDER.search(name):
        return None
    known = files.get(name.rsplit("/", 1)[-1], [])
    return None if any(f"/{file}".endswith(f"/{name}") for file in known) else f"there is no {name}"


def files_of(root: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in sources(root, ("src", "tests", "tools", "doc", "peers", "examples", "include", "studies", "machines"), ("",)):
        found.setdefault(path.name, []).append(str(path.relative_to(root)))
    return found


def check(root: Path) -> tuple[list[Violation], int]:
    files = files_of(root)
    paths = [*sorted(root.glob("*.md")), *sources(root, ("doc",), (".md",))]
    found = []
    for path in paths:
        text = FENCE.sub(lambda m: "\n" * m.group().count("\n"), read(path))
        for number, line in enumerate(text.split("\n"), 1):
            reasons = [judge(path, target) for target in LINK.findall(line)]
            for why in reasons + [judge_name(name, files) for name in NAMED.findall(line)]:
                if why:
                    found.append(Violation(str(path.relative_to(root)), number, why))
    return found, len(paths)


CASES = [
    Case("links to files and headings pass",
         {"README.md": "[a](doc/a.md) [b](doc/a.md#two-words) [c](#one)\n# One\n",
          "doc/a.md": "## Two words\n"}, None),
    Case("a link to nothing is reported", {"README.md": "\n[a](doc/a.md)\n"}, "README.md:2: "),
    Case("a missing heading is reported",
         {"README.md": "[a](doc/a.md#two)\n", "doc/a.md": "# One\n"}, "no such heading"),
    Case("a source file that is there may be named by the end of its path",
         {"README.md": "`a/b.c` and `src/a/b.c` and `src/a/FAMILY.c`\n", "src/a/b.c": ""}, None),
    Case("one that is gone is reported", {"README.md": "\n`a/c.c`\n", "src/b/c.c": ""}, "README.md:2: there is no a/c.c"),
    Case("what stands in a code block is no link",
         {"README.md": "```\n[a](b)\n```\n"}, None),
]

if __name__ == "__main__":
    sys.exit(main(check, CASES, "every link of the documents leads somewhere"))
