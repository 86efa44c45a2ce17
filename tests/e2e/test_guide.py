# SPDX-License-Identifier: MIT
"""The commands of README.md and of the guide work as they stand there, one after the other in one folder, and say
what stands below them: on a described machine every run repeats."""
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
    """(words, lines that are shown below it) of every line with a prompt, in a block of code."""
    found = []
    for line in text.splitlines():
        prompt = re.match(r" *\$ archmeter (.*)", line)
        if prompt:
            found.append((shlex.split(prompt.group(1), comments=True), []))
        elif line == "```" or line.startswith("#"):
            found.append(None)
        elif found and found[-1] and line.strip() and not is_prose(line, text):
            found[-1][1].append(line)
    return [f for f in found if f]


def is_prose(line, text):
    """Whether the line is prose: outside of fenced blocks, where only prompts are read."""
    return line not in "".join(text.split("```")[1::2])


def plain(line):
    """A line without what differs from run to run: times, and what doctor sees of the host."""
    line = re.sub(r" set, [\d.]+ s", " set, TIME", line)
    return "" if re.match(r"warn|unknown", line) else re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z", "TIME", line).rstrip()


def self_test(tap):
    text = "    $ archmeter run 'a b' # why\n\nprose\n```\n$ archmeter x\nno x\n```\narchmeter y\n"
    found = commands(text)
    tap.ok(found == [(["run", "a b"], []), (["x"], ["no x"])], "self-test: prompts and answers are found", found)
    tap.ok(missing(["a 2026-11-15T20:36:39Z b", "c"], "a 2027-01-01T00:00:00Z b\n") == ["c"],
           "self-test: a line that is not said is missing")


def missing(shown, said):
    lines = {plain(line) for line in said.splitlines()}
    return [line for line in shown if plain(line) and plain(line) not in lines]


def verb(words):
    return words[2] if words[0] == "--machine" else words[0]


def follow(tap, bench, page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as f:
        found = list(commands(f.read()))
    tap.ok(len(found) > 4, f"{page} has commands: {len(found)}")
    for words, shown in found:
        done = bench.run(*words, env=bench.real_env)
        refused = bool(shown) and shown[0].startswith("archmeter: ")
        wanted = (2,) if refused else (0, *FINDINGS.get(verb(words), ()))
        tap.ok(done.returncode in wanted, f"{page}: {' '.join(words)}", f"code {done.returncode}\n{done.stderr}")
        if shown:
            gone = missing(shown, done.stdout + done.stderr)
            tap.ok(not gone, "and says what stands below it", "\n".join(gone))


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
