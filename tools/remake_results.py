#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands of a page of doc/results again, and writes what each shows as Markdown.

    remake_results.py [--archmeter PROGRAM] [--out FOLDER] PAGE...   runs them, in FOLDER (default: results)
    remake_results.py [--archmeter PROGRAM] --check PAGE...          TAP: would they still run? measures nothing

The pages themselves hold the commands, as indented lines that begin with `archmeter`, `peers/`, `tools/` or
`mpirun`; there is no second list. A command NN of a page gives FOLDER/PAGE-NN.db (runs) and FOLDER/PAGE-NN.md.
What names a device that is not here is skipped and said. A line with "..." stands for several, and is told, not run.
"""

import argparse
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
STARTS = ("archmeter ", "peers/", "tools/", "mpirun ")


class Command(NamedTuple):
    """One command of a page."""

    page: str
    number: int
    text: str

    def words(self) -> list[str]:
        return shlex.split(self.text, comments=True)

    def is_run(self) -> bool:
        return self.text.startswith("archmeter run ")


def commands_of(page: Path) -> list[Command]:
    """The indented commands of a page, continued lines joined."""
    text = re.sub(r"\\\n\s*", "", page.read_text(encoding="utf-8"))
    lines = [line.strip() for line in text.splitlines() if line.startswith("    ")]
    found = [line for line in lines if line.startswith(STARTS)]
    return [Command(page.stem, i, line) for i, line in enumerate(found, 1)]


def devices_here(archmeter: Path) -> str:
    words = [archmeter, "list", "ocl.arith", "--format", "json"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def absent_bench(command: Command, archmeter: Path) -> str:
    """The first bench of a run that this build does not have, or nothing."""
    for word in command.words()[2:] if command.is_run() else []:
        if word.startswith("-"):
            break
        done = subprocess.run([archmeter, "list", "--names", word], capture_output=True, text=True, check=False)
        if not done.stdout.strip():
            return word
    return ""


def why_not(command: Command, archmeter: Path, devices: str) -> str:
    """Why a command cannot be run here, or nothing."""
    if "..." in command.text:
        return "stands for several commands"
    absent = absent_bench(command, archmeter)
    if absent:
        return f"this build has no {absent}"
    for device in re.findall(r"device=([\w,-]+)", command.text):
        missing = [d for d in device.split(",") if d not in ("host", "cpu") and d not in devices]
        if missing:
            return f"no device {', '.join(missing)} here"
    return ""


def remake(command: Command, archmeter: Path, out: Path) -> int:
    """Runs one command; its table, or what it printed, goes to a file."""
    name = f"{command.page}-{command.number:02d}"
    words = command.words()
    if words[0] == "archmeter":
        words[0] = str(archmeter)
    else:
        words[0] = str(ROOT / words[0]) if "/" in words[0] else words[0]
    if command.is_run():
        words += ["-o", f"{name}.db", "--format", "md", "-q"]
    with open(out / f"{name}.md", "w", encoding="utf-8") as file:
        file.write(f"    {command.text}\n\n")
        file.flush()
        return subprocess.run(words, cwd=out, stdout=file, check=False).returncode


def run(pages: list[Path], archmeter: Path, out: Path) -> int:
    out.mkdir(parents=True, exist_ok=True)
    devices = devices_here(archmeter)
    failed = 0
    for command in (c for page in pages for c in commands_of(page)):
        reason = why_not(command, archmeter, devices)
        code = 0 if reason else remake(command, archmeter, out)
        failed += code != 0
        print(f"{command.page}-{command.number:02d} {'skipped: ' + reason if reason else f'code {code}'}: {command.text}")
    return 1 if failed else 0


def check(pages: list[Path], archmeter: Path) -> int:
    """Plans every run, so that a bench, axis or option that is gone is found."""
    devices = devices_here(archmeter)
    count, failed = 0, False
    for page in pages:
        commands = commands_of(page)
        count += 1
        failed |= not commands
        print(f"{'' if commands else 'not '}ok {count} - {page.name} has commands")
        for command in filter(Command.is_run, commands):
            count += 1
            reason = why_not(command, archmeter, devices)
            words = [str(archmeter), "plan", *command.words()[2:], "-q"]
            done = None if reason else subprocess.run(words, capture_output=True, text=True, check=False)
            bad = done is not None and done.returncode != 0
            failed |= bad
            print(f"{'not ' if bad else ''}ok {count} - {command.text}{' # SKIP ' + reason if reason else ''}")
            if bad and done:
                print(f"# {done.stderr.strip()}")
    print(f"1..{count}")
    return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--archmeter", type=Path, default=ROOT / "build/archmeter")
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("pages", nargs="+", type=Path, metavar="PAGE")
    options = parser.parse_args()
    archmeter = options.archmeter.resolve()
    return check(options.pages, archmeter) if options.check else run(options.pages, archmeter, options.out)


if __name__ == "__main__":
    sys.exit(main())
