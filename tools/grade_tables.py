#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables of doc/internals/grades.md, made by simulation.

    grade_tables.py --write BUILD [--seeds N]   writes them into the page
    grade_tables.py --check BUILD               compares, with the number of seeds that the page names

BUILD is a build folder with tests/unit/test_grade_rates, which simulates. The same seeds give the same numbers, but for what
other compilers and mathematical libraries round otherwise: --check allows for a per cent.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "doc" / "internals" / "grades.md"
BEGIN, END = "<!-- tables: {} seeds -->", "<!-- end of tables -->"
PART = re.compile(r"<!-- tables: (\d+) seeds -->\n(.*?)<!-- end of tables -->", re.DOTALL)


def made(build: Path, seeds: int) -> str:
    """The machines' tables, in view and held out, and that of the limits, with the words between them."""
    program = build / "tests" / "unit" / "test_grade_rates"
    told = subprocess.run([program, "--table", str(seeds)], stdout=subprocess.PIPE, text=True, check=True).stdout
    machines, unseen, limits = told.strip().split("\n\n")
    return (f"\nIn view when the limits were confirmed:\n\n{machines}\n\n"
            "Held out: other shapes of disturbance, several at once, and other seeds. Their rates were not looked at before the limits\n"
            f"stood, and no limit was changed after them.\n\n{unseen}\n\nThe machines in view without repeats: points that only one reason could keep from A, by what that reason\n"
            f"measures (`launches`: how many are missing from five; `disturbed`: as if nothing could be read around launches).\n\n{limits}\n\n")


def is_near(stands: str, now: str) -> bool:
    """Equal words, and numbers equal up to one per cent of them or one unit."""
    words, others = stands.split(), now.split()
    for word, other in zip(words, others):
        try:
            if abs(float(word) - float(other)) > max(1.0, 0.01 * abs(float(word))):
                return False
        except ValueError:
            if word != other:
                return False
    return len(words) == len(others)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--write", type=Path, metavar="BUILD")
    group.add_argument("--check", type=Path, metavar="BUILD")
    parser.add_argument("--seeds", type=int)
    options = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    stands = PART.search(page)
    if not stands:
        print("1..0 # the page has no place for tables", file=sys.stderr)
        return 2
    seeds = options.seeds or int(stands[1])
    now = made(options.write or options.check, seeds)
    if options.write:
        PAGE.write_text(PART.sub(lambda _: BEGIN.format(seeds) + "\n" + now + END, page), encoding="utf-8")
        return 0
    same = is_near(stands[2], now)
    print(f"{'' if same else 'not '}ok 1 - the tables of doc/internals/grades.md are what the simulation says\n1..1")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
