#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Loops of programs, executed, and predicted by archmeter and by llvm-mca: errors as Markdown.

usage: peers/blocks.py make FOLDER [--kernels FILE ...] [--lib FOLDER] [--evex]
       peers/blocks.py run FOLDER [--seconds N] [--cpu N]
       peers/blocks.py table FOLDER --on RUN.db [--archmeter PROGRAM] [--mca llvm-mca-19] [--mcpu CPU] [--osaca COMMAND] [--seen] [--look]

make: takes loops out of archmeter's kernels, libc, OpenBLAS, FFTW and zlib as the system has them (static libraries), adds random
mixes and chains (blocks_find.py), and writes blocks.s and blocks.json. run: assembles, links with blocks.c and writes times.txt, where
times that stand already are kept: what has none yet may be run again. Works on another machine with a C compiler and the folder alone
(sh FOLDER/run.sh). table: predictions beside times.
OSACA (https://github.com/RRZE-HPC/OSACA) is asked by a command as "osaca --arch ZEN3", block by block, which takes minutes: what it said
is kept in osaca.json. A third of the blocks, by the hash of their text, is held out: it stands in columns of its own, --seen leaves these
away, and --look, which lists the blocks that are missed most, never shows one of them. Left out: what faults or is not confirmed, blocks whose two best placements of the data
differ by more than 3 %, and those with a division of integers, whose time depends on values that blocks.c makes up.
"""

import argparse
import collections
import csv
import dataclasses
import hashlib
import io
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

import blocks_find
from blocks_find import Block

PLACEMENTS_APART = 0.03
ITERATIONS = (100, 200)  # of llvm-mca; the difference is the steady state
LOOKED_AT = 40
PREDICTORS = {"ours": "archmeter: mean, median error, tau", "mca": "llvm-mca", "osaca": "OSACA"}
BY_VALUE = re.compile(r"i?div[bwlq]?\b")
MOST = {"our kernels": 120, "libc": 110, "OpenBLAS": 120, "FFTW": 110, "zlib": 60, "random mixes": 120, "chains": 80}
# Blocks of AVX-512, beside those above, which they change nothing of.
EVEX = {"our kernels, AVX-512": 100, "libc, AVX-512": 60, "OpenBLAS, AVX-512": 100, "FFTW, AVX-512": 60, "random mixes, AVX-512": 100}


# ---- make ----

def files_of(lib: pathlib.Path, kernels: list[str], folder: str) -> dict[str, list]:
    """Where the loops of each source are."""
    files: dict[str, list] = {"our kernels": kernels, "libc": [lib / "libc.a", *sorted(lib.glob("libm-*.a")), lib / "libmvec.a"],
                              "FFTW": [lib / "libfftw3.a", lib / "libfftw3f.a"], "zlib": [lib / "libz.a"]}
    if (lib / "libopenblas.a").exists():
        for source, pattern in (("OpenBLAS", r"_(HASWELL|ZEN)\.o$"), ("OpenBLAS, AVX-512", r"_SKYLAKEX\.o$")):
            files[source] = blocks_find.members(str(lib / "libopenblas.a"), pattern, 150, folder)
    return {source: [f for f in found if pathlib.Path(f).exists()] for source, found in files.items()}


def gather(options: argparse.Namespace) -> list[Block]:
    found: dict[str, list[Block]] = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for name, files in files_of(pathlib.Path(options.lib), options.kernels, folder).items():
            source = name.partition(",")[0]
            for block in itertools.chain.from_iterable(
                    blocks_find.loops_of(source, pathlib.Path(f).name, blocks_find.disassembled(str(f))) for f in files):
                wide = block.vectors() == 2
                if wide or name == source:
                    found[f"{source}, AVX-512" if wide else source].append(block)
    made = {"random mixes": blocks_find.mixes, "chains": blocks_find.chains, "random mixes, AVX-512": blocks_find.wide_mixes}
    groups = MOST | (EVEX if options.evex else {})
    return [dataclasses.replace(b, source=group) for group, most in groups.items()
            for b in (made[group](most) if group in made else blocks_find.chosen(found[group], most))]


def number_of(register: str) -> int:
    return blocks_find.GENERAL.index(register) if register else len(blocks_find.GENERAL)


def bits(registers: set[str]) -> int:
    return sum(1 << number_of(r) for r in registers)


def tables_of(i: int, block: Block) -> tuple[str, list[str]]:
    """The entry of a block in the table that blocks.c reads, and what it points to."""
    bases, indices = block.memory_registers()
    operands = block.operands()
    entry = (f".quad name_{i}, block_{i}, {bits(bases)}, {bits(indices)}, {number_of(block.counter())}, {block.vectors()}, "
             f"operands_{i}, {len(operands)}")
    beside = [f"name_{i}: .string \"block_{i}\"", ".p2align 3", f"operands_{i}:"]
    return entry, beside + [f".quad {number_of(o.base)}, {number_of(o.index)}, {o.scale}, {o.streams}, {o.n}" for o in operands]


def text_of(blocks: list[Block]) -> str:
    """All blocks as the loops of one function, and the table that blocks.c reads."""
    code = [".text", ".globl blocks_all", ".type blocks_all,@function", "blocks_all:", "nop"]  # no block at address 0
    table = [".section .rodata", ".p2align 3", ".globl blocks_n", f"blocks_n: .quad {len(blocks)}", ".section .data.rel.ro,\"aw\"",
             ".p2align 3", ".globl blocks", "blocks:"]
    others = [".section .rodata"]
    for i, block in enumerate(blocks):
        code += [".p2align 6", f"block_{i}:", *block.lines, f"dec %{block.counter()}", f"jnz block_{i}", "jmp *blocks_back(%rip)"]
        entry, beside = tables_of(i, block)
        table.append(entry)
        others += beside
    code += [".size blocks_all,.-blocks_all", ".data", ".p2align 12", ".globl blocks_constants", "blocks_constants:",
             ".rept 1024", ".long 0x3fa00000", ".endr"]
    return "\n".join(code + table + others + [".section .note.GNU-stack,\"\",@progbits", ""])


def assembling(blocks: list[Block]) -> list[Block]:
    """Those that the assembler takes: it names the lines of the others."""
    lines = [(line, i) for i, block in enumerate(blocks) for line in block.lines]
    said = subprocess.run(["as", "-o", "/dev/null", "-"], input="\n".join(line for line, _ in lines) + "\n", text=True,
                          capture_output=True, check=False).stderr
    refused = {lines[int(number) - 1][1] for number in re.findall(r"^\{standard input\}:(\d+): Error", said, re.M)}
    return [b for i, b in enumerate(blocks) if i not in refused]


PROGRAM = ("blocks.c", "blocks_entry.c", "blocks_entry.h", "blocks_moment.c", "blocks_moment.h")
RUN = """#!/bin/sh
# run.sh SECONDS CPU: assembles the blocks, links them with the program that times them, which adds to times.txt.
cd "$(dirname "$0")" || exit 1
${CC:-cc} -O2 -o blocks blocks.c blocks_entry.c blocks_moment.c blocks.s -lm || exit 1
taskset -c "${2:-0}" ./blocks "${1:-30}" times.txt
"""


def make(options: argparse.Namespace) -> None:
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    blocks = assembling(gather(options))
    (folder / "blocks.s").write_text(text_of(blocks), encoding="ascii")
    (folder / "blocks.json").write_text(json.dumps([{"source": b.source, "origin": b.origin, "held": b.held, "counter": b.counter(),
                                                     "lines": b.lines} for b in blocks], indent=0), encoding="ascii")
    (folder / "times.txt").unlink(missing_ok=True)  # of other blocks
    for name in PROGRAM:
        shutil.copy(pathlib.Path(__file__).with_name(name), folder)
    (folder / "run.sh").write_text(RUN, encoding="ascii")
    print(f"{len(blocks)} blocks, {sum(b.held for b in blocks)} of them held out")


# ---- run ----

def usable_cpus() -> set[int]:
    return os.sched_getaffinity(0)


def run(options: argparse.Namespace) -> None:
    subprocess.run(["sh", f"{options.folder}/run.sh", str(options.seconds), str(options.cpu)], check=True)


def times_of(folder: str) -> dict[str, tuple[float, float] | str]:
    """Cycles with the two best placements, or why there are none."""
    times: dict[str, tuple[float, float] | str] = {}
    for line in pathlib.Path(folder, "times.txt").read_text(encoding="ascii").splitlines():
        name, first, rest = line.split(" ", 2)
        times[name] = rest if first == "-" else (float(first), float(rest.split()[0]))
    return times


# ---- predictions ----

def ours(options: argparse.Namespace) -> dict[str, float]:
    """archmeter's cycles by name, from the addresses of the loops."""
    obj = f"{options.folder}/blocks.o"
    subprocess.run(["as", "-o", obj, f"{options.folder}/blocks.s"], check=True)
    labels = subprocess.run(["nm", obj], capture_output=True, text=True, check=True).stdout
    names = {int(a, 16): n for a, _, n in (line.split() for line in labels.splitlines() if re.search(r" t block_\d+$", line))}
    command = [options.archmeter, "predict", obj, "--function", "blocks_all", "--on", options.on, "--format", "csv"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {names[at]: cycles for at, cycles in summary_of(text) if at in names}


def summary_of(text: str) -> list[tuple[int, float]]:
    """The rows of the first table, which has a column `cycles` and one `limit`: addresses and cycles."""
    rows = list(csv.reader(io.StringIO(text)))
    head = next(i for i, row in enumerate(rows) if "limit" in row and "cycles" in row)
    loop, cycles = rows[head].index("loop"), rows[head].index("cycles")
    width = len(rows[head])
    body = itertools.takewhile(lambda row: len(row) == width and row[loop].startswith("0x"), rows[head + 1:])
    return [(int(row[loop], 16), float(row[cycles])) for row in body]


def mca_totals(options: argparse.Namespace, blocks: list[dict], iterations: int) -> list[int]:
    """llvm-mca's cycles of so many passes, in the order of the blocks; [] when it refuses one of them."""
    text = []
    for i, block in enumerate(blocks):
        text += [f"# LLVM-MCA-BEGIN region_{i}", *block["lines"], f"dec %{block['counter']}", "jnz 1b", "# LLVM-MCA-END"]
    command = [options.mca, f"-mcpu={options.mcpu}", f"-iterations={iterations}", "-instruction-info=0", "-resource-pressure=0"]
    said = subprocess.run(command, input="\n".join(["1:", *text, ""]), capture_output=True, text=True, check=False).stdout
    totals = [int(n) for n in re.findall(r"Total Cycles:\s+(\d+)", said)]
    return totals if len(totals) == len(blocks) else []


def mca_cycles(options: argparse.Namespace, blocks: list[dict]) -> list[float | None]:
    """Cycles per pass in the steady state; None: llvm-mca does not know an instruction of it."""
    if not blocks or not options.mca:
        return [None] * len(blocks)
    totals = [mca_totals(options, blocks, n) for n in ITERATIONS]
    if all(totals):
        return [(more - fewer) / (ITERATIONS[1] - ITERATIONS[0]) for fewer, more in zip(*totals)]
    if len(blocks) == 1:
        return [None]
    half = len(blocks) // 2
    return mca_cycles(options, blocks[:half]) + mca_cycles(options, blocks[half:])


def osaca_report(command: str, text: str) -> str:
    with tempfile.NamedTemporaryFile("w", suffix=".s", encoding="ascii") as file:
        file.write(text)
        file.flush()
        return subprocess.run([*shlex.split(command), file.name], capture_output=True, text=True, check=False).stdout


def osaca_said(report: str) -> float | None:
    """The longer of the busiest port and the loop-carried chain; None: OSACA does not know an instruction of it."""
    lines = report.splitlines()
    head = next((line for line in lines if "||  CP" in line and "LCD" in line), None)
    sums = next((line for line in lines if re.fullmatch(r"[ \d.]*\d[ \d.]*", line)), None)
    if not head or not sums:
        return None
    chains = sums[head.index("||"):].split()
    ports = sums[:head.index("||")].split()
    return max([float(p) for p in ports] + [float(c) for c in chains[1:]], default=None)


def osaca_cycles(options: argparse.Namespace, blocks: list[dict]) -> list[float | None]:
    """Cycles per pass, asked once for each block and command."""
    if not options.osaca:
        return [None] * len(blocks)
    file = pathlib.Path(options.folder, "osaca.json")
    known = json.loads(file.read_text(encoding="ascii")) if file.exists() else {}
    asked = known.setdefault(options.osaca, {})
    for block in blocks:
        text = "\n".join(["# OSACA-BEGIN", "1:", *block["lines"], f"dec %{block['counter']}", "jnz 1b", "# OSACA-END", ""])
        key = hashlib.sha256(text.encode()).hexdigest()
        block["osaca key"] = key
        if key not in asked:
            asked[key] = osaca_said(osaca_report(options.osaca, text))
            file.write_text(json.dumps(known), encoding="ascii")
    return [asked[block.pop("osaca key")] for block in blocks]


# ---- the table ----

def tau(x: list[float], y: list[float]) -> float:
    """Kendall's rank correlation; pairs that are equal on a side count for nothing."""
    same = sum((1 if (a - b) * (c - d) > 0 else -1 if (a - b) * (c - d) < 0 else 0)
               for (a, c), (b, d) in itertools.combinations(zip(x, y), 2))
    n = len(x) * (len(x) - 1) / 2
    return same / n if n else float("nan")


def errors(rows: list[dict], which: str) -> list[float]:
    return [abs(r[which] / r["cycles"] - 1) for r in rows if r[which] is not None]


def cell(rows: list[dict], which: str) -> str:
    """Mean and median error and tau; "of n" where a predictor does not know all blocks."""
    known = [r for r in rows if r[which] is not None]
    if len(known) < 2:
        return "-"
    all_errors = errors(known, which)
    return (f"{100 * statistics.mean(all_errors):.1f} %, {100 * statistics.median(all_errors):.1f} %, "
            f"{tau([r[which] for r in known], [r['cycles'] for r in known]):.3f}" + (f" (of {len(known)})" if len(known) < len(rows) else ""))


def loops_among(rows: list[dict]) -> list[dict]:
    return [r for r in rows if not r["source"].startswith(("random mixes", "chains"))]


def print_rows(rows: list[dict], seen_only: bool = False) -> None:
    """A column for each predictor that said anything, of seen blocks and of held-out ones."""
    predictors = [name for name in PREDICTORS if any(r.get(name) is not None for r in rows)]
    parts = (False,) if seen_only else (False, True)
    heads = [word for held in parts for word in ("held out: n" if held else "seen: n", *(PREDICTORS[p] for p in predictors))]
    print("| blocks | " + " | ".join(heads) + " |")
    print("| --- " * (1 + len(heads)) + "|")
    groups = [(source, [r for r in rows if r["source"] == source]) for source in MOST | EVEX]
    plain = [r for r in rows if r["source"] in MOST]
    wide = [r for r in rows if r["source"] in EVEX]
    sums = [("all loops of programs", loops_among(plain)), ("all", plain),
            *([("all loops of AVX-512", loops_among(wide)), ("all of AVX-512", wide)] if wide else [])]
    for name, group in [*(g for g in groups if g[1]), *sums]:
        cells = [name]
        for held in parts:
            part = [r for r in group if r["held"] == held]
            cells += [str(len(part)), *(cell(part, p) for p in predictors)]
        print("| " + " | ".join(cells) + " |")


def why_left_out(block: dict, time: tuple[float, float] | str) -> str | None:
    """None: it counts. Whatever is predicted of it has no say."""
    if isinstance(time, str):
        return time
    if any(BY_VALUE.match(line) for line in block["lines"]):
        return "whose division of integers takes as long as made-up values say"
    if time[1] > (1 + PLACEMENTS_APART) * time[0]:
        return "whose two best placements differ by more than 3 %"
    return None


def print_left_out(n: int, reasons: collections.Counter) -> None:
    words = [f"{times} {why}" for why, times in reasons.most_common()]
    print(f"\nOf {n} blocks left out: {'; '.join(words)}.")


def look(rows: list[dict]) -> None:
    """What is missed most, of the blocks that may be looked at."""
    seen = sorted((r for r in rows if not r["held"]), key=lambda r: -abs(r["ours"] / r["cycles"] - 1))
    for r in seen[:LOOKED_AT]:
        print(f"\n{r['name']} {r['source']} {r['origin']}: {r['cycles']:.2f}, ours {r['ours']:.2f}, mca {r['mca']}, osaca {r['osaca']}")
        print("\n".join("    " + line for line in r["lines"][:24]))


def table(options: argparse.Namespace) -> None:
    blocks = json.loads(pathlib.Path(options.folder, "blocks.json").read_text(encoding="ascii"))
    times = times_of(options.folder)
    predicted = ours(options)
    rows, left_out = [], collections.Counter()
    for i, block in enumerate(blocks):
        name = f"block_{i}"
        time = times.get(name, "not run")
        why = why_left_out(block, time) if name in predicted else "without a prediction"
        if why:
            left_out[why] += 1
        else:
            rows.append(block | {"name": name, "cycles": time[0], "ours": predicted[name]})
    for row, mca, osaca in zip(rows, mca_cycles(options, rows), osaca_cycles(options, rows)):
        row |= {"mca": mca, "osaca": osaca}
    if options.look:
        look(rows)
    else:
        print_rows(rows, options.seen)
        print_left_out(len(blocks), left_out)


def parsed(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=("make", "run", "table"))
    parser.add_argument("folder")
    parser.add_argument("--kernels", nargs="*", default=[], help="programs or libraries with archmeter's kernels")
    parser.add_argument("--lib", default="/usr/lib/x86_64-linux-gnu", help="where static libraries are")
    parser.add_argument("--evex", action="store_true", help="with groups of AVX-512 blocks beside the others")
    parser.add_argument("--seconds", type=int, default=120, help="the most that `run` takes; another run goes on where it ended")
    parser.add_argument("--cpu", type=int, default=min(usable_cpus()))
    parser.add_argument("--on", help="the run with cpu.ports, cpu.mix and cpu.instr")
    parser.add_argument("--archmeter", default="build/archmeter")
    parser.add_argument("--mca", default="llvm-mca-19", help="'' for none")
    parser.add_argument("--mcpu", default="znver3")
    parser.add_argument("--osaca", default="", help="the command of OSACA with its --arch, for a column more")
    parser.add_argument("--seen", action="store_true", help="without the held-out blocks")
    parser.add_argument("--look", action="store_true", help="list what is missed most, held-out blocks aside")
    options = parser.parse_args(words)
    programs = [options.archmeter, options.mca, *shlex.split(options.osaca)[:1]] if options.step == "table" else []
    lacking = [p for p in programs if p and not shutil.which(p)]
    if lacking:
        parser.error(f"no program '{lacking[0]}'")
    if options.step == "table" and not options.on:
        parser.error("table needs --on RUN.db")
    return options


if __name__ == "__main__":
    given = parsed(sys.argv[1:])
    {"make": make, "run": run, "table": table}[given.step](given)
