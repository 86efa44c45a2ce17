#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Re-runs the three stories of doc/guide/stories.md: programs from Debian, from `time` to what they depend on.

usage: tools/stories.py [--archmeter PROGRAM] [--launches N] [--keep FOLDER] [--on MODEL...] [STORY...]

Prints every command with its screen, as the page has them; with models of this machine and of another one also what each
program would gain there. Inputs are made here, by fixed seeds. A program that is not
installed skips its story, with the name of its package; nothing of the build depends on any of them.
"""

import argparse
import os
import pathlib
import random
import shlex
import shutil
import subprocess
import sys
import tempfile

WORDS, GENOME, READS, READ = 200_000, 1_500_000, 300, 3_000


def make_text(folder):
    """Words by Zipf's law: compresses as prose does."""
    draw = random.Random(1)
    vocabulary = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9))) for _ in range(5000)]
    weights = [1 / (i + 1) for i in range(len(vocabulary))]
    pathlib.Path(folder, "text").write_text(" ".join(draw.choices(vocabulary, weights, k=WORDS)), encoding="ascii")


def make_genome(folder):
    """A genome without repeats, and reads of it with 5 % of wrong letters."""
    draw = random.Random(2)
    genome = "".join(draw.choices("ACGT", k=GENOME))
    pathlib.Path(folder, "ref.fa").write_text(f">r\n{genome}\n", encoding="ascii")
    with open(pathlib.Path(folder, "reads.fa"), "w", encoding="ascii") as file:
        for i in range(READS):
            at = draw.randrange(GENOME - READ)
            read = list(genome[at:at + READ])
            for _ in range(READ // 20):
                read[draw.randrange(READ)] = draw.choice("ACGT")
            file.write(f">q{i}\n{''.join(read)}\n")


def make_nothing(folder):
    del folder


# Story: programs with their packages, what makes its inputs, and the commands behind `archmeter`.
STORIES = {
    "compress": (
        {"gzip": "gzip", "zstd": "zstd"}, make_text,
        (("time", "--discard", "-p", "l=1,6,9", "gzip -{l} -c text", "zstd -q -{l} -c text", "-o", "compress.db"),
         ("time", "--discard", "--sensitivity", "gzip -6 -c text", "-o", "compress-on.db")),
    ),
    "chess": (
        {"stockfish": "stockfish"}, make_nothing,
        (("time", "--discard", "-p", "hash=1,16,256", "stockfish bench {hash} 1 7", "-o", "chess.db"),
         ("time", "--discard", "--sensitivity", "stockfish bench 16 1 7", "-o", "chess-on.db")),
    ),
    "reads": (
        {"minimap2": "minimap2"}, make_genome,
        (("time", "--discard", "-p", "t=1,2", "minimap2 -t{t} -x map-ont ref.fa reads.fa", "-o", "reads.db"),
         ("time", "--discard", "--sensitivity", "minimap2 -t1 -x map-ont ref.fa reads.fa", "-o", "reads-on.db")),
    ),
}


def missing(programs):
    """Names of the packages that have to be installed."""
    path = "/usr/games:" + (os.environ.get("PATH") or "")
    return [package for program, package in programs.items() if not shutil.which(program, path=path)]


def tell(options, name, folder):
    """Runs one story; 0 when all of its commands went well."""
    programs, make, commands = STORIES[name]
    absent = missing(programs)
    if absent:
        print(f"{name}: skipped, install {' '.join(absent)}", file=sys.stderr)
        return 0
    make(folder)
    env = dict(os.environ, LC_ALL="C.UTF-8")
    env["PATH"] = env.get("PATH", "") + ":/usr/games"  # Debian's place for stockfish
    worst = 0
    if options.on:
        commands += (("explain", commands[-1][-1], *(word for model in options.on for word in ("--on", model))),)
    for words in commands:
        more = ("--launches", str(options.launches)) if options.launches and words[0] == "time" else ()
        print(f"$ archmeter {shlex.join(words)}", flush=True)
        done = subprocess.run([options.archmeter, *words, "-q", *more], cwd=folder, env=env, text=True, check=False,
                              stdout=subprocess.PIPE)
        print(done.stdout, flush=True)
        worst = max(worst, done.returncode)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--archmeter", default="build/archmeter", help="the program to run")
    parser.add_argument("--launches", type=int, default=0, help="executions per command, in place of archmeter's own number")
    parser.add_argument("--keep", help="a folder for inputs and results, which must be new")
    parser.add_argument("--on", action="append", default=[], help="a model (archmeter model -o): this machine's and another's")
    parser.add_argument("stories", nargs="*", default=list(STORIES), help=", ".join(STORIES))
    options = parser.parse_args()
    options.archmeter = str(pathlib.Path(options.archmeter).resolve())
    options.on = [str(pathlib.Path(model).resolve()) for model in options.on]
    for name in options.stories:
        if name not in STORIES:
            parser.error(f'no story is called "{name}"; there are {", ".join(STORIES)}')
    if options.keep:
        pathlib.Path(options.keep).mkdir()
        return max(tell(options, name, options.keep) for name in options.stories)
    with tempfile.TemporaryDirectory() as folder:
        return max(tell(options, name, folder) for name in options.stories)


if __name__ == "__main__":
    sys.exit(main())
