#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs BabelStream and mixbench (OpenCL) in turn with ocl.global, ocl.bus and ocl.intensity, as Markdown.

usage: peers/ocl_peers.py [--babelstream FOLDER] [--mixbench FOLDER] [--archmeter PROGRAM]
                          [--device NAME] [--number N] [--rounds N] [--calm SECONDS]

The folders hold the programs' sources, outside of this tree; each is built by CMake in a temporary
folder. --device is archmeter's name of the device (`archmeter list ocl.arith`), --number BabelStream's and
mixbench's. A program that was not given, or does not build, is left out with that reason.
Compared are rates of the same bytes and operations: BabelStream's dot reads only, as ocl.global does, its
copy reads and writes, as ocl.bus d2d does; mixbench sweeps operations per byte, as ocl.intensity does. Every round
measures each case once with each program, the order changing from round to round. Ratio and interval as in
ratio.py. clpeak has a script of its own (clpeak.py).
"""

import datetime
import os
import subprocess
import sys
import tempfile

import ratio

# case -> (peer, what of its table, our bench, point, metric, unit scale, label)
CASES = {
    "read": ("babelstream", "Dot", "ocl.global",
             {"kernel": "read", "stride": 1, "shape": "group", "width": "4,16"}, "bandwidth",
             "reading (BabelStream dot), GB/s"),
    "copy": ("babelstream", "Copy", "ocl.bus",
             {"direction": "d2d", "method": "read_write", "memory": "pageable", "size": "64M"}, "bandwidth",
             "copying (BabelStream copy), GB/s"),
    "single": ("mixbench", "single", "ocl.intensity", {"type": "float", "fmas": "512,1024"}, "flops",
               "most float operations (mixbench), Gflop/s"),
    "double": ("mixbench", "double", "ocl.intensity", {"type": "double", "fmas": "512,1024"}, "flops",
               "most double operations (mixbench), Gflop/s"),
}
BUILDS = {
    "babelstream": (["-DMODEL=ocl"], "ocl-stream"),
    "mixbench": ([], "mixbench-ocl-ro"),
}
# mixbench keeps a CMake project per programming model
SOURCES = {"babelstream": "", "mixbench": "mixbench-opencl"}


def build(peer: str, folder: str, work: str) -> str:
    """The program's path; ends us with the builder's words when there is none."""
    options, program = BUILDS[peer]
    inner = os.path.join(folder, SOURCES[peer])
    source = inner if os.path.isdir(inner) else folder
    target = os.path.join(work, peer)
    for command in (["cmake", "-S", source, "-B", target, "-DCMAKE_BUILD_TYPE=Release", *options],
                    ["cmake", "--build", target, "-j2"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()[-300:]}")
    for where, _, files in os.walk(target):
        if program in files:
            return os.path.join(where, program)
    raise RuntimeError(f"{folder} built no {program}")


def read_babelstream(text: str) -> dict[str, float]:
    """{"Copy": bytes per second, ...} from the output of --csv."""
    found, columns = {}, []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        if "max_mbytes_per_sec" in cells:
            columns = cells
        elif columns and len(cells) == len(columns):
            row = dict(zip(columns, cells))
            found[row["function"]] = float(row["max_mbytes_per_sec"]) * 1e6
    return found


def read_mixbench(text: str) -> dict[str, float]:
    """The most operations per second of each precision, from the table with two heading lines."""
    found: dict[str, float] = {}
    kinds: list[str] = []
    columns: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        if cells[0] == "Experiment ID":
            kinds = cells
        elif cells[0] == "Compute iters":
            columns = cells
        elif columns and len(cells) >= len(columns) and cells[0].isdigit():
            kind = ""
            for i, name in enumerate(columns):
                kind = kinds[i].split()[0].lower() if i and i < len(kinds) and kinds[i] else kind
                if name == "GFLOPS":
                    found[kind] = max(found.get(kind, 0.0), float(cells[i]) * 1e9)
    return found


def run_peer(options, programs: dict[str, str], case: str) -> float:
    peer, what, *_ = CASES[case]
    if peer == "babelstream":
        command = [programs[peer], "--csv", "--device", str(options.number)]
        read = read_babelstream
    else:
        command = [programs[peer], "-d", str(options.number)]
        read = read_mixbench
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    values = read(done.stdout)
    if what not in values:
        sys.exit(f"{' '.join(command)} has no {what}:\n{done.stdout[-500:]}")
    return values[what]


def run_ours(options, case: str) -> float:
    _, _, bench, point, metric, _ = CASES[case]
    chosen = dict(point, device=options.device) if options.device else point
    return max(ratio.run_archmeter(options.archmeter, bench, chosen, metric))


def build_all(options, work: str) -> dict[str, str]:
    programs = {}
    for peer in BUILDS:
        folder = getattr(options, peer)
        if not folder:
            print(f"{peer}: left out, no --{peer} FOLDER", file=sys.stderr)
            continue
        try:
            programs[peer] = build(peer, folder, work)
        except (RuntimeError, OSError) as why:
            print(f"{peer}: left out, {why}", file=sys.stderr)
    return programs


def print_table(options, ours: dict, theirs: dict) -> None:
    print(f"Measured {datetime.date.today().isoformat()} with `peers/ocl_peers.py --rounds "
          f"{options.rounds}`. Medians of the rounds; in brackets the spread, (max − min) / median.\n")
    ratio.print_head(["what", "peer", "archmeter", "ratio [95 % interval]"])
    for (case,), values in ours.items():
        estimate, low, high = ratio.ratio(values, theirs[case,])
        ratio.print_row([CASES[case][-1], ratio.value_cell(theirs[case,], 1e-9, 1),
                         ratio.value_cell(values, 1e-9, 1), ratio.ratio_cell(estimate, low, high)])


def main() -> int:
    parser = ratio.parser_of(__doc__.splitlines()[0])
    parser.add_argument("--babelstream", help="folder with its sources")
    parser.add_argument("--mixbench", help="folder with its sources")
    parser.add_argument("--device", help="archmeter's name of the device")
    parser.add_argument("--number", type=int, default=0, help="the peers' number of the device")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("rounds are 1 or more")
    with tempfile.TemporaryDirectory() as work:
        programs = build_all(options, work)
        cases = [(case,) for case, row in CASES.items() if row[0] in programs]
        if not cases:
            sys.exit("no other program is there to compare with")
        ours, theirs = ratio.in_turn(options, cases, lambda case: run_ours(options, case),
                                     lambda case: run_peer(options, programs, case))
    print_table(options, ours, theirs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
