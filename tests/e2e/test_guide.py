# SPDX-License-Identifier: MIT
"""The commands of README.md and of the guide work as they stand there, one after the other in one folder."""
import os
import re
import shlex
import shutil
import sys

from e2e import Bench, Tap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = ("README.md", "doc/guide/first-run.md")
# Codes beside 0 that say something of the machine and not of the command; messages that are shown end with 2.
FINDINGS = {"check": (1, 4), "explain": (1,)}


def commands(text):
    """(words, whether its message is shown below it) of every line with a prompt."""
    lines = text.splitlines()
    for line, below in zip(lines, lines[1:] + [""]):
        found = re.match(r" *\$ archmeter (.*)", line)
        if found:
            yield shlex.split(found.group(1), comments=True), below.startswith("archmeter: ")


def self_test(tap):
    text = "    $ archmeter run 'a b' # why\n$ archmeter x\narchmeter: no x\narchmeter y\n"
    tap.ok(list(commands(text)) == [(["run", "a b"], False), (["x"], True)], "self-test: prompts are found",
           list(commands(text)))


def verb(words):
    return words[2] if words[0] == "--machine" else words[0]


def follow(tap, bench, page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as f:
        found = list(commands(f.read()))
    tap.ok(len(found) > 4, f"{page} has commands: {len(found)}")
    for words, refused in found:
        done = bench.run(*words, env=bench.real_env)
        wanted = (2,) if refused else (0, *FINDINGS.get(verb(words), ()))
        tap.ok(done.returncode in wanted, f"{page}: {' '.join(words)}", f"code {done.returncode}\n{done.stderr}")


def main():
    tap = Tap()
    self_test(tap)
    for page in PAGES:
        bench = Bench(sys.argv[1], sys.argv[2])
        os.symlink(os.path.join(ROOT, "machines"), bench.path("machines"))
        shutil.copytree(os.path.join(ROOT, "examples"), bench.path("examples"))
        follow(tap, bench, page)
    tap.done()


main()
